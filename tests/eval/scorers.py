"""The scorers beside the data, which drive the released client against a server of ours."""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.contract.sdk.environments import PY3, python_of
from tests.eval.common import DATA, DataMissing, Options
from tests.support.server import EXTRACTION_ON, Server

TOOLS = DATA.parent / "tools"


def run(
    scorer: str, files: Sequence[Path], *more: str, environment: Mapping[str, str] | None = None
) -> tuple[list[dict[str, Any]], str]:
    """What a scorer found, row by row, and what it printed."""
    program = TOOLS / scorer
    if not program.is_file():
        raise DataMissing(f"{scorer} is not there")
    with tempfile.TemporaryDirectory(prefix="recollect-eval-") as made:
        folder = Path(made)
        chosen, rows = folder / "chosen", folder / "rows.json"
        chosen.mkdir()
        for file in files:
            (chosen / file.name).symlink_to(file)
        with Server(
            folder / "data", environment={**EXTRACTION_ON, **(environment or {})}
        ) as server:
            given = ["--base-url", f"{server.url}/api/v2", "--api-key", server.api_key]
            given += ["--data", str(chosen), "--json", str(rows), *more]
            told = subprocess.run(
                [str(python_of(PY3)), str(program), *given],
                check=True,
                capture_output=True,
                text=True,
            )
        return json.loads(rows.read_text()), told.stdout


def chosen(folder: str, options: Options) -> list[Path]:
    """The files of a set, or some of them."""
    files = sorted((DATA / folder).glob("*.json"))
    if not files:
        raise DataMissing(f"there is nothing in {folder}")
    return options.take(files)


def share(rows: Sequence[Mapping[str, Any]], key: str) -> str:
    """The percentage of those rows that have *key* in which it is so, and of how many."""
    found = [bool(row[key]) for row in rows if key in row]
    return f"{100 * sum(found) / len(found):.1f} ({len(found)})" if found else "-"
