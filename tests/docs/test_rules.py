"""Rules are named by a letter and a number; one page says what each means."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.docs.reference import ROOT

PAGE = ROOT / "docs" / "reference" / "rules.md"
# One id, or the first and the last of several: T6, T4-T7, E16 to E19.
MENTION = re.compile(r"(?<![\w-])([A-Z])(\d{1,2})\b(?:(?:-| to )\1(\d{1,2})\b)?")
# Quarters and halves of a year in examples of dates, and a measure.
NOT_RULES = {"F1", "H2", "Q1", "Q3"}


def prose(path: Path) -> Iterator[str]:
    """Where a file can mention rules: docstrings, comments, ids of cases, what cites RULES."""
    source = path.read_text(encoding="utf-8")
    if not MENTION.search(source):
        return  # most files: taking them apart would take seconds
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield ast.get_docstring(node) or ""
            case ast.keyword(arg="id", value=ast.Constant(value=str() as name)):
                yield name
            case ast.JoinedStr(values=parts) if "RULES" in ast.unparse(node):
                yield "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def ids(text: str) -> Iterator[str]:
    """The rules that a text mentions, those within a range as well."""
    for family, first, last in MENTION.findall(text):
        for number in range(int(first), int(last or first) + 1):
            yield f"{family}{number}"


def test_every_rule_that_is_mentioned_is_on_the_page_and_no_other() -> None:
    """A number without a sentence helps nobody."""
    mentioned = {
        rule
        for folder in ("src", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if path != Path(__file__)
        for text in prose(path)
        for rule in ids(text)
    } - NOT_RULES
    written = re.findall(r"^\| ([A-Z]\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(written) == sorted(set(written)), "one row each"
    assert mentioned - set(written) == set(), "say them in docs/reference/rules.md"
    assert set(written) - mentioned == set(), "nothing mentions these any more"
