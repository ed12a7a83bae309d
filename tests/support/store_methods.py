"""The methods of the store's protocol by noun, and the statements they run."""

import ast
import re
from functools import cached_property
from pathlib import Path

from recollect.governance import soundness
from recollect.ingest import rebuild
from recollect.store import queries
from recollect.store.transaction import Transaction

_FOLDER = Path(queries.__file__).parent


def nouns() -> set[str]:
    """The nouns of a transaction, each with its class of queries."""
    return {
        name for name, value in vars(Transaction).items() if isinstance(value, cached_property)
    } - {"now"}


def methods() -> set[str]:
    """Every method, as `noun.method`."""
    found = set()
    for noun in nouns():
        tree = ast.parse((_FOLDER / f"{noun}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                found.add(f"{noun}.{node.name}")
    return found


def asked_names() -> set[str]:
    """The name of every statement that the methods run, including the members of families."""
    names = set()
    for noun in nouns():
        tree = ast.parse((_FOLDER / f"{noun}.py").read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            said = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
            if isinstance(said, str) and re.fullmatch(rf"{noun}\.\w*[a-z]/?", said):
                names.add(said.removesuffix("/"))
    return names | _families()


def _families() -> set[str]:
    """Statements whose names are built from data: soundness checks, digest parts, export records."""
    from recollect.exchange.tables import RECORDS
    from tests.unit.exchange.test_tables import READ_BY

    found = {f"soundness.{check}" for check in soundness._CHECKS.values()}
    found |= {f"digests.{part}" for part in rebuild._PARTS}
    found |= {f"exchange.import_{table.put}" for table in RECORDS.values()}
    found |= {name for read in READ_BY.values() for name in read}
    # The ids by which an export is paged.
    ids = "entity_ids fact_ids episode_ids observation_ids summary_ids session_log_ids"
    found |= {f"exchange.export_{part}" for part in (*ids.split(), "unbound_session_log_ids")}
    found.add("exchange.import_project")
    return found
