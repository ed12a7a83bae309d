"""Context templates: text with placeholders, such as `%{edges limit=10 types=[LIKES,KNOWS]}`.

A template is parsed when it is saved, so that its author learns of a mistake at once. It is parsed
again when it is rendered: each placeholder becomes the lines of its variable, within one budget.
"""

import asyncio
import re
from collections.abc import Sequence
from itertools import chain

import msgspec

from recollect.context import budget
from recollect.context.blocks import Block, ToldLine, told_line, told_summary
from recollect.context.gather import Gatherer
from recollect.context.lines import TagEscaper, position, tag_names
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.filters import Filters
from recollect.graph.types import Item, Json, Kind, Record
from recollect.limits import (
    BLOCK_FACTS_MAX,
    CONTEXT_CHARS_MAX,
    TEMPLATE_CHARS_MAX,
    TEMPLATE_DERIVED_ITEMS_MAX,
    TEMPLATE_ITEMS_DEFAULT,
    TEMPLATE_ITEMS_MAX,
)
from recollect.search.kinds import KINDS, cut, kind_of

_encode = msgspec.json.Encoder(order="deterministic").encode
_USER_SUMMARY = "user_summary"
_KINDS: dict[str, Kind] = {spec.variable: kind for kind, spec in KINDS.items()}
_ALL_OPTIONS = ("limit", "types", "include_attributes", "max_characters")
_OPEN = "%{"
_NAME = re.compile(r"\s*([^\s=\[\]]*)")
_OPTION = re.compile(r"\s+(\w+)=(\[[^\[\]]*\]|[^\s\[\]]+)")
_BOOLEANS = {"true": True, "false": False}


class TemplateText(Record):
    """Literal text of the template."""

    text: str


class Placeholder(Record):
    """A place to fill in: the variable, the limits, and the types; None means the default."""

    variable: str
    limit: int | None = None
    types: tuple[str, ...] = ()
    include_attributes: bool | None = None
    chars_max: int | None = None


Piece = TemplateText | Placeholder


def parse(template: str) -> list[Piece]:
    """The pieces of a template in order; errors name the position."""
    checks.text("template", template, TEMPLATE_CHARS_MAX, required=True)
    pieces: list[Piece] = []
    position = 0
    while (start := template.find(_OPEN, position)) >= 0:
        _add_text(pieces, template[position:start])
        end = template.find("}", start)
        inside = template[start + len(_OPEN) : end]
        # A brace inside means that the closing brace belongs to something else.
        if end < 0 or "{" in inside:
            raise InvalidInput(f"template: the {_OPEN!r} at character {start + 1} is never closed")
        pieces.append(_placeholder(inside))
        position = end + 1
    _add_text(pieces, template[position:])
    return pieces


def _add_text(pieces: list[Piece], text: str) -> None:
    if text:
        pieces.append(TemplateText(text=text))


def _placeholder(inside: str) -> Placeholder:
    field = f"template: %{{{inside}}}"
    named = _NAME.match(inside)
    variable = _variable(field, named[1] if named else "")
    options = _options(field, inside[named.end() if named else 0 :])
    for option in options:
        if option not in _allowed(variable):
            allowed = ", ".join(_allowed(variable))
            raise InvalidInput(f"{field}: {variable} takes {allowed}, not {option!r}")
    return Placeholder(
        variable=variable,
        limit=_limit(field, variable, options.get("limit")),
        types=_types(field, options.get("types")),
        include_attributes=_boolean(field, "include_attributes", options.get("include_attributes")),
        chars_max=_number(
            field, "max_characters", options.get("max_characters"), CONTEXT_CHARS_MAX
        ),
    )


def _variable(field: str, name: str) -> str:
    known = (*_KINDS, _USER_SUMMARY)
    if name not in known:
        raise InvalidInput(f"{field}: unknown variable {name!r}; known are {', '.join(known)}")
    return name


def _allowed(variable: str) -> tuple[str, ...]:
    """The options of a variable; only items with attributes can be selected by type."""
    if variable == _USER_SUMMARY:
        return ("max_characters",)
    return _ALL_OPTIONS if KINDS[_KINDS[variable]].attributes else ("limit", "max_characters")


def _options(field: str, text: str) -> dict[str, str]:
    """`name=value` pairs, each name once; a value is one word or a bracketed list."""
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


def _limit(field: str, variable: str, value: str | None) -> int | None:
    number = _number(field, "limit", value, TEMPLATE_ITEMS_MAX)
    if number is None or "types" in _allowed(variable):
        return number
    # A larger limit for derived items is accepted for compatibility, but never gives more.
    return min(number, TEMPLATE_DERIVED_ITEMS_MAX)


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


async def render(
    pieces: Sequence[Piece], gatherer: Gatherer, room: int, rating_min: float | None = None
) -> Block:
    """Fill a template with what is known."""
    placeholders = [piece for piece in pieces if isinstance(piece, Placeholder)]
    # The first one alone: the later searches then find the query's vector in the cache.
    filling = [
        await _filling(placeholder, gatherer, rating_min) for placeholder in placeholders[:1]
    ]
    filling += await asyncio.gather(
        *(_filling(placeholder, gatherer, rating_min) for placeholder in placeholders[1:])
    )
    user = gatherer.request.user
    return filled(pieces, filling, user.summary if user else "", room)


async def _filling(
    placeholder: Placeholder, gatherer: Gatherer, rating_min: float | None
) -> Sequence[Item]:
    """Candidates for a placeholder, most relevant first."""
    limit = placeholder.limit or TEMPLATE_ITEMS_DEFAULT
    types = placeholder.types
    kind = _KINDS.get(placeholder.variable)
    if kind is None:
        return []
    if kind == "fact":
        return await gatherer.facts(limit, Filters(edge_types=types, rating_min=rating_min))
    if kind == "entity":
        return await gatherer.entities(limit, BLOCK_FACTS_MAX, Filters(node_labels=types))
    # Episodes have few types, and a search cannot filter by them: fetch more, then choose.
    hits = await gatherer.hits(kind, TEMPLATE_ITEMS_MAX if types else limit)
    return [hit.item for hit in hits if not types or hit.item.kind in types][:limit]


def filled(
    pieces: Sequence[Piece], filling: Sequence[Sequence[Item]], user_summary: str, room: int
) -> Block:
    """The template with its placeholders filled with whole lines; its own text is never cut.

    *filling* has the items of each placeholder, in order. The user summary gets up to half of the room;
    the rest goes to the best item of each placeholder, then to the next best.
    """
    words = "".join(piece.text for piece in pieces if isinstance(piece, TemplateText))
    placeholders = [piece for piece in pieces if isinstance(piece, Placeholder)]
    escape = TagEscaper(tag_names(words))
    left = max(room - len(words), 0)
    summaries = sum(placeholder.variable == "user_summary" for placeholder in placeholders)
    bounds = [
        placeholder.chars_max
        for placeholder in placeholders
        if placeholder.variable == "user_summary" and placeholder.chars_max
    ]
    most = min([left // 2 // max(summaries, 1), *bounds])
    summary = cut(escape.lines(user_summary), most) if summaries else ""
    lines_of = _rendered(placeholders, filling, left - summaries * len(summary), escape)
    texts = iter(
        summary
        if placeholder.variable == "user_summary"
        else "\n".join(line.text for line in lines)
        for placeholder, lines in zip(placeholders, lines_of, strict=True)
    )
    text = "".join(
        piece.text if isinstance(piece, TemplateText) else next(texts) for piece in pieces
    )
    return Block(text=text, told=(*told_summary(summary), *chain.from_iterable(lines_of)))


def _rendered(
    placeholders: Sequence[Placeholder],
    filling: Sequence[Sequence[Item]],
    room: int,
    escape: TagEscaper,
) -> list[list[ToldLine]]:
    """The lines of each placeholder: chosen round-robin, shown in the order of every block."""
    lists = []
    for number, (placeholder, items) in enumerate(zip(placeholders, filling, strict=True)):
        told = [(number, item, template_line(placeholder, item, escape)) for item in items]
        if placeholder.chars_max is not None:
            lines_only = (("", line) for _, _, line in told)
            told = [told[place] for place in budget.affordable(lines_only, placeholder.chars_max)]
        lists.append(told)
    offers = list(budget.in_turns(lists))
    taken = budget.affordable(((str(number), line) for number, _, line in offers), room)
    chosen = sorted((offers[number] for number in taken), key=lambda offer: position(offer[1]))
    return [
        [told_line(item, line) for owner, item, line in chosen if owner == number]
        for number in range(len(placeholders))
    ]


def template_line(placeholder: Placeholder, item: Item, escape: TagEscaper) -> str:
    """The line of one item in a template."""
    spec = KINDS[kind_of(item)]
    extra = ""
    if placeholder.include_attributes and spec.attributes is not None:
        extra = _attributes(spec.attributes(item), escape)
    return spec.template_line(item, escape, extra)


def _attributes(carried: Json | None, escape: TagEscaper) -> str:
    """Attributes or metadata by name, without those that have no value."""
    told = [
        f"{escape(name)}: {escape(value if isinstance(value, str) else _encode(value).decode())}"
        for name, value in sorted((carried or {}).items())
        if value is not None
    ]
    return f"{{ {', '.join(told)} }}" if told else ""
