"""Prints the records of derivatives in -fplugin-arg-kernix-dump=json: signatures, what each parameter is, launches."""

import json
import sys


def describe(parameter, names):
    text = parameter["role"]
    if parameter.get("shadow_kind"):
        text += f" {parameter['shadow_kind']}"
        if parameter["shadow_of"] is not None:
            text += f" of {names[parameter['shadow_of']]}"
    if parameter.get("primal_output"):
        text += " primal output"
    words = [text]
    if parameter.get("shadow_kind") and parameter["passing"] in ("pointer", "tensor_view"):
        shape = "x".join(map(str, parameter["element_shape"]))
        words.append(parameter["dtype"] + (f"[{shape}]" if shape else ""))
    if parameter["intent"]:
        words.append(parameter["intent"])
    words += ["optional"] * parameter["optional"] + ["default"] * parameter["has_default"]
    if parameter.get("like") is not None:
        words.append(f"like {names[parameter['like']]}")
    elif parameter.get("shape") is not None:
        words.append(f"shape ({', '.join(parameter['shape'])})")
    if parameter.get("shadow_kind") and parameter.get("fields"):
        words.append("fields " + " ".join(field["name"] for field in parameter["fields"]))
    return ", ".join(words)


def main():
    for record in json.load(sys.stdin):
        if not record["derivative"]:
            continue
        names = [parameter["name"] for parameter in record["parameters"]]
        print(record["signature"])
        if record["launch"]["grid"]:
            print("  launch grid", *record["launch"]["grid"])
        for parameter in record["parameters"]:
            print(f"  {parameter['name']}: {describe(parameter, names)}")
        if record["result"]:
            print("  ->", *(field["name"] for field in record["result"]["fields"]))


main()
