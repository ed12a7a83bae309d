"""A process that is killed in the middle of merging leaves whole turns behind, and no gap."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from recollect.session_log import FileStorage, Session

PROGRAM = """
import asyncio, sys
from recollect.session_log import FileStorage, Session

async def main():
    session = Session("s", storages=[FileStorage(sys.argv[1])])
    number = 0
    while True:
        async with session.turn() as turn:
            turn.append_items([[number, part] for part in range(3)])
        print(number, flush=True)
        number += 1

asyncio.run(main())
"""


@pytest.mark.parametrize("milliseconds", [3, 17, 41])
async def test_what_was_acknowledged_is_there_and_every_turn_is_whole(
    tmp_path: Path, milliseconds: int
) -> None:
    with subprocess.Popen(  # noqa: ASYNC220 - it is killed by its handle
        [sys.executable, "-c", PROGRAM, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "0\n"
        time.sleep(milliseconds / 1000)  # noqa: ASYNC251
        process.kill()
        acknowledged = [0, *map(int, process.stdout.read().split())]
    session = Session("s", storages=[FileStorage(tmp_path)])
    await session.load()
    said = [one.item for one in session.log.read(from_id=0)]
    turns = len(said) // 3
    assert said == [[number, part] for number in range(turns) for part in range(3)]
    assert turns in (len(acknowledged), len(acknowledged) + 1)
    assert [one.id for one in session.log.read(from_id=0)] == list(range(1, 3 * turns + 1))
