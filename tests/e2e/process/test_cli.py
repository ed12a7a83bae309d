"""The command line as an operator uses it: every command, and every mistake it has to explain."""

import json
import os
import pty
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.forkserver import ForkServer
from tests.support.server import HOST, Server, free_port, program, program_environment

WAIT_SECONDS_MAX = 20.0
READY_SECONDS_MAX = 15.0  # a bound against hanging; how fast it is says `make bench`


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """Runs commands in processes of their own, without the cost of importing each time."""
    folder = tmp_path_factory.mktemp("cli")
    with ForkServer(folder / "commands.log", COLUMNS="300", TERM="dumb", NO_COLOR="1") as running:
        yield running


@pytest.fixture
def run(forks: ForkServer, tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Run `recollect` with words on this test's own data folder, models folder and port."""
    place = {
        "RECOLLECT_DATA": str(tmp_path / "data"),
        "RECOLLECT_MODELS": str(tmp_path / "models"),
        "RECOLLECT_PORT": str(free_port()),
    }

    def command(*words: str, **environment: str) -> tuple[int, str]:
        return forks.run(*words, **{**place, **environment})

    return command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of this test."""
    return tmp_path / "data"


def eventually(read: Callable[[], Any], until: Callable[[Any], bool]) -> Any:
    """Read again and again until it holds."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not until(found := read()):
        assert time.monotonic() < deadline, f"still not so: {found!r}"
        time.sleep(0.03)
    return found


def findings(said: str) -> dict[str, dict[str, str]]:
    """What the doctor found, by what it looked at."""
    return {finding["what"]: finding for finding in json.loads(said)}


def wrong(finding: dict[str, str], *words: str) -> None:
    """A finding that is wrong, says these words, and how to mend it."""
    assert finding["state"] == "wrong", finding
    for word in words:
        assert word in finding["says"], finding
    assert finding["mend"], finding


def ok(server: Server, key: str) -> int:
    """The status a key gets."""
    with server.http(key) as http:
        return http.get("/projects/info").status_code


# ---------------------------------------------------------------- help

COMMANDS = [
    (), ("serve",), ("worker",), ("migrate",), ("rebuild",), ("doctor",), ("key",), ("key", "create"), ("key", "list"),
    ("key", "revoke"), ("project",), ("project", "create"), ("project", "list"), ("models",), ("models", "install"),
]  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_explains_itself(run: Any, words: tuple[str, ...]) -> None:
    """`--help` says what a command does and names its options."""
    code, said = run(*words, "--help")
    assert code == 0
    assert "Usage:" in said
    assert len(said.split()) > 10


def test_no_words_show_the_help(run: Any) -> None:
    """Someone who knows nothing yet is shown what there is."""
    _, said = run()
    for command in ("serve", "worker", "migrate", "doctor", "key", "project", "models"):
        assert command in said


@pytest.mark.parametrize("words", [("nonsense",), ("serve", "--nonsense"), ("key", "revoke")])
def test_an_unknown_word_is_refused(run: Any, words: tuple[str, ...]) -> None:
    """Exit code 2 and usage, no traceback."""
    code, said = run(*words)
    assert code == 2
    assert "Traceback" not in said


# ---------------------------------------------------------------- serve


def test_the_first_start_makes_a_key_and_tells_it_once(data: Path) -> None:
    """Where nobody watches it goes to a file for its owner only, never into what was printed; when that
    file is deleted, its plaintext is nowhere in the folder."""
    server = Server(data)
    first = _start_without_key(server)
    assert not re.findall(r"\brk_[\w-]{30,}", first)
    (named,) = re.findall(r"API key +in (.+)", first)
    file = Path(named)
    assert file.parent == data.resolve()
    assert file.stat().st_mode & 0o777 == 0o600
    key = file.read_text().strip()
    file.unlink()
    assert ok(server, key) == 200
    with server.http(key) as http:
        http.post("/users", json={"user_id": "jane"})
    assert server.stop() == 0
    for file in data.rglob("*"):
        if file.is_file():
            assert key.encode() not in file.read_bytes(), file
    assert data.stat().st_mode & 0o077 == 0, "others can look into the folder"
    second = _start_without_key(server)
    assert key not in second
    assert "rk_" in second, "it says which key it is"
    assert ok(server, key) == 200
    with server.http(key) as http:
        assert http.get("/users/jane").status_code == 200
    assert server.stop() == 0


def test_a_terminal_is_shown_the_key(data: Path) -> None:
    """Somebody watches, so no file is left."""
    seen, terminal = pty.openpty()
    words = program("serve", "--port", str(free_port()), "--data", str(data))
    running = subprocess.Popen(
        words, env=program_environment(), stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal
    )
    os.close(terminal)
    shown = b""
    try:
        while b"only its hash" not in shown:
            shown += os.read(seen, 4096)
    finally:
        running.terminate()
        running.wait(timeout=30)
        os.close(seen)
    assert re.search(rb"API key +rk_[\w-]{30,}", shown), shown
    assert not (data / "first-key").exists()


def _start_without_key(server: Server) -> str:
    """Start without RECOLLECT_API_KEY; answer what this start printed."""
    before = server.log.stat().st_size if server.log.exists() else 0
    with server.log.open("ab") as log:
        server._process = subprocess.Popen(
            program(*server._words()),
            env=program_environment(),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        server._wait_until("/ready")
    except BaseException:
        server.kill()
        raise
    return server.log.read_bytes()[before:].decode()


def test_the_key_of_the_environment_is_honoured_and_replaced(data: Path) -> None:
    """The variable's key works; when it changes, the old one stops working."""
    old, new = "the-first-key-of-the-day", "the-second-key-of-the-day"
    with Server(data, api_key=old) as server:
        assert ok(server, old) == 200
        assert ok(server, new) == 401
        assert old not in server.log.read_text()
    with Server(data, api_key=new) as server:
        assert ok(server, new) == 200
        assert ok(server, old) == 401
    with Server(data, api_key=old) as server:
        assert ok(server, old) == 200
    for file in data.rglob("*"):
        assert not file.is_file() or old.encode() not in file.read_bytes()


def test_a_start_is_ready_soon_and_a_second_one_finds_everything(data: Path) -> None:
    """From the command to an answer in seconds, with what was there before."""
    server = Server(data)
    began = time.monotonic()
    with server:
        assert time.monotonic() - began < READY_SECONDS_MAX
        with server.http() as http:
            assert http.post("/users", json={"user_id": "jane"}).status_code == 200
    with server, server.http() as http:
        assert http.get("/users/jane").status_code == 200


def test_a_taken_port_is_said_and_nothing_is_made(run: Any, data: Path) -> None:
    """Which port, what to do, exit code 1, and the folder is not touched."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code, said = run("serve", "--port", port)
    assert code == 1
    assert port in said
    assert "--port" in said
    assert "Traceback" not in said
    assert not data.exists()


@pytest.mark.parametrize("command", ["serve", "worker", "migrate"])
def test_a_file_in_place_of_the_folder_is_said(run: Any, data: Path, command: str) -> None:
    """A folder that cannot be written is named."""
    data.write_text("not a folder")
    code, said = run(command)
    assert code == 1
    assert str(data) in said
    assert "Traceback" not in said
    assert data.read_text() == "not a folder"


def test_a_folder_in_use_is_said_with_the_process_that_uses_it(run: Any, data: Path) -> None:
    """A second server on the same folder is refused; the first one does not notice."""
    with Server(data) as server:
        code, said = run("serve")
        assert code == 1
        assert str(server.pid) in said
        assert "--data" in said
        assert "Traceback" not in said
        assert ok(server, server.api_key) == 200


def test_a_store_of_a_newer_release_is_refused_and_left_alone(run: Any, data: Path) -> None:
    """What we do not understand we do not touch."""
    assert run("migrate")[0] == 0
    with closing(sqlite3.connect(data / "recollect.db")) as connection:
        connection.execute("PRAGMA user_version = 9999")
    for words in (("serve",), ("migrate",), ("worker",), ("key", "list")):
        code, said = run(*words)
        assert code == 1, (words, said)
        assert "9999" in said, words
        assert "newer" in said, words
        assert "Traceback" not in said, words


def test_a_store_that_is_no_database_is_said(run: Any, data: Path) -> None:
    """Garbage where the store should be is named and kept as evidence."""
    data.mkdir()
    (data / "recollect.db").write_bytes(b"garbage " * 1000)
    for words in (("serve",), ("migrate",), ("key", "list")):
        code, said = run(*words)
        assert code == 1, words
        assert str(data) in said, words
        assert "Traceback" not in said, words
    code, said = run("doctor", "--json")
    assert code == 1
    wrong(findings(said)["store"], "recollect.db")
    assert (data / "recollect.db").read_bytes() == b"garbage " * 1000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("RECOLLECT_PORT", "abc"),
        ("RECOLLECT_PORT", "70000"),
        ("RECOLLECT_WORKERS", "-1"),
        ("RECOLLECT_API_KEY", "xyzzy with spaces in it"),
        ("RECOLLECT_API_KEY", "xyzzy-ключ-ключ-ключ"),
        ("RECOLLECT_LOG_LEVEL", "loud"),
        ("RECOLLECT_STOP_GRACE_S", "nan-sense"),
    ],
)
@pytest.mark.parametrize("command", ["serve", "worker", "doctor"])
def test_a_setting_that_makes_no_sense_is_named(
    run: Any, command: str, name: str, value: str
) -> None:
    """Which variable, and no traceback; a key is not repeated."""
    code, said = run(command, **{name: value})
    assert code == 1
    assert "Traceback" not in said
    assert name in said
    assert "xyzzy" not in said


@pytest.mark.parametrize("words", [("--port", "70000"), ("--port", "-1"), ("--workers", "1000")])
def test_an_option_out_of_range_is_refused(run: Any, words: tuple[str, ...]) -> None:
    """Named, without a traceback."""
    code, said = run("serve", *words)
    assert code in {1, 2}
    assert words[0].strip("-") in said.lower()
    assert "Traceback" not in said


# ---------------------------------------------------------------- doctor


def test_the_doctor_finds_nothing_wrong_with_an_empty_place(run: Any, data: Path) -> None:
    """A place where nothing is yet is a good place; looking leaves no trace."""
    code, said = run("doctor", "--json")
    assert code == 0, said
    assert {finding["state"] for finding in findings(said).values()} <= {"ok", "warning"}
    assert not data.exists()


def test_the_doctor_explains_a_missing_model(run: Any) -> None:
    """Which one, and the command that fetches it."""
    _, said = run("doctor", "--json")
    missing = [f for what, f in findings(said).items() if what.startswith("model ")]
    assert missing
    for finding in missing:
        assert finding["state"] != "ok"
        assert "models install" in finding["mend"]


def test_the_doctor_explains_a_taken_port(run: Any) -> None:
    """Which port, and what to do about it."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code, said = run("doctor", "--json", RECOLLECT_PORT=port)
    assert code == 1
    wrong(findings(said)["port"], port)


def test_the_doctor_explains_a_folder_that_is_none(run: Any, data: Path) -> None:
    """A file where the folder should be."""
    data.write_text("x")
    code, said = run("doctor", "--json")
    assert code == 1
    wrong(findings(said)["data folder"], str(data))


def test_the_doctor_says_who_holds_the_folder(run: Any, data: Path) -> None:
    """A running server is no fault, but it is said, with its process."""
    with Server(data) as server:
        code, said = run("doctor", "--json", RECOLLECT_PORT=str(server.port))
        assert code == 0, said
        finding = findings(said)["server"]
        assert str(server.pid) in finding["says"]
        assert "--data" in finding["mend"]


def test_the_doctor_explains_a_parked_job(run: Any, data: Path) -> None:
    """Which job, why it failed, and how to bring it back; whatever its error looks like."""
    with Server(data, options=("--workers", "0")) as server, server.http() as http:
        http.post("/graph/create", json={"graph_id": "g"})
        http.post("/graph", json={"graph_id": "g", "type": "text", "data": "hello"})
    with closing(sqlite3.connect(data / "recollect.db")) as connection, connection:
        connection.execute(
            "UPDATE jobs SET status = 'parked', attempts = 5, completed_at = created_at,"
            " error = 'ValueError: [/broken] [red]'"
        )
        (episode,) = connection.execute("SELECT uuid FROM episodes").fetchone()
    code, said = run("doctor", "--json")
    assert code == 1
    wrong(findings(said)["parked jobs"], f"episode {episode}", "ValueError: [/broken] [red]")
    code, said = run("doctor")
    assert code == 1
    assert "[/broken] [red]" in said
    assert "Traceback" not in said
    assert "recollect retry" in said


def test_the_doctor_explains_a_newer_schema(run: Any, data: Path) -> None:
    """Both numbers, and that the other release is needed."""
    run("migrate")
    with closing(sqlite3.connect(data / "recollect.db")) as connection:
        connection.execute("PRAGMA user_version = 9999")
    code, said = run("doctor", "--json")
    assert code == 1
    wrong(findings(said)["schema"], "9999", "newer")


def test_the_doctor_warns_of_a_key_that_can_be_guessed(run: Any) -> None:
    """A short key works, but it is said that it is short."""
    code, said = run("doctor", "--json", RECOLLECT_API_KEY="xyzzy")
    assert code == 0
    finding = findings(said)["API key"]
    assert finding["state"] == "warning"
    assert finding["mend"]
    assert "xyzzy" not in said


def test_the_doctor_speaks_to_people_too(run: Any) -> None:
    """Without --json there is a line per finding and an arrow to what helps."""
    code, said = run("doctor")
    assert code == 0
    assert "data folder" in said
    assert "→" in said


# ---------------------------------------------------------------- keys and projects


def test_keys_and_projects_are_made_listed_and_revoked(run: Any, data: Path) -> None:
    """On a running server: a new key works at once, a revoked one is out within a second."""
    with Server(data) as server:
        code, said = run("project", "create", "acme", "--json")
        assert code == 0, said
        assert json.loads(said)["name"] == "acme"
        code, said = run("key", "create", "--project", "acme", "--name", "laptop", "--json")
        made = json.loads(said)
        assert (code, made["project"]) == (0, "acme")
        with server.http(made["key"]) as http:
            assert http.get("/projects/info").json()["project"]["name"] == "acme"
        listed = json.loads(run("key", "list", "--json")[1])
        assert [k["state"] for k in listed if k["id"] == made["id"]] == ["active"]
        assert made["key"] not in json.dumps(listed)
        assert run("key", "revoke", made["id"])[0] == 0
        began = time.monotonic()
        eventually(lambda: ok(server, made["key"]), lambda status: status == 401)
        assert time.monotonic() - began < 1.5
        listed = json.loads(run("key", "list", "--json")[1])
        assert [k["state"] for k in listed if k["id"] == made["id"]] == ["revoked"]
        assert ok(server, server.api_key) == 200
        projects = json.loads(run("project", "list", "--json")[1])
        assert [p["name"] for p in projects] == ["default", "acme"]


def test_lists_for_people_are_tables(run: Any) -> None:
    """Names, states and the first letters of a key."""
    run("project", "create", "acme")
    run("key", "create", "--project", "acme", "--name", "laptop")
    _, said = run("key", "list")
    for word in ("laptop", "acme", "active", "rk_"):
        assert word in said
    assert "acme" in run("project", "list")[1]


def test_a_made_key_is_printed_alone(run: Any) -> None:
    """So that a script can take it: one line, nothing else."""
    run("project", "create", "acme")
    code, said = run("key", "create", "--project", "acme")
    assert code == 0
    assert re.fullmatch(r"rk_[\w-]{30,}\n", said), said


@pytest.mark.parametrize("name", ["[/x]", "[red]x", "a\tb", "ünï 😀", "-", "x" * 200, "{0} %s"])
def test_odd_names_are_kept_as_they_are(run: Any, name: str) -> None:
    """A name is text, not markup and not a pattern."""
    code, said = run("project", "create", "--json", "--", name)
    assert code == 0, said
    code, said = run("key", "create", "--json", "--project", name, "--name", name)
    assert code == 0, said
    key = json.loads(said)["id"]
    for words in (("project", "list"), ("key", "list"), ("key", "revoke", key)):
        code, said = run(*words)
        assert code == 0, (words, said)
        assert "Traceback" not in said, words
    listed = json.loads(run("project", "list", "--json")[1])
    assert name in [project["name"] for project in listed]


@pytest.mark.parametrize(
    "words",
    [
        ("key", "create", "--project", "nobody"),
        ("key", "revoke", "nothing"),
        ("project", "create", ""),
        ("project", "create", " "),
        ("project", "create", "x" * 5_000),
        ("key", "create", "--name", ""),
    ],
)
def test_a_mistake_is_explained(run: Any, words: tuple[str, ...]) -> None:
    """Exit code 1 and words, no traceback."""
    run("project", "create", "default")
    code, said = run(*words)
    assert code == 1
    assert "error" in said
    assert "Traceback" not in said


def test_a_taken_project_name_is_refused(run: Any) -> None:
    """Two projects cannot have one name."""
    assert run("project", "create", "acme")[0] == 0
    code, said = run("project", "create", "acme")
    assert code == 1
    assert "acme" in said


# ---------------------------------------------------------------- migrate and worker


def test_migrate_makes_a_store_and_repeats_without_harm(run: Any, data: Path) -> None:
    """Applied once, up to date from then on, closed to others, and fit to serve."""
    code, said = run("migrate")
    assert code == 0
    assert "applied" in said
    code, said = run("migrate")
    assert code == 0
    assert "applied" not in said
    assert "up to date" in said
    for file in data.iterdir():
        assert file.stat().st_mode & 0o077 == 0, f"{file} can be read by others"
    with Server(data) as server:
        assert ok(server, server.api_key) == 200


def test_a_worker_process_does_the_work_of_a_server_without_workers(
    forks: ForkServer, data: Path, tmp_path: Path
) -> None:
    """`serve --workers 0` keeps the queue, `recollect worker` empties it and stops when asked."""
    with Server(data, options=("--workers", "0")) as server, server.http() as http:
        http.post("/graph/create", json={"graph_id": "g"})
        body = {"graph_id": "g", "type": "text", "data": "hello"}
        uuids = [http.post("/graph", json=body).json()["uuid"] for _ in range(5)]

        def done() -> list[bool]:
            return [http.get(f"/graph/episodes/{uuid}").json()["processed"] for uuid in uuids]

        time.sleep(0.3)
        assert not any(done())
        log = tmp_path / "worker.log"
        pid = forks.start("worker", "--data", str(data), log=log)
        eventually(done, all)
        late = http.post("/graph", json=body).json()["uuid"]
        path = f"/graph/episodes/{late}"
        eventually(lambda: http.get(path).json()["processed"], bool)
        os.kill(pid, signal.SIGTERM)
        assert forks.wait(pid) == 0, log.read_text()
        assert "Traceback" not in log.read_text()
        assert "job.done" in log.read_text()


def test_the_module_is_the_command(data: Path) -> None:
    """`python -m recollect` and the installed command are the same program."""
    installed = Path(sys.executable).with_name("recollect")
    for words in (program("--help"), [str(installed), "--help"]):
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0
        assert "serve" in done.stdout


def test_serve_takes_a_free_port_when_asked_for_none(forks: ForkServer, tmp_path: Path) -> None:
    """Port 0 is any port; the one taken is announced."""
    log = tmp_path / "serve.log"
    pid = forks.start("serve", "--port", "0", "--data", str(tmp_path / "data"), log=log)
    try:
        found = eventually(
            lambda: (
                re.findall(r"http://127\.0\.0\.1:(\d+)", log.read_text()) if log.exists() else []
            ),
            bool,
        )
        url = f"http://{HOST}:{found[0]}/ready"

        def ready() -> bool:
            try:
                return httpx.get(url, trust_env=False).status_code == 200
            except httpx.TransportError:
                return False

        assert found[0] != "0"
        eventually(ready, bool)
    finally:
        os.kill(pid, signal.SIGTERM)
        assert forks.wait(pid) == 0
