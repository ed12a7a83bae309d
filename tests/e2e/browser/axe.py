"""The accessibility checker axe-core, fetched from npm by name and hash, where npm can be had."""

import base64
import hashlib
import io
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path

from tests.contract.sdk.environments import ROOT, NodeUnavailable, find_node

NAME = "axe-core@4.14.0"
INTEGRITY = "sha512-9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ=="
FILE = ROOT / ".cache" / "axe" / "axe-4.14.0.min.js"
_FETCH_SECONDS_MAX = 60


@cache
def script() -> str | None:
    """The checker as a script; None where it cannot be had."""
    if not FILE.exists() and not _fetch():
        return None
    return FILE.read_text(encoding="utf-8")


def _fetch() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        try:
            words = [*find_node().npm, "pack", NAME, "--pack-destination", folder]
            subprocess.run(words, check=True, capture_output=True, timeout=_FETCH_SECONDS_MAX)
        except (NodeUnavailable, OSError, subprocess.SubprocessError):
            return False
        (packed,) = Path(folder).glob("*.tgz")
        content = packed.read_bytes()
    digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
    assert f"sha512-{digest}" == INTEGRITY, "npm gave another axe-core than the one named here"
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_bytes(member.read())
    return True
