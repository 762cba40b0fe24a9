#!/bin/sh
# Stands for a clang that crashes where the source mentions `kernel`, which every made file does.
for last; do :; done
grep -q kernel "$last" && kill -SEGV $$
exit 0
