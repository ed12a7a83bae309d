"""Filling in a template: each hole with the lines of its variable, all within one budget."""

import asyncio
from collections.abc import Sequence

import msgspec

from recollect.context import budget, lines
from recollect.context.defusing import Defuser, tag_names
from recollect.context.gather import Gatherer
from recollect.context.lines import Item
from recollect.context.order import place
from recollect.context.templates import Hole, Piece, Text
from recollect.graph.filters import Filters
from recollect.graph.types import Entity, Episode, Fact, Json, Observation
from recollect.limits import BLOCK_FACTS_MAX, TEMPLATE_ITEMS_DEFAULT, TEMPLATE_ITEMS_MAX

_encode = msgspec.json.Encoder(order="deterministic").encode
_BASE_LABEL = "Entity"


async def render(
    pieces: Sequence[Piece], gatherer: Gatherer, room: int, rating_min: float | None = None
) -> str:
    """The block that a template makes of what is known."""
    holes = [piece for piece in pieces if isinstance(piece, Hole)]
    # The first by itself: the searches after it meet a question that is known already.
    filling = [await _filling(hole, gatherer, rating_min) for hole in holes[:1]]
    filling += await asyncio.gather(*(_filling(hole, gatherer, rating_min) for hole in holes[1:]))
    user = gatherer.asked.user
    return filled(pieces, filling, user.summary if user else "", room)


async def _filling(hole: Hole, gatherer: Gatherer, rating_min: float | None) -> Sequence[Item]:
    """What could stand in a hole, the most relevant first."""
    limit = hole.limit or TEMPLATE_ITEMS_DEFAULT
    match hole.variable:
        case "edges":
            filters = Filters(edge_types=hole.types, rating_min=rating_min)
            return await gatherer.facts(limit, filters)
        case "entities":
            filters = Filters(node_labels=hole.types)
            return await gatherer.entities(limit, BLOCK_FACTS_MAX, filters)
        case "episodes":
            # Kinds of episodes are few, and no filter of a search: look further, then choose.
            hits = await gatherer.episodes(TEMPLATE_ITEMS_MAX if hole.types else limit)
            return [e.item for e in hits if not hole.types or e.item.kind in hole.types][:limit]
        case "observations":
            found = await gatherer.derived("observation", limit)
            return [hit.item for hit in found.observations]
        case "thread_summaries":
            found = await gatherer.derived("thread_summary", limit)
            return [hit.item for hit in found.thread_summaries]
        case "user_summary":
            return []


def filled(
    pieces: Sequence[Piece], filling: Sequence[Sequence[Item]], user_summary: str, room: int
) -> str:
    """The template with its holes filled, in whole lines; its own words are never cut.

    *filling* has the items of each hole in the order of the holes. The user summary has up to half
    of the room; the rest goes to the best of each hole, then to the next best.
    """
    words = "".join(piece.text for piece in pieces if isinstance(piece, Text))
    holes = [piece for piece in pieces if isinstance(piece, Hole)]
    safe = Defuser(tag_names(words))
    left = max(room - len(words), 0)
    tellings = sum(hole.variable == "user_summary" for hole in holes)
    bounds = [
        hole.chars_max for hole in holes if hole.variable == "user_summary" and hole.chars_max
    ]
    most = min([left // 2 // max(tellings, 1), *bounds])
    summary = lines.cut(safe.lines(user_summary), most) if tellings else ""
    told = _told(holes, filling, left - tellings * len(summary), safe)
    texts = iter(
        summary if hole.variable == "user_summary" else text
        for hole, text in zip(holes, told, strict=True)
    )
    return "".join(piece.text if isinstance(piece, Text) else next(texts) for piece in pieces)


def _told(
    holes: Sequence[Hole], filling: Sequence[Sequence[Item]], room: int, safe: Defuser
) -> list[str]:
    """The text of each hole: chosen in turns, told in the order every block has."""
    lists = []
    for number, (hole, items) in enumerate(zip(holes, filling, strict=True)):
        told = [(number, item, template_line(hole, item, safe)) for item in items]
        if hole.chars_max is not None:
            lines_only = (("", line) for _, _, line in told)
            told = [told[place] for place in budget.affordable(lines_only, hole.chars_max)]
        lists.append(told)
    offers = list(budget.in_turns(lists))
    taken = budget.affordable(((str(number), line) for number, _, line in offers), room)
    chosen = sorted((offers[number] for number in taken), key=lambda offer: place(offer[1]))
    return [
        "\n".join(line for owner, _, line in chosen if owner == number)
        for number in range(len(holes))
    ]


def template_line(hole: Hole, item: Item, safe: Defuser) -> str:
    """The line of one item in a template's hole."""
    extra = ""
    if hole.include_attributes and isinstance(item, Fact | Entity | Episode):
        carried = item.metadata if isinstance(item, Episode) else item.attributes
        extra = _attributes(carried, safe)
    match item:
        case Fact():
            # The angles are part of the form, so they are looked at together with the words.
            told = safe(f"<{item.fact.strip()}>")
            dated = f"({lines.fact_range(item)}) [{safe(item.name)}] {told}"
            return f"- {dated} {extra}".rstrip()
        case Entity():
            types = ",".join(safe(label) for label in item.labels if label != _BASE_LABEL)
            parts = [f"name: {safe(item.name)}", f"types: [{types}]"]
            parts += [f"summary: {safe(item.summary)}"] if item.summary.strip() else []
            parts += [f"attributes: {extra}"] if extra else []
            return f"- {{ {', '.join(parts)} }}"
        case Episode():
            dated = f"({lines.moment(item.created_at)}) {lines.episode_text(item, safe)}"
            return f"- {dated} {extra}".rstrip()
        case Observation():
            return f"- ({lines.observation_range(item)}) {safe(item.summary)}"
        case _:
            return f"- ({lines.moment(item.covered_at or item.updated_at)}) {safe(item.summary)}"


def _attributes(carried: Json | None, safe: Defuser) -> str:
    """Attributes or metadata by name; nothing for those that have no value."""
    told = [
        f"{safe(name)}: {safe(value if isinstance(value, str) else _encode(value).decode())}"
        for name, value in sorted((carried or {}).items())
        if value is not None
    ]
    return f"{{ {', '.join(told)} }}" if told else ""
