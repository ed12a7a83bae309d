"""The commands that look after a store, where it is a database."""

import json
import secrets
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from typer.testing import CliRunner

from recollect.app import database_diagnosis
from recollect.cli.main import app
from recollect.store.postgres import migrate, state
from recollect.store.postgres.connection import connect
from recollect.store.postgres.state import DatabaseState
from tests.support.postgres import database_of, shared
from tests.support.server import program_environment, run_program

Run = Callable[..., Any]
FIT = DatabaseState(
    version=18,
    encoding="UTF8",
    is_encrypted=True,
    is_near=False,
    role="recollect",
    sees_everything=False,
    schema=1,
    known=1,
    connections=0,
)


@pytest.fixture
def url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A migrated database, which the settings name."""
    made = database_of(tmp_path)
    monkeypatch.setenv("RECOLLECT_STORE", made)
    return made


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in this process."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("RECOLLECT_PORT", "0")
    return lambda *words: CliRunner().invoke(app, words, prog_name="recollect")


def found_by(done: Any) -> dict[str, tuple[str, str]]:
    """What the doctor says of each thing."""
    return {one["what"]: (one["state"], one["says"]) for one in json.loads(done.stdout)}


def owned(encoding: str = "UTF8") -> str:
    """An empty database of a role that may do nothing else."""
    server, name = shared(), f"r{secrets.token_hex(6)}"
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        who = sql.Identifier(name)
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(who))
        made = "CREATE DATABASE {} OWNER {} ENCODING {} LOCALE 'C' TEMPLATE template0"
        connection.execute(sql.SQL(made).format(who, who, sql.Literal(encoding)))
    return server.url(name).replace("recollect@", f"{name}@")


def test_migrate_makes_the_tables_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a role that owns nothing but its database; a second time there is nothing to apply."""
    made = owned()
    monkeypatch.setenv("RECOLLECT_STORE", made)
    first, second = run("migrate"), run("migrate")
    assert first.exit_code == second.exit_code == 0, first.output
    assert "applied 0001" in first.output
    assert "applied" not in second.output
    assert "is up to date" in second.output
    found = found_by(run("doctor", "--json"))
    assert found["role"][0] == found["schema"][0] == "ok"


def test_a_database_that_is_newer_is_left_alone(url: str, run: Run) -> None:
    """By the command that would migrate it, and by the doctor."""
    with closing(connect(url)) as connection:
        connection.execute("UPDATE schema_version SET version = 999")
    refused = run("migrate")
    assert refused.exit_code == 1
    assert "newer" in refused.output
    done = run("doctor", "--json")
    assert done.exit_code == 1
    assert found_by(done)["schema"][0] == "wrong"
    with closing(connect(url)) as connection:
        assert connection.execute("SELECT version FROM schema_version").fetchone() == (999,)


def test_the_doctor_looks_at_a_database(url: str, run: Run) -> None:
    """Everything about it that matters, and at no folder."""
    done = run("doctor", "--check", "--json")
    assert done.exit_code == 0, done.output
    found = found_by(done)
    assert "PostgreSQL" in found["database"][1]
    assert found["role"][0] == "ok"
    assert {
        found[what][0] for what in ("encoding", "schema", "connection", "queue", "soundness")
    } == {"ok"}
    assert "data folder" not in found
    assert "0 pending" in found["queue"][1]


def test_the_doctor_changes_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database without tables has none afterwards."""
    made = owned()
    monkeypatch.setenv("RECOLLECT_STORE", made)
    found = found_by(run("doctor", "--check", "--json"))
    assert found["schema"] == ("warning", f"schema 0, this program has {len(migrate.available())}")
    with state.looking(made) as connection:
        assert state.state(connection).schema == 0


def test_an_encoding_that_cannot_keep_every_text_is_wrong(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is kept in it."""
    monkeypatch.setenv("RECOLLECT_STORE", owned("LATIN1"))
    done = run("doctor", "--json")
    assert done.exit_code == 1
    assert found_by(done)["encoding"][0] == "wrong"


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("postgresql://u:sesame@127.0.0.1:1/x", "cannot reach"),
        ("postgresql://u:ses%zzame@127.0.0.1:1/x", "cannot be read"),
    ],
)
@pytest.mark.parametrize("command", ["doctor", "migrate", "project list"])
def test_a_database_out_of_reach_is_said_without_its_password(
    run: Run, monkeypatch: pytest.MonkeyPatch, place: str, says: str, command: str
) -> None:
    """In one line, by every command."""
    monkeypatch.setenv("RECOLLECT_STORE", place)
    done = run(*command.split())
    assert done.exit_code == 1
    assert says in done.output
    assert "ses" not in done.output.replace("session", "")


@pytest.mark.parametrize(
    ("change", "what", "expected"),
    [
        ({"version": 14}, "database", "wrong"),
        ({"is_encrypted": False}, "connection", "warning"),
        ({"is_encrypted": False, "is_near": True}, "connection", "ok"),
        ({"sees_everything": True}, "role", "warning"),
        ({}, "role", "ok"),
    ],
)
def test_what_the_doctor_minds(change: dict[str, Any], what: str, expected: str) -> None:
    """Old servers, the open network, roles that see everything."""
    (found,) = [
        one for one in database_diagnosis._server(FIT._replace(**change), "x") if one.what == what
    ]
    assert found.state == expected


@pytest.mark.parametrize(
    ("host", "near"),
    [("127.0.0.1", True), ("::1", True), ("/run/postgresql", True), ("localhost", True),
     ("db.example.org", False), ("10.0.0.7", False)],
)  # fmt: skip
def test_who_is_near(host: str, near: bool) -> None:
    """A socket and this machine's own addresses."""
    assert state._is_near(host) == near


@pytest.mark.parametrize("words", [("backup",), ("restore", "x.db"), ("doctor", "--repair", "new")])
def test_what_is_done_with_files_is_refused(url: str, run: Run, words: tuple[str, ...]) -> None:
    """And says what to use in its place."""
    done = run(*words)
    assert done.exit_code == 1
    assert "pg_dump" in done.output
    assert "docs/operating/postgresql.md" in done.output


def test_a_backup_file_can_be_checked_all_the_same(
    url: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a folder of its own, not on the database."""
    monkeypatch.delenv("RECOLLECT_STORE")
    file, data = str(tmp_path / "one.db"), str(tmp_path / "data")
    assert run("project", "create", "acme", "--data", data).exit_code == 0
    assert run("backup", "--to", file, "--data", data).exit_code == 0
    monkeypatch.setenv("RECOLLECT_STORE", url)
    done = run_program(  # it sets up logging, which is for a whole process
        "restore",
        file,
        "--check",
        environment=program_environment(RECOLLECT_STORE=url, COLUMNS="200"),
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "audit logs of 1 projects" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("postgresql://ann:sesame@db:5433/mem?sslmode=require", "postgresql://ann@db:5433/mem"),
        ("postgresql://db/mem?password=sesame", "postgresql://db/mem"),
        ("postgresql:///mem", "postgresql://localhost/mem"),
        ("postgresql://u:ses@me@a:1,b:2/mem", "postgresql://u@a:1,b:2/mem"),
    ],
)
def test_config_shows_the_store_without_its_password(
    run: Run, monkeypatch: pytest.MonkeyPatch, given: str, shown: str
) -> None:
    """Nor its options, among which one may stand."""
    monkeypatch.setenv("RECOLLECT_STORE", given)
    done = run("config", "show", "--json")
    (row,) = [one for one in json.loads(done.stdout) if one["setting"] == "store"]
    assert row["value"] == shown
