"""An environment of its own for each peer, with the release that was measured, as it comes from the registry."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

_EVERYBODY = ("psutil", "onnxruntime", "tokenizers")  # what measuring and our embedder need


class Peer(NamedTuple):
    """A product: what it is called, what is installed, the oldest Python it runs on, and what it imports without saying so."""

    title: str
    package: str
    version: str
    python: tuple[int, int] = (3, 11)
    untold: tuple[str, ...] = ()


PEERS = {
    "memmachine": Peer("MemMachine", "memmachine-server", "0.4.0", (3, 12), ("spacy",)),
    "lancedb": Peer("LanceDB", "lancedb", "0.40.0"),
    "chroma": Peer("Chroma", "chromadb", "1.5.9"),
    "txtai": Peer("txtai", "txtai", "9.14.0"),
    "mem0": Peer("Mem0", "mem0ai", "2.2.1"),
}


class CannotRun(Exception):
    """There is no Python for it, or the registry does not have it."""


def python_of(name: str, home: Path) -> Path:
    """The interpreter of a peer's environment, which is made when it is not there."""
    peer = PEERS[name]
    packages = (f"{peer.package}=={peer.version}", *peer.untold, *_EVERYBODY)
    key = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    folder = home / f"{name}-{key}"
    program = folder / "bin" / "python"
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run([_interpreter(peer.python), "-m", "venv", "--without-pip", str(folder)])
        pip = [sys.executable, "-m", "pip", "--python", str(program), "install", "--quiet"]
        _run([*pip, "--disable-pip-version-check", *packages])
        (folder / "ready").touch()
    return program


def _interpreter(oldest: tuple[int, int]) -> str:
    """This Python, or one on PATH that is new enough."""
    if sys.version_info[:2] >= oldest:
        return sys.executable
    for minor in range(oldest[1], oldest[1] + 3):
        found = shutil.which(f"python{oldest[0]}.{minor}")
        if (
            found
            and subprocess.run([found, "-V"], capture_output=True, check=False).returncode == 0
        ):
            return found
    raise CannotRun(f"needs Python {oldest[0]}.{oldest[1]} on PATH")


def _run(words: list[str]) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotRun((done.stderr or done.stdout).strip().splitlines()[-1])
