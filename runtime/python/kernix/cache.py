"""The cache of built modules, on disk and shared by processes.

Keyed by content, in two steps, because the included files are known only after a build:

    manifests/<request>.json   request: sources, options, compiler, plugin, target, ...; lists for each build that was
                               made for it the files it read, what was in them, and the size of the module
    objects/<key>/             one build: module.so and build.json; key: the request and the content of those files

A build appears by one rename and is never changed afterwards, so that readers need no lock. Builders of one request
take turns under a file lock, which the kernel releases when its holder dies; what a killed build left in tmp/ is removed
later. Not noticed: a new file that would be found earlier on the include path than the one that was read.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

from . import progress
from .errors import KernelError

# A file whose last change is younger than this when it is recorded could change again without a new time stamp.
_RACY_NANOSECONDS = 2_000_000_000
# Leftovers of killed builds are removed when nothing was added to them for this long.
_LEFTOVER_SECONDS = 3600.0
_FORMAT = 2


def folder() -> str:
    """Where everything lies: $KERNIX_CACHE_DIR, else kernix in the user's cache folder."""
    if chosen := os.environ.get("KERNIX_CACHE_DIR"):
        return os.path.abspath(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "kernix")


def content_hash(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def request_hash(request: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps([_FORMAT, request], sort_keys=True).encode()).hexdigest()[:40]


def write_atomically(path: str, content: bytes) -> None:
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise KernelError(f"the cache cannot be written: {error}; set $KERNIX_CACHE_DIR to a folder that can") from error


class Cache:
    """One cache folder."""

    def __init__(self, path: str | None = None) -> None:
        self.path = path or folder()

    def find(self, request: str) -> str | None:
        """The folder of a build for this request whose included files are as they were, or None."""
        for entry in self._manifest(request):
            if all(_unchanged(file) for file in entry["files"]):
                found = os.path.join(self.path, "objects", entry["key"])
                if _is_whole(found, entry.get("size")):
                    return found
        return None

    def get(self, request: str, what: str, build: Callable[[str], list[str]], *, rebuild: bool = False) -> str:
        """The folder of the build for `request`; makes it if need be.

        `build` is given an empty folder to fill and returns the files that it read.
        """
        if not rebuild and (found := self.find(request)):
            return found
        with self._lock("clear", shared=True), self._lock(request, waiting_for=what) as waited:
            if (not rebuild or waited) and (found := self.find(request)):
                return found
            return self._build(request, build)

    def changed_since(self, request: str, build: str) -> str | None:
        """A file that is not as it was when `build`, a folder that get() gave, was made for `request`; None if all are."""
        for entry in self._manifest(request):
            if entry["key"] == os.path.basename(build):
                return next((file["path"] for file in entry["files"] if not _unchanged(file)), None)
        return None

    def _build(self, request: str, build: Callable[[str], list[str]]) -> str:
        self._remove_leftovers()
        work = self._make_folder("tmp", prefix=request[:12] + "-")
        start = time.time_ns()
        try:
            files = [_state(path) for path in sorted(set(build(work)))]
            edited = any(os.stat(file["path"]).st_mtime_ns > start for file in files)
            content = [(file["path"], file["hash"]) for file in files]
            # Bytes of the output take part, so that a forced rebuild never replaces a file that is in use.
            product, size = content_hash(os.path.join(work, "module.so")), _size(work)
            key = hashlib.sha256(json.dumps([request, content, product]).encode()).hexdigest()[:40]
            published = os.path.join(self.path, "objects", key)
            os.makedirs(os.path.dirname(published), exist_ok=True)
            if not _is_whole(published, size):
                # What is there and damaged goes first.
                shutil.rmtree(published, ignore_errors=True)
                os.rename(work, published)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        if edited:
            # The compiler may have seen the text from before the edit: this build serves this call only.
            return published
        others = [entry for entry in self._manifest(request) if entry["key"] != key]
        self._write_manifest(request, [{"key": key, "size": size, "files": files}, *others[:15]])
        return published

    def size(self) -> tuple[int, int]:
        """Number of builds and bytes of everything."""
        objects = os.path.join(self.path, "objects")
        builds = len(os.listdir(objects)) if os.path.isdir(objects) else 0
        total = 0
        for base, _, names in os.walk(self.path):
            for name in names:
                with contextlib.suppress(OSError):
                    total += os.lstat(os.path.join(base, name)).st_size
        return builds, total

    def clear(self) -> None:
        """Removes all builds. Waits for those in progress; modules that are loaded stay valid."""
        if not os.path.isdir(self.path):
            return
        with self._lock("clear", waiting_for="builds in progress"):
            for name in ("manifests", "objects", "tmp", "compilers", "gpus", "sources"):
                shutil.rmtree(os.path.join(self.path, name), ignore_errors=True)

    def _manifest(self, request: str) -> list[dict[str, Any]]:
        try:
            with open(os.path.join(self.path, "manifests", f"{request}.json"), encoding="utf-8") as file:
                return list(json.load(file))
        except (OSError, ValueError):
            return []

    def _write_manifest(self, request: str, entries: list[dict[str, Any]]) -> None:
        write_atomically(os.path.join(self.path, "manifests", f"{request}.json"), json.dumps(entries).encode())

    def _make_folder(self, name: str, prefix: str) -> str:
        base = os.path.join(self.path, name)
        try:
            os.makedirs(base, exist_ok=True)
            return tempfile.mkdtemp(dir=base, prefix=prefix)
        except OSError as error:
            raise KernelError(
                f"the cache cannot be written: {error}; set $KERNIX_CACHE_DIR to a folder that can"
            ) from error

    def _remove_leftovers(self) -> None:
        base = os.path.join(self.path, "tmp")
        with contextlib.suppress(OSError):
            for name in os.listdir(base):
                path = os.path.join(base, name)
                if time.time() - os.stat(path).st_mtime > _LEFTOVER_SECONDS:
                    shutil.rmtree(path, ignore_errors=True)

    @contextlib.contextmanager
    def _lock(self, name: str, *, shared: bool = False, waiting_for: str | None = None) -> Iterator[bool]:
        """Holds locks/<name>; gives whether somebody else had it. Lock files stay: removing one would split it in two."""
        path = os.path.join(self.path, "locks", name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise KernelError(
                f"the cache cannot be written: {error}; set $KERNIX_CACHE_DIR to a folder that can"
            ) from error
        mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        waited = False
        try:
            try:
                fcntl.flock(handle, mode | fcntl.LOCK_NB)
            except BlockingIOError:
                waited = True
                if waiting_for:
                    progress.say(f"waiting for another process: {waiting_for}")
                fcntl.flock(handle, mode)
            yield waited
        finally:
            os.close(handle)


def _size(build: str) -> int | None:
    """Bytes of a build's module; None if there is none."""
    try:
        return os.stat(os.path.join(build, "module.so")).st_size
    except OSError:
        return None


def _is_whole(build: str, size: int | None) -> bool:
    """Whether a build is there as it was made: a disk that was full, or a cleaner of old files, may have damaged it."""
    return _size(build) == size is not None and os.path.exists(os.path.join(build, "build.json"))


def _state(path: str) -> dict[str, Any]:
    """A file as a manifest records it."""
    info = os.stat(path)
    stamp = [info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino]
    racy = time.time_ns() - max(info.st_mtime_ns, info.st_ctime_ns) < _RACY_NANOSECONDS
    return {"path": path, "hash": content_hash(path), "stamp": None if racy else stamp}


def _unchanged(file: dict[str, Any]) -> bool:
    try:
        info = os.stat(file["path"])
        if file["stamp"] == [info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino]:
            return True
        return bool(content_hash(file["path"]) == file["hash"])
    except OSError:
        return False
