"""The list of commands: quick to show, and true."""

import subprocess
import sys
import tomllib
from collections.abc import Mapping
from importlib import metadata

import pytest
from typer.testing import CliRunner

from recollect import extras
from recollect.cli.main import COMMANDS, SECTIONS, app, load
from recollect.errors import ModelUnavailable
from recollect.models import language_model
from recollect.settings import Settings
from tests.docs.reference import ROOT

# What the server, the models and the clients need, and a list of commands does not.
HEAVY = {
    *(module for modules in extras.MODULES.values() for module in modules),
    *("asyncio", "numpy", "onnxruntime", "pydantic", "spacy", "sqlite3", "structlog"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_of_a_command_what_its_own_help_begins_with(name: str) -> None:
    """Nobody has to keep two texts in step by hand."""
    told = " ".join((load(name).help or "").split())
    assert told.startswith(COMMANDS[name].summary.removesuffix("."))


def test_the_list_of_commands_is_one_screen() -> None:
    """Of 80 columns, one line for each command and no boxes."""
    lines = CliRunner().invoke(app, ["--help"]).output.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= len(COMMANDS) + 3 * len(SECTIONS)
    for name, entry in COMMANDS.items():
        assert any(line.split() == [name, *entry.summary.split()] for line in lines)


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
    assert answer.output == f"recollect {metadata.version('recollectdb')}\n"


@pytest.mark.parametrize(
    ("command", "extra", "hidden"),
    [("serve", "server", "uvicorn"), ("worker", "server", "uvloop"), ("mcp", "mcp", "mcp")],
)
def test_a_command_without_its_extra_says_what_to_install(
    command: str, extra: str, hidden: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one sentence, and no traceback."""
    monkeypatch.setitem(sys.modules, hidden, None)
    answer = CliRunner().invoke(app, [command])
    assert answer.exit_code == 1
    assert answer.output == (
        f"error: this needs the extra `{extra}` of recollectdb, of which {hidden} is not installed: "
        f"run `pip install '.[{extra}]'` in the checkout\n"
    )


def test_a_language_model_without_its_extra_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is said where one is configured, to the library as to the commands."""
    monkeypatch.setitem(sys.modules, "openai", None)
    chosen = Settings(llm_url="http://127.0.0.1:9/v1", llm_model="any")
    with pytest.raises(ModelUnavailable, match="extra `llm`"):
        language_model.from_settings(chosen)


def _provider(module: str, provides: Mapping[str, list[str]]) -> str:
    """The distribution of a module, also of one in a package that several share."""
    if "." not in module:
        return provides[module][0]
    folder = module.replace(".", "/") + "/"
    return next(
        name
        for name in provides[module.split(".")[0]]
        if any(str(file).startswith(folder) for file in metadata.files(name) or ())
    )


def test_the_extras_are_those_of_the_package() -> None:
    """`recollect/extras.py` looks for what `pyproject.toml` installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    provides = metadata.packages_distributions()
    for extra, modules in extras.MODULES.items():
        installed = {_provider(module, provides).lower() for module in modules}
        named = (line.partition(">")[0] for line in project["optional-dependencies"][extra])
        listed = {name.partition("[")[0] for name in named}  # without extras of their own
        assert installed == listed - {"recollectdb"}


def test_an_unknown_command_is_named() -> None:
    """With a pointer to the list."""
    answer = CliRunner().invoke(app, ["remembr"])
    assert answer.exit_code == 2
    assert "remembr" in answer.output
