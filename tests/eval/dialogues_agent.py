"""Conversations with changing truth, read by an agent: `python -m tests.eval.dialogues_agent`.

Starts a server whose reader is an agent, has the scorer of the dialogues tell it the conversations,
and waits until somebody has answered everything over `/api/v1/readings`; then the scorer asks. Who
answers is up to whoever runs it: an agent over MCP, `recollect read --with`, a person. With `--keep`
the data, the scorer's rows and every context that was told stay in a folder.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.contract.sdk.environments import PY3, python_of
from tests.eval.common import DATA, DataMissing
from tests.support.server import EXTRACTION_ON, Server

_AGENT = {**EXTRACTION_ON, "RECOLLECT_READER": "agent"}
SCORER = DATA.parent / "tools" / "dialogues.py"
# The scorer goes on once episodes are processed; here they also have to be read again.
WAITING = """
import json, pathlib, sys, time, urllib.request
sys.path.insert(0, {folder!r})
import dialogues

def left():
    asked = urllib.request.Request({url!r}, headers={{"Authorization": "Api-Key " + {key!r}}})
    readings = json.load(urllib.request.urlopen(asked))["readings"]
    return [one for one in readings if one["status"] == "waiting"]

class Client(dialogues.Zep):
    def __init__(self, **given):
        super().__init__(**given)
        listed = self.graph.episode.get_by_user_id
        def once_read(user_id, **how):
            while True:
                found = listed(user_id, **how)
                if found.episodes and all(one.processed for one in found.episodes):
                    time.sleep(1)
                    if not left():
                        return found
                time.sleep(2)
        self.graph.episode.get_by_user_id = once_read
        if {contexts!r}:
            self.thread.get_user_context = self._kept(self.thread.get_user_context)

    def _kept(self, told):
        def keeping(thread_id, **how):
            answer = told(thread_id, **how)
            pathlib.Path({contexts!r}, thread_id + ".txt").write_text(answer.context or "")
            return answer
        return keeping

dialogues.Zep = Client
dialogues.main()
"""


def measure(names: list[str], *, verbose: bool, port: int | None, keep: Path | None) -> int:
    """Tell, wait, ask, and print the scorer's table."""
    if not SCORER.is_file():
        raise DataMissing(f"{SCORER.name} is not there")
    with tempfile.TemporaryDirectory(prefix="recollect-dialogues-") as temporary:
        folder = keep or Path(temporary)
        chosen = folder / "chosen"
        chosen.mkdir(parents=True)
        for name in names:
            shutil.copy(DATA / "dialogues" / f"{name}.json", chosen)
        with Server(folder / "data", environment=_AGENT, port=port) as server:
            print(f"read what waits at {server.url}/api/v1/readings, key {server.api_key}")
            print(f"server {server.pid}, log {server.log}")
            sys.stdout.flush()
            return _score(server, chosen, verbose=verbose, keep=keep)


def _score(server: Server, chosen: Path, *, verbose: bool, keep: Path | None) -> int:
    contexts = "" if keep is None else str(keep / "contexts")
    if contexts:
        Path(contexts).mkdir()
    program = WAITING.format(
        folder=str(SCORER.parent),
        url=f"{server.url}/api/v1/readings",
        key=server.api_key,
        contexts=contexts,
    )
    given = ["--base-url", f"{server.url}/api/v2", "--api-key", server.api_key]
    given += ["--data", str(chosen), *(["--verbose"] if verbose else [])]
    given += ["--json", str(keep / "rows.json")] if keep else []
    command = [str(python_of(PY3)), "-c", program, *given]
    return subprocess.run(command, check=False).returncode


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", help="conversations, as a-02")
    parser.add_argument("--verbose", action="store_true", help="show what was missed")
    parser.add_argument("--port", type=int, help="of the server; a free one by default")
    parser.add_argument("--keep", type=Path, help="a new folder for all that is worth a look later")
    asked = parser.parse_args()
    try:
        raise SystemExit(
            measure(asked.names, verbose=asked.verbose, port=asked.port, keep=asked.keep)
        )
    except DataMissing as missing:
        raise SystemExit(f"left out: {missing}") from missing


if __name__ == "__main__":
    main()
