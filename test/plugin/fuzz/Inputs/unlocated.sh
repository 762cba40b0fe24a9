#!/bin/sh
# Stands for a clang that reports an error without a place.
echo "error: something is wrong" >&2
exit 1
