"""Runs the pending jobs of a store, in processes that die at a chosen step.

The models are loaded once. A child is forked for each run and can be told to die right before its n-th
step: a read, a statement, a commit, an extraction.
"""

import asyncio
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.server import program_environment

DIED = 9
NOW = datetime(2024, 9, 1, tzinfo=UTC)  # fixed, so that all runs learn at the same time


class Learner:
    """The parent process of the runs, controlled by lines of JSON."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.learner"],
            env=program_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()

    def run(self, folder: Path, die_at: int | None = None) -> tuple[int, int]:
        """Work until everything is done or the step is reached; returns the exit code and the steps taken."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(folder), die_at]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the learner is gone"
        code, steps = json.loads(line)
        return code, steps


class _Steps:
    def __init__(self, die_at: int | None, told: int) -> None:
        self.taken = 0
        self._die_at = die_at
        self._told = told

    def __call__(self) -> None:
        self.taken += 1
        if self.taken == self._die_at:
            os._exit(DIED)

    def tell(self) -> None:
        os.write(self._told, json.dumps(self.taken).encode())


def _child(folder: str, die_at: int | None, told: int) -> None:
    from recollect.store.sqlite import SqliteStore, connection
    from tests.support import here

    step = _Steps(die_at, told)

    class Counted(connection.SqliteStatements):
        def _execute(self, name: str, params: dict[str, Any]) -> Any:
            step()
            return super()._execute(name, params)

    connection.SqliteStatements = Counted  # type: ignore[misc]

    async def run() -> None:
        store = SqliteStore.open(Path(folder), readers=1, clock=lambda: NOW)
        using = here.extractor()
        read = using.embedded.read

        def watched(readings: Any) -> Any:
            step()
            found = read(readings)
            step()
            return found

        using.embedded.read = watched  # type: ignore[method-assign]
        from recollect.ingest import queue

        await store.write(queue.free, "here")
        await here.learn(store)
        await store.close()

    asyncio.run(run())
    step.tell()
    os._exit(0)


def main() -> None:
    """Serve requests until the input ends."""
    from tests.support import here

    here.extractor()
    for line in sys.stdin:
        folder, die_at = json.loads(line)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                _child(folder, die_at, writing)
            finally:
                os._exit(1)
        os.close(writing)
        told = os.read(reading, 64)
        os.close(reading)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        print(json.dumps([code, json.loads(told) if told else 0]), flush=True)


if __name__ == "__main__":
    main()
