"""`recollect audit`, and what other commands leave in the log."""

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from recollect.app import projects
from recollect.app.services import open_services
from recollect.cli.main import app
from recollect.graph.acting import Acting
from recollect.settings import Settings
from recollect.store.sqlite.connection import FILE_NAME

Run = Callable[..., Any]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The data folder of this test."""
    return tmp_path / "data"


@pytest.fixture
def run(data: Path) -> Run:
    """Run `recollect` with words on this test's own data folder."""

    def command(*words: str) -> Any:
        environment = {"RECOLLECT_DATA": str(data), "COLUMNS": "300", "TERM": "dumb"}
        return CliRunner().invoke(app, words, env=environment, prog_name="recollect")

    return command


@pytest.fixture
def listed(run: Run) -> Callable[..., list[dict[str, Any]]]:
    """What `recollect audit list` says, oldest first."""

    def entries(*words: str) -> list[dict[str, Any]]:
        said = run("audit", "list", "--json", *words)
        assert said.exit_code == 0, said.output
        found: list[dict[str, Any]] = json.loads(said.stdout)
        return found[::-1]

    return entries


def tamper(data: Path, statement: str) -> None:
    """Change the log behind the program's back."""
    with closing(sqlite3.connect(data / FILE_NAME)) as connection, connection:
        for name in ("audit_entries_stay", "audit_entries_keep"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)


def test_commands_that_change_something_leave_entries(
    run: Run, listed: Callable[..., list[dict[str, Any]]]
) -> None:
    """Each by its own name, in the project that it changed; those that only look leave none."""
    run("project", "create", "p")
    made = json.loads(run("key", "create", "--project", "p", "--json").stdout)
    run("key", "list")
    run("project", "list")
    run("key", "change", made["id"], "--role", "default_deny")
    run("key", "revoke", made["id"])
    run("key", "revoke", made["id"])
    found = listed("--project", "p")
    assert [(entry["actor"], entry["action"]) for entry in found] == [
        ("command", "project.create"),
        ("command", "key.create"),
        ("command", "key.change"),
        ("command", "key.revoke"),
    ]
    assert [entry["target"] for entry in found[1:]] == [f"key:{made['id']}"] * 3
    assert [entry["detail"] for entry in found[1:]] == [None, {"fields": ["role"]}, None]


def test_changes_of_policies_leave_entries(
    run: Run, listed: Callable[..., list[dict[str, Any]]], tmp_path: Path
) -> None:
    """The set, its version and the key it is attached to."""
    rules = [{"id": "a", "type": "authorization", "effect": "allow", "actions": ["user.get"]}]
    file = tmp_path / "set.json"
    file.write_text(json.dumps({"policy_set": {"name": "some", "spec": {"policies": rules}}}))
    run("project", "create", "p")
    made = json.loads(run("key", "create", "--project", "p", "--json").stdout)
    for words in (
        ("apply", str(file), "--project", "p"),
        ("list", "--project", "p"),
        ("attach", "some", "--key", made["id"]),
        ("detach", "some", "--key", made["id"]),
        ("delete", "some", "--project", "p"),
    ):
        said = run("policy", *words)
        assert said.exit_code == 0, (words, said.output)
    found = [(e["action"], e["target"]) for e in listed("--project", "p")][2:]
    assert found == [
        ("policy.apply", "policy_set:some"),
        ("policy.attach", f"key:{made['id']}"),
        ("policy.detach", f"key:{made['id']}"),
        ("policy.delete", "policy_set:some"),
    ]
    details = [entry["detail"] for entry in listed("--project", "p")][2:]
    assert details[0]["version"] == 1
    assert details[1] == {"policy_set": "some"}


def test_verify_says_how_many_entries_there_are_and_the_head(run: Run) -> None:
    """For each project; the head can be noted and expected later."""
    run("project", "create", "p")
    run("project", "create", "q")
    said = run("audit", "verify", "--json")
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)
    assert [(row["project"], row["entries"], row["state"]) for row in found] == [
        ("p", 1, "holds"),
        ("q", 1, "holds"),
    ]
    run("key", "create", "--project", "p")
    head = found[0]["head"].upper()
    assert run("audit", "verify", "--project", "p", "--expect", head).exit_code == 0


def test_verify_fails_and_says_where(run: Run, data: Path) -> None:
    """Exit code 1, with the number of the entry and what is wrong with it."""
    run("project", "create", "p")
    run("key", "create", "--project", "p")
    tamper(data, "UPDATE audit_entries SET actor = 'nobody' WHERE number = 2")
    said = run("audit", "verify")
    assert said.exit_code == 1
    assert "broken at entry 2" in said.output


def test_a_cut_off_end_is_found_with_expect(run: Run, data: Path) -> None:
    """Without the noted head it cannot be."""
    run("project", "create", "p")
    run("key", "create", "--project", "p")
    (row,) = json.loads(run("audit", "verify", "--json").stdout)
    tamper(data, "DELETE FROM audit_entries WHERE number = 2")
    assert run("audit", "verify").exit_code == 0
    said = run("audit", "verify", "--project", "p", "--expect", row["head"])
    assert said.exit_code == 1
    assert "cut off" in said.output


def test_expect_needs_a_project(run: Run) -> None:
    """A head is that of one project."""
    said = run("audit", "verify", "--expect", "00")
    assert said.exit_code == 1
    assert "--project" in said.output


def test_list_can_be_narrowed(run: Run, listed: Callable[..., list[dict[str, Any]]]) -> None:
    """By action, outcome, actor and time; and it says when there is nothing."""
    run("project", "create", "p")
    run("key", "create", "--project", "p")
    assert [e["number"] for e in listed("--project", "p", "--action", "key.create")] == [2]
    assert [e["number"] for e in listed("--project", "p", "--limit", "1")] == [2]
    assert listed("--project", "p", "--outcome", "refused") == []
    assert listed("--project", "p", "--actor", "key:x") == []
    assert len(listed("--project", "p", "--since", "2001-01-01")) == 2
    assert "no entries" in run("audit", "list", "--project", "p", "--since", "2101-01-01").stdout
    table = run("audit", "list", "--project", "p").stdout
    assert "key.create" in table
    missing = run("audit", "list", "--project", "nowhere")
    assert missing.exit_code == 1
    assert "no project named" in missing.output


def test_weighing_a_project_is_told_in_its_own_log(
    run: Run, listed: Callable[..., list[dict[str, Any]]]
) -> None:
    """It is named by its argument, not by an option."""
    run("project", "create", "p")
    assert run("project", "weigh", "p", "2").exit_code == 0
    assert [entry["action"] for entry in listed("--project", "p")] == [
        "project.create",
        "project.weigh",
    ]


def test_the_first_start_is_in_the_log_and_the_next_one_is_not(
    data: Path, listed: Callable[..., list[dict[str, Any]]]
) -> None:
    """A server makes the default project and its key once."""

    async def start() -> None:
        services = await open_services(Settings(data=data, workers=0))
        try:
            await projects.default_key(services, Acting.by_command("serve"), None)
        finally:
            await services.close()

    for _ in range(2):
        asyncio.run(start())
    (entry,) = listed()
    assert (entry["actor"], entry["action"]) == ("command", "serve")
    assert entry["target"].startswith("key:")
