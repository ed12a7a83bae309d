"""`recollect mcp` where it refuses before it does anything."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect.cli.main import app


@pytest.mark.parametrize("option", [("--write",), ("--read-only",), ("--project", "other")])
def test_a_key_says_itself_what_it_may_do_and_where(
    tmp_path: Path, option: tuple[str, ...]
) -> None:
    words = ["mcp", "--data", str(tmp_path / "data"), *option]
    result = CliRunner().invoke(app, words, env={"RECOLLECT_API_KEY": "some-key"})
    assert result.exit_code == 1
    assert "are for when no key is given" in " ".join(result.output.split())
    assert not (tmp_path / "data").exists()
