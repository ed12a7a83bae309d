"""Small disks of our own: full when we say so, read-only when we say so."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

FILLER = "filler"


@contextmanager
def small_disk(place: Path, size: str) -> Iterator[Path]:
    """A file system in memory at *place*; skips the test where mounting is not allowed."""
    place.mkdir(parents=True, exist_ok=True)
    words = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("mount is not installed")
    if done.returncode:
        pytest.skip(f"a small disk needs the right to mount: {done.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> None:
    """Use up every byte."""
    with (place / FILLER).open("ab", buffering=0) as file, suppress(OSError):
        size = 1 << 20
        while size:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2
    assert os.statvfs(place).f_bavail == 0


def make_room(place: Path) -> None:
    """Give it back."""
    (place / FILLER).unlink()


def remount(place: Path, how: str) -> None:
    """`ro` or `rw`."""
    subprocess.run(["mount", "-o", f"remount,{how}", str(place)], check=True)
