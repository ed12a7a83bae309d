"""Condition trees and texts for them in many spellings, and an evaluator that works on the text itself."""

import re
from datetime import UTC, datetime
from random import Random
from typing import Any

from hypothesis import strategies as st

from recollect.episodic_memory.filter_language import FIELDS
from recollect.graph.episode_filters import Comparison, EpisodeTest, EpisodeTree, Field

COMPARISONS: tuple[Comparison, ...] = ("=", "<>", ">", "<", ">=", "<=")
KEYS = ("a", "b.größe")
MOMENTS = tuple(datetime(2024, 1, day, tzinfo=UTC) for day in (1, 2, 3))

numbers = st.sampled_from([0, 1, -1, 2, 10, 1.0, 9.5, -0.5, 1e16])
# Texts that look like other types or syntax.
LOOKALIKES = ("1", "1.0", "10", "9", "-1", "true", "False", "AND", ") OR (", "message", "e1")
DATES = ("2024-01-02", "2024-01-01T23:00:00-01:00")
texts = st.sampled_from(
    (*LOOKALIKES, *DATES, "x", "X", "bot", "user", "", "O'Brien", 'say "no"', "é")
)
literals: st.SearchStrategy[Any] = numbers | texts | st.booleans() | st.sampled_from(MOMENTS)
lists: st.SearchStrategy[Any] = st.lists(numbers, min_size=1, max_size=3).map(tuple) | st.lists(
    texts, min_size=1, max_size=3
).map(tuple)


def _values(field: Field, comparison: Comparison) -> st.SearchStrategy[Any]:
    if comparison == "IS NULL":
        return st.none()
    one = st.sampled_from(MOMENTS) if field == "created_at" else literals
    if comparison != "IN":
        return one
    return st.lists(one, min_size=1, max_size=3).map(tuple) if field == "created_at" else lists


def _tests_of(field: Field) -> st.SearchStrategy[EpisodeTest]:
    ordered = () if field == "uid" else COMPARISONS[2:]
    chosen: st.SearchStrategy[Comparison] = st.sampled_from(
        ("=", "<>", "IN", "IS NULL", *ordered)  # type: ignore[arg-type]
    )
    key = st.sampled_from(KEYS) if field == "metadata" else st.just("")
    return chosen.flatmap(
        lambda comparison: st.builds(
            EpisodeTest,
            field=st.just(field),
            comparison=st.just(comparison),
            key=key,
            value=_values(field, comparison),
        )
    )


# Metadata is filtered most often.
fields = st.sampled_from(("metadata", "metadata", *FIELDS))
episode_tests: st.SearchStrategy[EpisodeTest] = fields.flatmap(_tests_of)
leaves = st.lists(episode_tests, min_size=1, max_size=3).map(tuple)
episode_trees: st.SearchStrategy[EpisodeTree] = st.recursive(
    st.builds(EpisodeTree, joined_by=st.sampled_from(["and", "or", "not"]), tests=leaves),
    lambda inner: st.builds(
        EpisodeTree,
        joined_by=st.sampled_from(["and", "or", "not"]),
        tests=st.just(()) | leaves,
        trees=st.lists(inner, min_size=1, max_size=2).map(tuple),
    ),
    max_leaves=4,
)


def written(style: Random, tree: EpisodeTree) -> str:
    """A text for the tree, with random case, spacing and optional parentheses."""
    parts = [_of_test(style, test) for test in tree.tests]
    parts += [f"({written(style, inner)})" for inner in tree.trees]
    word = "or" if tree.joined_by == "not" else tree.joined_by
    text = f"{_gap(style)}{_cased(style, word)}{_gap(style)}".join(
        f"({part})" if style.random() < 0.25 else part for part in parts
    )
    return f"{_cased(style, 'not')}{_gap(style)}({text})" if tree.joined_by == "not" else text


def _gap(style: Random) -> str:
    return style.choice([" ", "  ", "\n", "\t "])


def _maybe_gap(style: Random) -> str:
    return style.choice(["", " ", "\n"])


def _cased(style: Random, word: str) -> str:
    return style.choice([word.upper(), word.lower(), word.title()])


def _of_test(style: Random, test: EpisodeTest) -> str:
    name = test.field
    if test.field == "metadata":
        name = style.choice(["m.", "metadata."]) + test.key  # type: ignore[assignment]
    if test.comparison == "IS NULL":
        return f"{name}{_gap(style)}{_cased(style, 'is')}{_gap(style)}{_cased(style, 'null')}"
    if isinstance(test.value, tuple):
        values = [f"{_maybe_gap(style)}{_of_value(style, one)}" for one in test.value]
        listed = f"{_maybe_gap(style)},".join(values)
        return f"{name}{_gap(style)}{_cased(style, 'in')}{_maybe_gap(style)}({listed})"
    sign = style.choice(["<>", "!="]) if test.comparison == "<>" else test.comparison
    return f"{name}{_maybe_gap(style)}{sign}{_maybe_gap(style)}{_of_value(style, test.value)}"


def _of_value(style: Random, value: Any) -> str:
    if isinstance(value, datetime):
        day = f"'{value.date()}'" if style.random() < 0.5 else f'"{value.isoformat()}"'
        return f"{_cased(style, 'date')}{_maybe_gap(style)}({day})"
    if isinstance(value, bool):
        return _cased(style, str(value))
    if isinstance(value, str):
        bare = re.fullmatch(r"(?!true|false|and|\d)\w+", value, re.IGNORECASE)
        if bare and style.random() < 0.5:
            return value
        quote = style.choice("'\"")
        return quote + value.replace(quote, quote * 2) + quote
    return style.choice(["", "+"]) + str(value) if value > 0 else str(value)


def meaning(text: str, values: dict[str, Any]) -> bool:
    """Whether a text is true for an episode with these values (a list per field).

    The text becomes a Boolean expression whose atoms are evaluated first, each by a table of what its
    value can be read as.
    """
    atoms: list[str] = []

    def judged(match: re.Match[str]) -> str:
        atoms.append(str(_atom(match, values)))
        return f" {atoms[-1]} "

    logic = _ATOM.sub(judged, text)
    for word in ("and", "or", "not"):
        logic = re.sub(rf"\b{word}\b", f" {word} ", logic, flags=re.IGNORECASE)
    return bool(eval(" ".join(logic.split())))  # noqa: S307


_VALUE = r"""(?:date\s*\(\s*(?:'[^']*'|"[^"]*")\s*\)|'(?:[^']|'')*'|"(?:[^"]|"")*"|[-+\w.]+)"""
_ATOM = re.compile(
    rf"""(?P<name>(?!(?:and|or|not)\b)\w[\w.]*)\s*
    (?:\bis\s+(?P<null>null)
      |\bin\s*\(\s*(?P<list>{_VALUE}(?:\s*,\s*{_VALUE})*)\s*\)
      |(?P<sign><>|!=|<=|>=|=|<|>)\s*(?P<value>{_VALUE}))""",
    re.IGNORECASE | re.VERBOSE,
)


def _atom(match: re.Match[str], values: dict[str, Any]) -> bool:
    held = values.get(re.sub(r"^(m|metadata)\.", "m.", match["name"]), [])
    if match["null"]:
        return held == []
    if match["list"]:
        given = re.findall(_VALUE, match["list"], re.IGNORECASE)
        return any(_compared("=", one, each) for one in given for each in held)
    if match["sign"] in ("<>", "!="):
        readable = any(_compared("any", match["value"], each) for each in held)
        return readable and not any(_compared("=", match["value"], each) for each in held)
    return any(_compared(match["sign"], match["value"], each) for each in held)


def _compared(sign: str, given: str, held: Any) -> bool:
    kind, wanted = _meant(given)
    found = _readings(held).get(kind)
    if found is None:
        return False
    outcomes = {"any": True, "=": found == wanted, "<": found < wanted, ">": found > wanted}
    if sign in outcomes:
        return bool(outcomes[sign])
    return outcomes["="] or outcomes[sign[0]]


def _meant(given: str) -> tuple[str, Any]:
    """The type of a given literal, and its value."""
    if given.lower().startswith("date") and "(" in given:
        return "moment", _readings(given.split("(")[1].strip(" \n)'\""))["moment"]
    if given[0] in "'\"":
        return "text", given[1:-1].replace(given[0] * 2, given[0])
    if given.lower() in ("true", "false"):
        return "truth", given.lower() == "true"
    return ("number", float(given)) if re.match(r"[-+.\d]", given) else ("text", given)


def _readings(held: Any) -> dict[str, Any]:
    """Everything that a stored value can be read as, by type."""
    if isinstance(held, datetime):
        return {"moment": held}
    if isinstance(held, bool):
        return {"truth": held, "text": str(held).lower()}
    if isinstance(held, int | float):
        whole = held == int(held)
        return {"number": float(held), "text": str(int(held) if whole else held)}
    found: dict[str, Any] = {"text": held}
    if re.fullmatch(r"[-+]?\d+(\.\d+)?", held, re.ASCII):
        found["number"] = float(held)
    if held.lower() in ("true", "false"):
        found["truth"] = held.lower() == "true"
    if re.match(r"\d{4}-\d\d-\d\d", held):
        parsed = datetime.fromisoformat(held)
        found["moment"] = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return found
