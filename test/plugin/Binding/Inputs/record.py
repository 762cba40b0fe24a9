"""Prints the records of -fplugin-arg-kernix-dump=json, one line per function and one per parameter.

    kernel scale(const float *x, float *y) [arg ret]
      x: arg pointer float32
      y: ret pointer float32 written
"""

import json
import sys


def describe(parameter):
    words = [parameter["role"], parameter["passing"], parameter["dtype"]]
    if parameter.get("element_shape"):
        words.append("x".join(map(str, parameter["element_shape"])))
    if parameter["intent"]:
        words.append(parameter["intent"])
    words += [flag for flag in ("optional", "written", "zero_init") if parameter[flag]]
    if parameter["has_default"]:
        words.append("default=" + json.dumps(parameter["default"]))
    if parameter["value"] is not None:
        words.append(f"value=({parameter['value']})")
    if parameter.get("shape") is not None:
        like = "" if parameter["like"] is None else f" like {parameter['like']}"
        words.append(f"shape=({', '.join(parameter['shape'])}){like}")
    if "array_length" in parameter:
        words.append(f"length={parameter['array_length']}")
    for field in parameter.get("fields", ()):
        count = "" if field["count"] == 1 else f"[{field['count']}]"
        words.append(f".{field['name']}:{field['dtype']}{count}@{field['offset']}")
    if parameter.get("rank") is not None:
        words.append(f"rank {parameter['rank']}")
    return " ".join(words)


def main():
    for record in json.load(sys.stdin):
        result = record["result"]
        launch = record["launch"]
        line = f"{record['kind']} {record['name']} = {record['signature']} [{' '.join(record['arg_spec'])}]"
        line += "".join(
            f" {key}={launch[key]}" for key in ("grid", "block", "shared_bytes") if launch[key] is not None
        )
        flags = {"uses_only_x": "only-x", "single_thread": "one-thread", "shared_output": "shared-output"}
        flags["ignores_blocks"] = "one-block"
        if record["capability"]:
            line += " " + " ".join(f"{key}={value}" for key, value in record["capability"].items())
        print(line + "".join(f" {word}" for key, word in flags.items() if launch[key]))
        for parameter in record["parameters"]:
            print(f"  {parameter['name']}: {describe(parameter)}")
        if result:
            print(f"  -> {describe(result)}")


main()
