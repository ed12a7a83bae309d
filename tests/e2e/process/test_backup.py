"""`recollect backup` and `recollect restore` as an operator uses them."""

import json
import shutil
import sqlite3
import stat
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.server import EXTRACTION_ON, Server, program_environment, run_program

SECONDS_MAX = 120
MESSAGES_BEFORE = 8


def run(*words: str) -> tuple[int, str]:
    """Run the program; its exit code and all it said."""
    done = run_program(
        *words, environment=program_environment(**EXTRACTION_ON), timeout=SECONDS_MAX
    )
    return done.returncode, done.stdout + done.stderr


def told(*words: str) -> dict[str, Any]:
    """What the program says to programs, when all went well."""
    code, said = run(*words, "--json")
    assert code == 0, said
    (answer,) = json.loads(said)
    return dict(answer)


class Talker(threading.Thread):
    """Somebody who never stops adding messages; *acknowledged* are those that the server took."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self._server = server
        self._stopped = threading.Event()
        self.acknowledged: list[str] = []
        self.enough = threading.Event()

    def run(self) -> None:
        """One message after the other."""
        with self._server.http() as http:
            http.post("/users", json={"user_id": "jane", "first_name": "Jane"}).raise_for_status()
            http.post("/threads", json={"thread_id": "t", "user_id": "jane"}).raise_for_status()
            while not self._stopped.is_set():
                words = f"Number {len(self.acknowledged)}: I moved to Oslo and work at Initech."
                one = {"role": "user", "name": "Jane", "content": words}
                sent = http.post("/threads/t/messages", json={"messages": [one]})
                sent.raise_for_status()
                self.acknowledged.append(words)
                if len(self.acknowledged) >= MESSAGES_BEFORE:
                    self.enough.set()

    def stop(self) -> None:
        """After the message that is on its way."""
        self._stopped.set()
        self.join()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, list[str]]:
    """A backup that was made under load, the folder of its store, and what was acknowledged before."""
    base = tmp_path_factory.mktemp("backup")
    with Server(base / "data", environment=EXTRACTION_ON) as server:
        talker = Talker(server)
        talker.start()
        assert talker.enough.wait(SECONDS_MAX)
        before = list(talker.acknowledged)
        answer = told("backup", "--to", str(base / "kept"), "--data", str(base / "data"))
        talker.stop()
    return Path(answer["file"]), base / "data", before


def contents(file: Path) -> list[str]:
    """The words of the messages in a store's file."""
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        return [row[0] for row in connection.execute("SELECT content FROM episodes ORDER BY seq")]


def test_a_backup_under_load_has_all_that_was_acknowledged_before_it(
    made: tuple[Path, Path, list[str]],
) -> None:
    """In its order, without a gap; one file for its owner's eyes only, and nothing beside it."""
    file, _, before = made
    found = contents(file)
    assert found[: len(before)] == before
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(file.parent.iterdir()) == [file]


def test_it_is_restored_and_served(made: tuple[Path, Path, list[str]], tmp_path: Path) -> None:
    """Each graph comes out the same when folded again, and the server goes on where it was."""
    file, _, before = made
    folder = tmp_path / "restored"
    answer = told("restore", str(file), "--fold", "--data", str(folder))
    assert answer["episodes"] >= len(before)
    assert answer["folded"] is True
    assert answer["audit_entries"] > 0
    assert contents(folder / "recollect.db") == contents(file)
    with Server(folder) as server, server.http() as http:
        listed = http.get("/threads/t/messages", params={"limit": len(before)}).json()["messages"]
        assert [one["content"] for one in listed] == before


def test_a_store_is_not_overwritten(made: tuple[Path, Path, list[str]]) -> None:
    """Restoring over something is no way to lose it."""
    file, data, _ = made
    before = contents(data / "recollect.db")
    code, said = run("restore", str(file), "--data", str(data))
    assert code == 1
    assert "move recollect.db away first" in said
    assert contents(data / "recollect.db") == before


def test_a_damaged_backup_is_refused_and_leaves_nothing(
    made: tuple[Path, Path, list[str]], tmp_path: Path
) -> None:
    """A page of zeros in the middle."""
    hurt = tmp_path / "hurt.db"
    content = bytearray(made[0].read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 8192] = bytes(8192)
    hurt.write_bytes(content)
    code, said = run("restore", str(hurt), "--data", str(tmp_path / "new"))
    assert code == 1
    assert "damaged" in said
    assert not (tmp_path / "new" / "recollect.db").exists()


def test_a_changed_audit_log_is_refused_and_leaves_nothing(
    made: tuple[Path, Path, list[str]], tmp_path: Path
) -> None:
    """Sound as a database, but not what was written."""
    changed = tmp_path / "changed.db"
    changed.write_bytes(made[0].read_bytes())
    with closing(sqlite3.connect(changed)) as connection, connection:
        triggers = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit_entries'"
        ).fetchall()
        for (name,) in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE audit_entries SET action = 'nothing.happened' WHERE number = 1")
    code, said = run("restore", str(changed), "--data", str(tmp_path / "new"))
    assert code == 1
    assert "audit log is broken at entry 1" in said
    assert not (tmp_path / "new" / "recollect.db").exists()


def test_other_files_are_refused_by_name(tmp_path: Path) -> None:
    """What is no backup at all."""
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE notes (text)")
    code, said = run("restore", str(other), "--check", "--data", str(tmp_path / "new"))
    assert (code, "another program" in said) == (1, True)
    code, said = run("restore", str(tmp_path / "none.db"), "--data", str(tmp_path / "new"))
    assert (code, "no such file" in said) == (1, True)


def test_old_backups_go_when_so_many_are_kept(
    made: tuple[Path, Path, list[str]], tmp_path: Path
) -> None:
    """Only those of the same store."""
    kept = tmp_path / "kept"
    kept.mkdir()
    for day in ("01", "02", "03"):
        shutil.copy(made[0], kept / f"recollect-202401{day}T000000Z.db")
    (kept / "notes.txt").touch()
    run("project", "create", "other", "--data", str(tmp_path / "other"))
    other = Path(told("backup", "--to", str(kept), "--data", str(tmp_path / "other"))["file"])
    other.rename(kept / "recollect-20231231T000000Z.db")
    answer = told("backup", "--to", str(kept), "--keep", "2", "--data", str(made[1]))
    assert sorted(path.name for path in kept.iterdir()) == [
        "notes.txt",
        "recollect-20231231T000000Z.db",
        "recollect-20240103T000000Z.db",
        Path(answer["file"]).name,
    ]
