"""`recollect policy` and what `recollect key` says of policies, in this process."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect.cli.main import app

Run = Callable[..., str]
YAML = """
policy_set:
  name: support
  mode: report_only
  spec:
    policies:
      - id: theirs
        type: authorization
        effect: allow
        actions: [readonly]
        attributes: {team: [support]}
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command on a store of its own; answers what it printed."""
    runner = CliRunner()

    def command(*words: str, code: int = 0, stored: bool = True) -> str:
        place = ("--data", str(tmp_path / "data")) if stored else ()
        result = runner.invoke(app, [*words, *place])
        assert result.exit_code == code, result.output
        return result.output

    command("project", "create", "default")
    return command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with a policy set."""
    path = tmp_path / "support.yaml"
    path.write_text(YAML)
    return path


def a_key(run: Run, *options: str) -> str:
    """The id of a new key."""
    made: str = json.loads(run("key", "create", "--json", *options))["id"]
    return made


def test_a_policy_set_is_written_shown_and_deleted(run: Run, file: Path) -> None:
    """Each change is a version, and what is shown can be applied again."""
    assert "version 1, report_only" in run("policy", "apply", str(file))
    file.write_text(YAML.replace("report_only", "enforce"))
    assert "version 2, enforce" in run("policy", "apply", str(file))
    (listed,) = json.loads(run("policy", "list", "--json"))
    assert (listed["name"], listed["version"], listed["rules"]) == ("support", 2, 1)
    assert listed["id"] in run("policy", "list")
    older = json.loads(run("policy", "show", "support", "--version", "1"))
    assert older["policy_set"]["mode"] == "report_only"
    file.write_text(run("policy", "show", listed["id"]))
    assert "version 2, enforce" in run("policy", "apply", str(file))
    assert "no version 9" in run("policy", "show", "support", "--version", "9", code=1)
    assert "deleted support" in run("policy", "delete", "support")
    assert "not found" in run("policy", "show", "support", code=1)


def test_a_file_is_checked_without_a_store(run: Run, file: Path, tmp_path: Path) -> None:
    """What is wrong is said with its place, and nothing is kept."""
    assert "valid: 1 rules" in run("policy", "validate", str(file), stored=False)
    file.write_text(YAML.replace("readonly", "graph.serch"))
    said = run("policy", "validate", str(file), stored=False, code=1)
    assert "policies[0].actions[0]: there is no action 'graph.serch'" in said
    assert "graph.search" in said
    assert "policies[0]" in run("policy", "apply", str(file), code=1)
    file.write_bytes(b"\xff")
    assert "cannot read" in run("policy", "validate", str(file), stored=False, code=1)
    missing = str(tmp_path / "nothing.yaml")
    assert "cannot read" in run("policy", "validate", missing, stored=False, code=1)
    assert json.loads(run("policy", "list", "--json")) == []


def test_a_set_is_attached_and_taken_off(run: Run, file: Path) -> None:
    """An attached one is not deleted by accident."""
    key = a_key(run)
    run("policy", "apply", str(file))
    assert "has support" in run("policy", "attach", "support", "--key", key)
    (listed,) = json.loads(run("key", "list", "--json"))
    assert listed["policy_sets"] == ["support"]
    assert "support" in run("key", "list")
    assert "detach it first" in run("policy", "delete", "support", code=1)
    assert "no policy sets" in run("policy", "detach", "support", "--key", key)
    run("policy", "attach", "support", "--key", key)
    run("policy", "delete", "support", "--force")
    (listed,) = json.loads(run("key", "list", "--json"))
    assert listed["policy_sets"] == []


def test_an_explanation_names_the_rule_and_the_reason(run: Run, file: Path) -> None:
    """For people, and as JSON for programs."""
    key = a_key(run, "--role", "default_deny")
    file.write_text(YAML.replace("report_only", "enforce"))
    run("policy", "apply", str(file))
    run("policy", "attach", "support", "--key", key)
    ask = ("policy", "explain", "--key", key, "--action")
    said = run(*ask, "graph.search", "--metadata", '{"team": ["support", "sales"]}')
    assert "graph.search: narrowed (role default_deny, mode enforce)" in said
    assert "the object is hidden" in said
    assert 'team must be exactly {"support"}, and is {"sales", "support"}' in said
    seen = run(*ask, "graph.search", "--metadata", '{"team": "support"}')
    assert "the object is seen" in seen
    assert "→ support/theirs (allow)" in seen
    assert "graph.add: denied" in run(*ask, "graph.add")
    trace = json.loads(run(*ask, "graph.add", "--json"))
    assert (trace["outcome"], trace["reads"]) == ("denied", False)
    assert "did you mean" in run(*ask, "graph.serch", code=1)
    assert "not a JSON object" in run(*ask, "graph.search", "--metadata", "[1]", code=1)
    lost = "00000000-0000-7000-8000-000000000000"
    assert "no such object" in run(*ask, "graph.search", "--object", lost, code=1)


def test_what_is_only_reported_is_told_as_that(run: Run, file: Path) -> None:
    """With what enforcing it would change."""
    key = a_key(run)
    run("policy", "apply", str(file))
    run("policy", "attach", "support", "--key", key)
    said = run("policy", "explain", "--key", key, "--action", "graph.search")
    assert "graph.search: allowed" in said
    assert "if everything were enforced: narrowed, which differs" in said


def test_a_key_is_made_and_changed_with_what_governs_it(run: Run) -> None:
    """Role, mode, reads and whether it administers."""
    admin = a_key(run, "--admin", "--name", "boss")
    key = a_key(run, "--role", "default_deny", "--mode", "report_only", "--log-reads")
    listed = {row["id"]: row for row in json.loads(run("key", "list", "--json"))}
    assert listed[admin]["role"] == "admin"
    shown = listed[key]
    assert (shown["role"], shown["mode"], shown["log_reads"]) == (
        "default_deny",
        "report_only",
        True,
    )
    said = run("key", "change", key, "--role", "default_allow", "--no-log-reads")
    assert "default_allow, report_only, reads are not logged" in said
    assert "default_allow, off" in run("key", "change", key, "--mode", "off")
    run("key", "change", key, "--mode", "sometimes", code=2)
    assert "no key" in run("key", "change", "nobody", "--mode", "off", code=1)


@pytest.mark.parametrize(
    "command", ["apply", "validate", "list", "show", "delete", "attach", "detach", "explain"]
)
def test_every_command_explains_itself(command: str) -> None:
    """`--help` says what it does."""
    result = CliRunner().invoke(app, ["policy", command, "--help"])
    assert result.exit_code == 0
    assert len(result.output.split()) > 10


def test_a_key_writes_through_mcp_only_when_it_is_told_so(run: Run) -> None:
    key, writer = a_key(run), a_key(run, "--mcp-write")
    listed = {row["id"]: row["mcp_write"] for row in json.loads(run("key", "list", "--json"))}
    assert listed == {key: False, writer: True}
    assert "MCP may write" in run("key", "change", key, "--mcp-write")
    assert "MCP may write" in run("key", "change", key, "--mode", "off")
    assert "MCP may write" not in run("key", "change", key, "--no-mcp-write")
