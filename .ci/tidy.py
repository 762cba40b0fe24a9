#!/usr/bin/env python3
"""Runs clang-tidy on the sources of the runtime and the plugin. Usage: tidy.py BUILD-FOLDER [PATH-PREFIX]...

A file that was clean is looked at again only when something that clang-tidy reads has changed: the file, the headers of the
repository that it includes, its command line, the settings, clang-tidy. What was clean is remembered by content, outside of
the checkout, in $XDG_CACHE_HOME/kernix-tidy. Exits with status 1 where something is found.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("runtime/", "plugin/")
TIDY = os.environ.get("KERNIX_CLANG_TIDY", "clang-tidy-22")
MEMORY = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernix-tidy"


def read_dependencies(build: Path) -> dict[str, list[Path]]:
    """By object: the files of the repository that it was made from, as ninja recorded them."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found: dict[str, list[Path]] = {}
    files: list[Path] = []
    for line in text.splitlines():
        if line.startswith("    "):
            path = (build / line.strip()).resolve()
            if path.is_relative_to(ROOT) and not path.is_relative_to(build):
                files.append(path)
        elif ": #deps" in line:
            files = found.setdefault(line.partition(": #deps")[0], [])
    return found


def content(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest() if path.is_file() else b"missing"


def key_of(entry: dict[str, str], dependencies: dict[str, list[Path]], common: bytes) -> str | None:
    """None for what was not built yet: its headers are not known."""
    output = re.search(r" -o (\S+)", entry["command"])
    files = dependencies.get(output[1]) if output else None
    if not files:
        return None
    digest = hashlib.sha256(common)
    digest.update(entry["command"].replace(str(ROOT), "").encode())
    for path in sorted({Path(entry["file"]), *files}):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + content(path))
    return digest.hexdigest()


def look_at(build: Path, entry: dict[str, str], key: str | None) -> str:
    """What clang-tidy prints; nothing for a clean file."""
    if key and (MEMORY / key).exists():
        return ""
    command = [TIDY, "-p", str(build), "--quiet", entry["file"]]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode or result.stdout.strip():
        return result.stdout.strip() or result.stderr.strip() or f"{TIDY} exited with status {result.returncode}"
    if key:
        (MEMORY / key).touch()
    return ""


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    prefixes = tuple(sys.argv[2:]) or FOLDERS
    commands = json.loads((build / "compile_commands.json").read_text())
    entries = [e for e in commands if str(Path(e["file"]).relative_to(ROOT)).startswith(prefixes)]
    MEMORY.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    common = version + b"".join(content(ROOT / folder / ".clang-tidy") for folder in ("", *FOLDERS))
    dependencies = read_dependencies(build)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = list(pool.map(lambda e: look_at(build, e, key_of(e, dependencies, common)), entries))
    # A finding in a header comes from every file that includes it.
    for text in dict.fromkeys(filter(None, found)):
        print(text.replace(f"{ROOT}/", ""))
    bad = sum(map(bool, found))
    print(f"{len(entries) - bad} clean, {bad} with findings")
    return 1 if bad or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
