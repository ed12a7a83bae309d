"""`recollect copy` carries whole projects between a folder and PostgreSQL, with keys and logs."""

import asyncio
import json
import secrets
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql
from pydantic import SecretStr
from typer.testing import CliRunner

from recollect.app.stores import open_folder
from recollect.cli.main import app
from recollect.governance import audit, keys
from recollect.ingest import rebuild, shares
from recollect.settings import Settings
from recollect.store.protocol import Transaction
from tests.support.asgi import KEY
from tests.support.memory import remembering
from tests.support.postgres import binaries, database_of, shared
from tests.support.server import program_environment, run_program
from tests.unit.exchange.world import export, fill, without_moment

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with something of everything, and a second project."""
    folder = tmp_path_factory.mktemp("copying") / "old"

    async def make() -> None:
        async with remembering(folder) as memory:
            await fill(memory)
            said = await memory.tell("Tom likes marzipan.")
            path = f"/api/v1/episodes/{said}"
            erased = await memory.running.send("DELETE", path, query="mode=forget")
            assert erased.status == 200
            await memory.learn()
            store = memory.running.services.store
            await store.write(shares.weigh, "default", 3.0)
            await store.write(keys.create_project, "second", "Another one")

    asyncio.run(make())
    return folder


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in this process."""
    monkeypatch.setenv("COLUMNS", "200")
    return lambda *words: CliRunner().invoke(app, ["copy", *words], prog_name="recollect")


def asked(place: str, unit: Callable[..., Any], *args: Any) -> Any:
    """What a unit says of a store."""
    where: dict[str, Any] = {"store": SecretStr(place)} if "://" in place else {"data": Path(place)}

    async def ask() -> Any:
        folder = open_folder(Settings(**where))
        try:
            return await folder.store.read(unit, *args)
        finally:
            await folder.close()

    return asyncio.run(ask())


def digests(tx: Transaction) -> dict[str, str]:
    """Of every graph."""
    return {one.graph_id: one.digest for one in rebuild.states(tx)}


def log_of(tx: Transaction, name: str) -> audit.Verdict:
    """The audit log of a project, walked."""
    return audit.verify(tx, keys.project_named(tx, name))


def described(tx: Transaction) -> list[tuple[Any, ...]]:
    """What projects are, beside their memory."""
    return [
        (one.uuid, one.name, one.description, one.created_at, shares.weight(tx, one.id))
        for one in keys.list_projects(tx)
    ]


def told_by(run: Any) -> list[dict[str, Any]]:
    """The answer for programs."""
    assert run.exit_code == 0, run.output
    found: list[dict[str, Any]] = json.loads(run.stdout)
    return found


def lines_of(place: str) -> list[bytes]:
    """An export of the default project."""

    async def read() -> list[bytes]:
        where: dict[str, Any] = (
            {"store": SecretStr(place)} if "://" in place else {"data": Path(place)}
        )
        folder = open_folder(Settings(**where))
        try:
            return without_moment((await export(folder.store))[0])
        finally:
            await folder.close()

    return asyncio.run(read())


def test_a_store_goes_to_postgres_and_back_whole(old: Path, tmp_path: Path, run: Run) -> None:
    """Every project with its uuid, its weight and equal digests, in both directions."""
    url, back = database_of(tmp_path), str(tmp_path / "back")
    there = told_by(run("--from", str(old), "--to", url, "--json"))
    assert [one["project"] for one in there] == ["default", "second"]
    assert all(one["same"] and one["records"] >= 0 for one in there)
    told_by(run("--from", url, "--to", back, "--json"))
    for place in (url, back):
        assert asked(place, digests) == asked(str(old), digests)
        assert asked(place, described) == asked(str(old), described)
        assert lines_of(place) == lines_of(str(old))


def test_keys_go_on_working_with_what_governs_them(old: Path, tmp_path: Path, run: Run) -> None:
    """The same secret opens the same project, under the same policies."""
    url = database_of(tmp_path)
    told_by(run("--from", str(old), "--to", url, "--json"))

    def entered(tx: Transaction) -> Any:
        return keys.authenticate(tx, keys.hashed(KEY))

    assert asked(url, entered).key_uuid == asked(str(old), entered).key_uuid

    def governed(tx: Transaction) -> list[tuple[Any, ...]]:
        return [
            (one.uuid, one.name, one.role, one.mode, keys.policy_of(tx, one.project_id, one.uuid))
            for one in keys.list_keys(tx)
        ]

    assert asked(url, governed) == asked(str(old), governed)
    assert any(sets[4].sets for sets in asked(url, governed))


def test_the_audit_log_goes_along_and_goes_on(old: Path, tmp_path: Path, run: Run) -> None:
    """The old chain holds there, its head is in it, and the copy is its next entry."""
    url = database_of(tmp_path)
    before: audit.Verdict = asked(str(old), log_of, "default")
    told = told_by(run("--from", str(old), "--to", url, "--json"))[0]
    assert before.entries
    assert (told["audit_entries"], told["audit_broken_at"]) == (before.entries + 1, None)

    def expecting(tx: Transaction) -> audit.Verdict:
        return audit.verify(tx, keys.project_named(tx, "default"), before.head)

    after: audit.Verdict = asked(url, expecting)
    assert after.broken_at is None

    def newest(tx: Transaction) -> str:
        project = keys.project_named(tx, "default")
        return audit.page(tx, project.id, audit.Wanted(), limit=1)[0].action

    assert asked(url, newest) == "copy"

    def receipts(tx: Transaction) -> list[Any]:
        project = keys.project_named(tx, "default")
        found = tx.exchange.export("erasures", project_id=project.id, after=0, limit=99)
        return [{**row, "row": None} for row in found]

    assert asked(url, receipts)
    assert asked(url, receipts) == asked(str(old), receipts)


def test_once_more_only_compares(old: Path, tmp_path: Path, run: Run) -> None:
    """What is there whole is said, what has changed there since is told by its exit code."""
    url = database_of(tmp_path)
    told_by(run("--from", str(old), "--to", url, "--json"))
    again = run("--from", str(old), "--to", url)
    assert again.exit_code == 0
    assert again.output.count("was there already") == 2
    assert "differs" not in again.output
    _change(url)
    changed = run("--from", str(old), "--to", url)
    assert changed.exit_code == 1
    assert "differs" in changed.output


def _change(url: str) -> None:
    """Take a fact away behind everybody's back."""

    def take(tx: Transaction) -> None:
        graph = next(one for one in rebuild.states(tx) if one.graph_id == "g")
        (found, *_) = tx.exchange.export("fact_ids", graph_id=graph.id)
        tx.facts.delete(ids=json.dumps([found["id"]]))

    async def change() -> None:
        folder = open_folder(Settings(store=SecretStr(url)))
        await folder.store.write(take)
        await folder.close()

    asyncio.run(change())


def test_a_copied_graph_is_the_fold_of_its_readings(
    old: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`rebuild --verify` folds beside the database, says so of every graph, and writes nothing."""
    url = database_of(tmp_path)
    told_by(run("--from", str(old), "--to", url, "--json"))
    monkeypatch.setenv("RECOLLECT_STORE", url)
    before = asked(url, _written)
    same = _command(url, "rebuild", "--verify", "--json")
    assert same.returncode == 0, same.stderr
    assert {one["result"] for one in json.loads(same.stdout)} == {"same"}
    assert {one["graph"] for one in json.loads(same.stdout)} == {"g", "ann", "helper"}
    _change(url)
    differs = _command(url, "rebuild", "--verify", "--graph", "g", "--json")
    assert differs.returncode == 1, differs.stderr
    assert [one["result"] for one in json.loads(differs.stdout)] == ["differs"]
    assert asked(url, _written) == before


def _written(tx: Transaction) -> list[Any]:
    """What a command would leave behind."""
    return [log_of(tx, "default"), [one.edits for one in rebuild.states(tx)]]


def test_a_dump_is_restored_whole(
    old: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the page on PostgreSQL says: into the database of another role, and looked at afterwards."""
    url, file, server = database_of(tmp_path), str(tmp_path / "recollect.dump"), shared()
    told_by(run("--from", str(old), "--to", url, "--json"))
    role, restored = f"r{secrets.token_hex(6)}", f"t{secrets.token_hex(6)}"
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
    where = ("--host=127.0.0.1", f"--port={server.port}", "--username=postgres")
    name = urlsplit(url).path.removeprefix("/")
    _tool("pg_dump", *where, "--format=custom", f"--file={file}", name)
    _tool(
        "createdb", *where, f"--owner={role}", "--encoding=UTF8", "--template=template0", restored
    )
    options = (f"--dbname={restored}", "--no-owner", f"--role={role}", "--exit-on-error")
    _tool("pg_restore", *where, *options, file)
    again = server.url(restored).replace("recollect@", f"{role}@")
    assert asked(again, digests) == asked(str(old), digests)
    for words in (["doctor", "--check"], ["rebuild", "--verify"], ["audit", "verify"]):
        done = _command(again, *words)
        assert done.returncode == 0, done.stdout + done.stderr


def _command(url: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command that sets up logging, which is for a whole process, on a database."""
    return run_program(
        *words,
        environment=program_environment(RECOLLECT_STORE=url, RECOLLECT_PORT="0"),
        timeout=120,
    )


def _tool(name: str, *words: str) -> None:
    """A program of PostgreSQL's own."""
    done = subprocess.run(
        [str(binaries() / name), *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


def test_one_project_goes_under_another_name(old: Path, tmp_path: Path, run: Run) -> None:
    """Beside one of the same name, which is another one and refused otherwise."""
    url = database_of(tmp_path)

    async def make() -> None:
        folder = open_folder(Settings(store=SecretStr(url)))
        await folder.store.write(keys.create_project, "default")
        await folder.close()

    asyncio.run(make())
    refused = run("--from", str(old), "--to", url, "--project", "default")
    assert refused.exit_code == 1
    assert "--into" in refused.output
    assert asked(url, digests) == {}
    told = told_by(
        run("--from", str(old), "--to", url, "--project", "default", "--into", "old", "--json")
    )
    assert [(one["project"], one["into"]) for one in told] == [("default", "old")]
    assert asked(url, digests) == asked(str(old), digests)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--from", "{tmp}/none", "--to", "{old}"), "there is no store"),
        (("--from", "{old}", "--to", "{old}"), "the same store"),
        (("--from", "{old}", "--to", "mysql://x/y"), "mysql"),
        (("--from", "{old}", "--to", "{tmp}/b", "--into", "x"), "--project"),
        (("--from", "{old}", "--to", "{tmp}/b", "--project", "nope"), "nope"),
        (
            ("--from", "{old}", "--to", "postgresql://u:sesame@127.0.0.1:1/x"),
            "cannot reach the database",
        ),
    ],
)
def test_what_cannot_be_copied_is_said(
    old: Path, tmp_path: Path, run: Run, words: tuple[str, ...], says: str
) -> None:
    """In one sentence, without a password."""
    done = run(*(word.format(old=old, tmp=tmp_path) for word in words))
    assert done.exit_code == 1
    assert says in done.output
    assert "sesame" not in done.output


def test_a_plain_file_brings_no_keys(old: Path, tmp_path: Path) -> None:
    """An export is for others; and a copy's first line is refused by an import."""
    file = tmp_path / "all.jsonl"
    words = ["export", str(file), "--data", str(old)]
    assert CliRunner().invoke(app, words, prog_name="recollect").exit_code == 0
    records = [json.loads(line)["record"] for line in file.read_bytes().splitlines()]
    assert not {"api_key", "audit_entry", "erasure", "key_policy_set"} & set(records)
    header, rest = file.read_bytes().split(b"\n", 1)
    told = {**json.loads(header), "copied": {"uuid": "u", "created_at": 0, "weight": 1.0}}
    file.write_bytes(json.dumps(told).encode() + b"\n" + rest)
    words = ["import", str(file), "--data", str(tmp_path / "new")]
    done = CliRunner().invoke(app, words, prog_name="recollect")
    assert done.exit_code == 1
    assert "recollect copy" in done.output
