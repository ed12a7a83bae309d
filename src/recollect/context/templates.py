"""Context templates: text with holes, such as `%{edges limit=10 types=[LIKES,KNOWS]}`.

A template is read when it is saved, so that a mistake is told to whoever wrote it, and read again
when it is filled in.
"""

import re
from typing import Literal, get_args

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Record
from recollect.limits import (
    CONTEXT_CHARS_MAX,
    TEMPLATE_CHARS_MAX,
    TEMPLATE_DERIVED_ITEMS_MAX,
    TEMPLATE_ITEMS_MAX,
)

Variable = Literal[
    "edges", "entities", "episodes", "observations", "thread_summaries", "user_summary"
]

_VARIABLES: dict[str, Variable] = {name: name for name in get_args(Variable)}
_ALL = ("limit", "types", "include_attributes", "max_characters")
_OPTIONS: dict[Variable, tuple[str, ...]] = {
    "edges": _ALL,
    "entities": _ALL,
    "episodes": _ALL,
    "observations": ("limit", "max_characters"),
    "thread_summaries": ("limit", "max_characters"),
    "user_summary": ("max_characters",),
}
# A larger limit is accepted for these, as it always was, but never gives more.
_ITEMS_MAX: dict[Variable, int] = {
    "observations": TEMPLATE_DERIVED_ITEMS_MAX,
    "thread_summaries": TEMPLATE_DERIVED_ITEMS_MAX,
}
_OPEN = "%{"
_NAME = re.compile(r"\s*([^\s=\[\]]*)")
_OPTION = re.compile(r"\s+(\w+)=(\[[^\[\]]*\]|[^\s\[\]]+)")
_BOOLEANS = {"true": True, "false": False}


class Text(Record):
    """Words that stand in the block as they are."""

    text: str


class Hole(Record):
    """A place to fill in: what with, how much of it, of which types; None is the default."""

    variable: Variable
    limit: int | None = None
    types: tuple[str, ...] = ()
    include_attributes: bool | None = None
    chars_max: int | None = None


Piece = Text | Hole


def parse(template: str) -> list[Piece]:
    """The pieces of a template in order; what is wrong with one is said with its place."""
    checks.text("template", template, TEMPLATE_CHARS_MAX, required=True)
    pieces: list[Piece] = []
    position = 0
    while (start := template.find(_OPEN, position)) >= 0:
        _add_text(pieces, template[position:start])
        end = template.find("}", start)
        inside = template[start + len(_OPEN) : end]
        # A brace inside means that the one found closes something else.
        if end < 0 or "{" in inside:
            raise InvalidInput(f"template: the {_OPEN!r} at character {start + 1} is never closed")
        pieces.append(_hole(inside))
        position = end + 1
    _add_text(pieces, template[position:])
    return pieces


def _add_text(pieces: list[Piece], text: str) -> None:
    if text:
        pieces.append(Text(text=text))


def _hole(inside: str) -> Hole:
    field = f"template: %{{{inside}}}"
    named = _NAME.match(inside)
    variable = _variable(field, named[1] if named else "")
    options = _options(field, inside[named.end() if named else 0 :])
    for option in options:
        if option not in _OPTIONS[variable]:
            allowed = ", ".join(_OPTIONS[variable]) or "no options"
            raise InvalidInput(f"{field}: {variable} takes {allowed}, not {option!r}")
    return Hole(
        variable=variable,
        limit=_limit(field, variable, options.get("limit")),
        types=_types(field, options.get("types")),
        include_attributes=_boolean(field, "include_attributes", options.get("include_attributes")),
        chars_max=_number(
            field, "max_characters", options.get("max_characters"), CONTEXT_CHARS_MAX
        ),
    )


def _variable(field: str, name: str) -> Variable:
    variable = _VARIABLES.get(name)
    if variable is None:
        known = ", ".join(_VARIABLES)
        raise InvalidInput(f"{field}: unknown variable {name!r}; known are {known}")
    return variable


def _options(field: str, text: str) -> dict[str, str]:
    """`name=value` words, each name once; a value is one word or a bracketed list."""
    options: dict[str, str] = {}
    position = 0
    while text[position:].strip():
        found = _OPTION.match(text, position)
        if found is None:
            rest = text[position:].strip()
            raise InvalidInput(f"{field}: cannot read {rest!r}; options look like limit=10")
        name, value = found.groups()
        if name in options:
            raise InvalidInput(f"{field}: {name!r} is given twice")
        options[name] = value
        position = found.end()
    return options


def _limit(field: str, variable: Variable, value: str | None) -> int | None:
    number = _number(field, "limit", value, TEMPLATE_ITEMS_MAX)
    return None if number is None else min(number, _ITEMS_MAX.get(variable, TEMPLATE_ITEMS_MAX))


def _number(field: str, option: str, value: str | None, most: int) -> int | None:
    if value is None:
        return None
    number = int(value) if value.isascii() and value.isdigit() else 0
    if not 1 <= number <= most:
        raise InvalidInput(f"{field}: {option} must be a number from 1 to {most}, got {value!r}")
    return number


def _types(field: str, value: str | None) -> tuple[str, ...]:
    if value is None:
        return ()
    names = tuple(name.strip() for name in value[1:-1].split(","))
    if not value.startswith("[") or not all(names):
        raise InvalidInput(f"{field}: types must be a list such as [a,b], got {value!r}")
    return names


def _boolean(field: str, option: str, value: str | None) -> bool | None:
    if value is None:
        return None
    if value not in _BOOLEANS:
        raise InvalidInput(f"{field}: {option} must be true or false, got {value!r}")
    return _BOOLEANS[value]
