"""`/ready` is true: it says 503, with the reason and no path, when requests could not be served."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
import psutil
import pytest

from recollect.settings import Settings
from tests.faults import disks
from tests.support.server import (
    EXTRACTION_ON,
    Server,
    ServerDidNotStart,
    program_environment,
    run_program,
)

NOTICED_S_MAX = 15.0


def _on(disk: Path) -> Server:
    """Whose log is not on that disk."""
    return Server(disk / "data", log=disk.parent / "server.log")


def ready(server: Server) -> tuple[int, str]:
    """Status and what is said."""
    answer = httpx.get(f"{server.url}/ready", trust_env=False, timeout=20)
    return answer.status_code, answer.json().get("message", "")


def until(server: Server, wanted: int) -> tuple[float, str]:
    """Wait for a status; says how long it took, and what was told."""
    began = time.monotonic()
    status, message = ready(server)
    while status != wanted:
        assert time.monotonic() - began < NOTICED_S_MAX, f"still {status}: {message}"
        time.sleep(0.2)
        status, message = ready(server)
    assert str(server.data) not in message
    return time.monotonic() - began, message


def tell(server: Server, user: str) -> int:
    """The status of an attempt to write."""
    with server.http() as client:
        return client.post("/users", json={"user_id": user}).status_code


def test_a_full_disk(tmp_path: Path) -> None:
    """503 while it is full, reads go on, and all is well again by itself."""
    with disks.small_disk(tmp_path / "disk", "64m") as disk, _on(disk) as server:
        assert tell(server, "before") == 200
        disks.fill(disk)
        took, message = until(server, 503)
        assert "disk is full" in message
        with server.http() as client:
            assert client.get("/users/before").status_code == 200
        disks.make_room(disk)
        back, _ = until(server, 200)
        assert tell(server, "after") == 200
        print(f"noticed after {took:.1f} s, ready again {back:.1f} s after there was room")


def test_a_start_on_a_full_disk_reads(tmp_path: Path) -> None:
    """After a clean stop and after a kill; what was told is there, and a write is 503."""
    with disks.small_disk(tmp_path / "disk", "64m") as disk, _on(disk) as server:
        assert tell(server, "before") == 200
        for end in (server.stop, server.kill):
            end()
            disks.fill(disk)
            server.start(until="/health")
            with server.http() as client:
                assert client.get("/users/before").status_code == 200
            assert ready(server)[0] == 503
            disks.make_room(disk)
            until(server, 200)


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="prlimit is not installed")
def test_files_that_cannot_be_written(tmp_path: Path) -> None:
    """Every write fails, those of the log as well: 503 within the time between two attempts."""
    with Server(tmp_path / "data") as server:
        assert tell(server, "before") == 200
        _limit_files(server, "0:unlimited")
        took, message = until(server, 503)
        assert tell(server, "during") == 503
        with server.http() as client:
            assert client.get("/users/before").status_code == 200
        _limit_files(server, "unlimited:unlimited")
        back, _ = until(server, 200)
        assert tell(server, "after") == 200
        print(f"noticed after {took:.1f} s: {message}; ready again after {back:.1f} s")


def _limit_files(server: Server, size: str) -> None:
    subprocess.run(["prlimit", "--pid", str(server.pid), f"--fsize={size}"], check=True)


def test_a_read_only_file_system_is_refused_at_start(tmp_path: Path) -> None:
    """With the reason."""
    with disks.small_disk(tmp_path / "disk", "64m") as disk:
        server = _on(disk)
        with server:
            assert tell(server, "before") == 200
        disks.remount(disk, "ro")
        with pytest.raises(ServerDidNotStart, match=r"[Rr]ead-only"):
            server.start()
        disks.remount(disk, "rw")
        with server:
            assert ready(server)[0] == 200


def _damage(path: Path) -> None:
    """Overwrite the middle of the file, as a bad disk would."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 3)
        file.write(os.urandom(size // 3))


def test_a_damaged_file_is_refused_at_start(tmp_path: Path) -> None:
    """In seconds, with what to do."""
    server = Server(tmp_path / "data")
    with server:
        for number in range(50):
            tell(server, f"user-{number}")
    _damage(server.data / "recollect.db")
    began = time.monotonic()
    with pytest.raises(ServerDidNotStart) as told:
        server.start()
    print(f"refused after {time.monotonic() - began:.1f} s")
    assert "the program ended" in str(told.value)
    assert "recollect doctor --repair" in str(told.value)
    assert "Traceback" not in str(told.value)


@pytest.mark.parametrize("how", ["damaged", "removed"])
def test_a_file_that_breaks_under_a_running_server(tmp_path: Path, how: str) -> None:
    """Its beginning overwritten, or the whole file gone."""
    with Server(tmp_path / "data") as server:
        path = server.data / "recollect.db"
        if how == "removed":
            path.rename(path.with_name("elsewhere"))
        else:
            with path.open("r+b") as file:
                file.write(b"\0" * 4096)
        took, message = until(server, 503)
        print(f"{how}: noticed after {took:.1f} s: {message}")


def test_a_missing_model(tmp_path: Path) -> None:
    """503 that names it, and ready once it is there."""
    models = tmp_path / "models"
    shutil.copytree(Settings().models, models, symlinks=True)
    environment = {**EXTRACTION_ON, "RECOLLECT_MODELS": str(models)}
    with Server(tmp_path / "data", environment=environment) as server:
        (gone,) = models.glob("*/*/config.cfg")
        gone.rename(tmp_path / "kept")
        _, message = until(server, 503)
        assert "en_core_web_sm is damaged" in message
        assert str(models) not in message
        (tmp_path / "kept").rename(gone)
        until(server, 200)


def test_a_stopped_reader(tmp_path: Path) -> None:
    """SIGSTOP to the process that reads: 503 until it goes on or is replaced."""
    with Server(tmp_path / "data", environment=EXTRACTION_ON) as server:
        with server.http() as client:
            client.post("/users", json={"user_id": "ann"}).raise_for_status()
            sent = {"type": "text", "data": "Ann lives in Lisbon.", "user_id": "ann"}
            client.post("/graph", json=sent).raise_for_status()
            _eventually(lambda: _processed(client))
        readers = [
            child
            for child in psutil.Process(server.pid).children()
            if "multiprocessing.spawn" in " ".join(child.cmdline())
        ]
        assert readers
        for reader in readers:
            reader.send_signal(signal.SIGSTOP)
        took, message = until(server, 503)
        assert "stopped" in message
        for reader in readers:
            reader.send_signal(signal.SIGCONT)
        until(server, 200)
        print(f"noticed after {took:.1f} s")


def _processed(client: httpx.Client) -> bool:
    found = client.get("/graph/episodes/user/ann?lastn=1").json()["episodes"]
    return bool(found and found[0]["processed"])


def _eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_removing_the_lock_file_lets_no_second_server_in(tmp_path: Path) -> None:
    """The folder is locked, not only a file in it."""
    with Server(tmp_path / "data") as server:
        (server.data / "serve.lock").unlink()
        with pytest.raises(ServerDidNotStart, match="another server"):
            Server(server.data, log=tmp_path / "second.log").start()
        assert ready(server)[0] == 200


def test_repair_saves_what_can_be_read(tmp_path: Path) -> None:
    """Of a file with garbage in its second half: most of it, in a folder that a server starts on."""
    server = Server(tmp_path / "data")
    with server, server.http() as client:
        for number in range(400):
            sent = {"user_id": f"user-{number}", "first_name": "Ann", "metadata": {"n": "x" * 400}}
            client.post("/users", json=sent).raise_for_status()
    path = server.data / "recollect.db"
    size = path.stat().st_size
    with path.open("r+b") as file:
        for place in range(size * 5 // 8, size * 15 // 16, size // 16):
            file.seek(place // 4096 * 4096)
            file.write(os.urandom(4096))
    before = path.read_bytes()
    new = tmp_path / "new"
    done = _doctor("--repair", str(new), "--data", str(server.data))
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    assert path.read_bytes() == before
    with closing(sqlite3.connect(new / "recollect.db")) as saved:
        assert saved.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert saved.execute("PRAGMA foreign_key_check").fetchall() == []
        users = saved.execute("SELECT count(*) FROM users").fetchone()[0]
    print(f"{users} of 400 users saved")
    assert users > 100
    with Server(new, log=tmp_path / "new.log") as again:
        assert ready(again)[0] == 200
        assert tell(again, "after the repair") == 200


def test_repair_says_what_it_cannot_save(tmp_path: Path) -> None:
    """Where the tables lie is on the first page: without it only a backup helps, and that is said."""
    server = Server(tmp_path / "data")
    with server:
        pass
    path = server.data / "recollect.db"
    with path.open("r+b") as file:
        file.seek(100)
        file.write(os.urandom(4096 - 100))
    done = _doctor("--repair", str(tmp_path / "new"), "--data", str(server.data))
    assert done.returncode == 1
    assert "restore the last backup" in done.stdout + done.stderr
    looked = _doctor("--data", str(server.data))
    assert looked.returncode == 1
    assert "restore a backup" in looked.stdout


def test_repair_refuses_a_folder_that_is_in_use(tmp_path: Path) -> None:
    """It writes only where nothing is yet."""
    with Server(tmp_path / "data") as server:
        done = _doctor("--repair", str(server.data), "--data", str(server.data))
        assert done.returncode == 1
        assert "not empty" in done.stdout + done.stderr


def _doctor(*words: str) -> subprocess.CompletedProcess[str]:
    return run_program("doctor", *words, environment=program_environment(), timeout=120)


def test_looking_at_the_file_drops_no_lock(tmp_path: Path) -> None:
    """What another process writes beside the server is seen, however often `/ready` looked: a file
    that is closed takes the locks of its process along, and the next to come would take the log of
    the store for one that nobody uses."""
    folder = tmp_path / "data"
    with Server(folder) as server:
        for _ in range(3):
            assert httpx.get(f"{server.url}/ready", trust_env=False).status_code == 200
        words = [
            sys.executable,
            "-m",
            "recollect",
            "key",
            "create",
            "--data",
            str(folder),
            "--json",
        ]
        made = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
        headers = {"Authorization": f"Api-Key {json.loads(made.stdout)['key']}"}
        users = f"{server.url}/api/v2/users-ordered"
        assert httpx.get(users, headers=headers, trust_env=False).status_code == 200
