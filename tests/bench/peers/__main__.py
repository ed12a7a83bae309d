"""`make peers`: the same facts, vectors and questions for this program and for others, in one run."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from recollect.models import weights
from recollect.models.manifest import EMBEDDER
from recollect.settings import Settings
from tests.bench.__main__ import machine
from tests.bench.peers import given, report
from tests.bench.peers.environments import PEERS, CannotRun, python_of
from tests.bench.recall import recall

ROOT = Path(__file__).parents[3]
SIZES = (10_000, 100_000)
SECONDS_MAX = 900  # for filling, and for asking
TELEMETRY_OFF = {
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "ORT_DISABLE_TELEMETRY": "1",
}


class Failed(Exception):
    """A peer's process ended without an answer; its last words."""


def _started(python: Path, module: str, job: dict[str, Any]) -> dict[str, Any]:
    """What a process of the peer's own says that its job took."""
    environment = {**os.environ, **TELEMETRY_OFF, "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}
    words = [str(python), "-m", f"tests.bench.peers.{module}", json.dumps(job)]
    try:
        done = subprocess.run(
            words, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX, check=False
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise Failed(f"{job['what']}: not done in {SECONDS_MAX} s") from None
    if done.returncode != 0:
        said = (done.stderr.strip() or f"ended with {done.returncode}").splitlines()[-1]
        raise Failed(f"{job['what']}: {said}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _of_peer(name: str, home: Path, job: dict[str, Any]) -> report.Row:
    """Fill and ask one peer."""
    title = f"{PEERS[name].title} {PEERS[name].version}"
    try:
        python = python_of(name, home)
        added = _started(python, f"with_{name}", {**job, "what": "fill"})
        return report.Row(title, added, _started(python, f"with_{name}", {**job, "what": "ask"}))
    except (CannotRun, Failed) as error:
        return report.Row(title, why_not=str(error))


def _of_ours(job: dict[str, Any]) -> list[report.Row]:
    """The server and the library, on the same folder one after the other."""
    python = Path(sys.executable)
    added = _started(python, "with_recollect", {**job, "what": "fill"})
    rows = []
    for way, title in (("server", "Recollect, server"), ("library", "Recollect, library")):
        asked = _started(python, "with_recollect", {**job, "what": "ask", "way": way})
        asked["recall"] = None  # it ranks by more than vectors
        rows.append(report.Row(title, added if way == "server" else {}, asked))
    return rows


def measure(size: int, names: list[str], home: Path) -> None:
    """One size: ours, then the peers one after the other."""
    with tempfile.TemporaryDirectory(prefix="recollect-peers-") as place:
        made = given.make(Path(place) / "given", size, home)
        before = os.getloadavg()[0]
        rows = []
        for name in ["ours", *names]:
            folder = Path(place) / name
            folder.mkdir()
            job = {
                "folder": str(folder),
                "given": str(made.folder),
                "facts": made.facts,
                "model": str(weights.verified(EMBEDDER, Settings().models)),
            }
            found = _of_ours(job) if name == "ours" else [_of_peer(name, home, job)]
            print(f"{size} {name}: {found}", file=sys.stderr, flush=True)
            rows += found
        held, asked = (np.load(made.folder / f"{what}.npy") for what in ("vectors", "asked"))
        report.show(made, rows, recall(held, asked)[1])
        print(
            f"\nLoad average {before:.1f} before and {os.getloadavg()[0]:.1f} after.\n", flush=True
        )


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="facts, between commas")
    parser.add_argument("--only", help=f"some of {', '.join(PEERS)}, between commas")
    parser.add_argument("--home", type=Path, default=ROOT / ".cache" / "peers")
    options = parser.parse_args()
    print(f"# {machine()}\n", flush=True)
    for size in options.sizes.split(","):
        measure(int(size), options.only.split(",") if options.only else list(PEERS), options.home)


if __name__ == "__main__":
    main()
