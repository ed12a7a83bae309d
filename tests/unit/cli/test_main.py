"""The list of commands: quick to show, and true."""

import subprocess
import sys
from importlib import metadata

import pytest
from typer.testing import CliRunner

from recollect.cli.main import COMMANDS, app, load

# What the server, the models and the clients need, and a list of commands does not.
HEAVY = {"mcp", "numpy", "onnxruntime", "openai", "pydantic", "spacy", "sqlite3", "uvicorn"}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_its_own_help_begins_with(name: str) -> None:
    """Nobody has to keep two texts in step by hand."""
    told = (load(name).help or "").split("\n\n")[0]
    assert " ".join(told.split()) == COMMANDS[name].summary


def test_every_command_answers_to_help() -> None:
    """Each is found under its name, loaded and described."""
    for name in COMMANDS:
        answer = CliRunner().invoke(app, [name, "--help"])
        assert answer.exit_code == 0, answer.output
        assert f"recollect {name}" in answer.output


def test_help_and_the_package_itself_load_nothing_heavy() -> None:
    """Whoever asks what there is waits for nothing else."""
    for program in (
        "import recollect",
        "from typer.testing import CliRunner; from recollect.cli.main import app;"
        "assert 'serve' in CliRunner().invoke(app, ['--help']).output",
    ):
        counted = f"import sys; {program}; print(sorted({HEAVY!r} & set(sys.modules)))"
        done = subprocess.run(
            [sys.executable, "-c", counted], capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout == "[]\n"


def test_the_version_is_that_of_the_package() -> None:
    """As it was installed."""
    answer = CliRunner().invoke(app, ["--version"])
    assert answer.output == f"recollect {metadata.version('recollect')}\n"


def test_an_unknown_command_is_named() -> None:
    """With a pointer to the list."""
    answer = CliRunner().invoke(app, ["remembr"])
    assert answer.exit_code == 2
    assert "remembr" in answer.output
