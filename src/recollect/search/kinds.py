"""Everything that search and contexts need to know about each kind of findable item.

For them a new kind is a member of `graph.types.Kind` and an entry in `KINDS`: how a segment loads it,
its filters, what it rests on, how it is read back, and how a context block shows it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from recollect.graph.filters import Filters
from recollect.graph.types import (
    Access,
    Entity,
    Episode,
    Fact,
    Graph,
    Item,
    Json,
    Kind,
    Observation,
    ThreadSummary,
)
from recollect.limits import (
    BLOCK_ENTITIES_BESIDE_MAX,
    BLOCK_EPISODE_CHARS_MAX,
    BLOCK_EPISODES_MAX,
    BLOCK_FACTS_BESIDE_MAX,
    BLOCK_OBSERVATIONS_MAX,
    BLOCK_THREAD_SUMMARIES_MAX,
)
from recollect.records import derived, episodes, knowledge
from recollect.search import masks
from recollect.search.columns import Flags
from recollect.search.query import NO_LOOKUPS, Lookups
from recollect.search.tables import (
    EntityTable,
    EpisodeTable,
    FactTable,
    ItemTable,
    ObservationTable,
    Tables,
    ThreadSummaryTable,
)
from recollect.store.protocol import Transaction

Escape = Callable[[str], str]
Position = tuple[bool, datetime, int]
Visible = Mapping[Kind, Flags]

_BASE_LABEL = "Entity"
_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


class KindSpec(NamedTuple):
    """What search and context need to know about one kind.

    - *item*: its type.
    - *table*, *rows*: where a segment keeps it, and the query that loads it.
    - *mask*: its own filters; without any, all existing items pass.
    - *resting*: which items rest on at least one of the flagged episodes.
    - *quoting*: which items may repeat the words of something that is not visible.
    - *read*: the items by their row ids.
    - *text*: what a cross-encoder reads.
    - *section*, *heading*, *line*, *position*: how a context block shows it, and in which order.
    - *variable*, *template_line*: its name in a context template, and its line there, which ends
      with its attributes if they are requested.
    - *attributes*: its attributes; without them, a template cannot select by type either.
    - *precedence*: which kind goes first at the same score; lower goes first.
    - *block_max*, *relevant*: how many a block shows at most, and the share of the best score below
      which an item is left out. After the first *few*, an item needs the share *good*.
    """

    item: type
    table: type[ItemTable]
    rows: Callable[[Transaction], Callable[..., Sequence[Any]]]
    resting: Callable[[Tables, Flags], Flags]
    read: Callable[[Transaction, Access, Graph, Sequence[int]], list[Any]]
    text: Callable[[Any], str]
    section: str
    heading: str
    line: Callable[[Any, Escape], str]
    position: Callable[[Any], Position]
    variable: str
    template_line: Callable[[Any, Escape, str], str]
    precedence: int
    block_max: int
    relevant: float = 0.6
    few: int = 0
    good: float = 0.0
    mask: Callable[[Tables, Filters, Lookups], Flags] | None = None
    quoting: Callable[[Tables, Visible], Flags] | None = None
    attributes: Callable[[Any], Json | None] | None = None


def kind_of(item: Item) -> Kind:
    """The kind of something found."""
    return _OF_TYPE[type(item)]


def mask(tables: Tables, kind: Kind, filters: Filters, lookups: Lookups = NO_LOOKUPS) -> Flags:
    """The slots of a kind whose items exist and pass the filters."""
    spec = KINDS[kind]
    if spec.mask is None:
        found: Flags = tables.by_kind[kind].alive.array.copy()
    else:
        found = spec.mask(tables, filters, lookups)
    for required in masks.required_episodes(tables, filters, lookups):
        found &= spec.resting(tables, required)
    return found


# What things rest on.


def _facts_on(tables: Tables, episodes: Flags) -> Flags:
    return tables.supports.resting_on(episodes, len(tables.facts))


def _entities_on(tables: Tables, episodes: Flags) -> Flags:
    return tables.mentions.resting_on(episodes, len(tables.entities))


def _observations_on(tables: Tables, episodes: Flags) -> Flags:
    return observations_from(tables, _facts_on(tables, episodes) & tables.facts.alive.array)


def observations_from(tables: Tables, facts: Flags) -> Flags:
    """The observations that rest on one of the flagged facts."""
    evidence = tables.observations.evidence
    flags = np.zeros(len(tables.observations), bool)
    flags[[slot for slot, behind in evidence.items() if facts[behind].any()]] = True
    return flags


def _thread_summaries_on(tables: Tables, episodes: Flags) -> Flags:
    table = tables.episodes
    series = np.zeros(len(table.series_names.values) + 1, bool)
    series[table.series.array[episodes & table.alive.array]] = True
    series[-1] = False  # of no thread or document
    flags: Flags = series[tables.thread_summaries.series.array]
    return flags


def _entities_quoting(tables: Tables, visible: Visible) -> Flags:
    """The entities that a hidden fact or episode is about: their summary may reveal it.

    The user's node always counts as one.
    """
    facts = tables.facts.alive.array & ~visible["fact"]
    flags = np.zeros(len(tables.entities) + 1, bool)
    flags[tables.facts.source.array[facts]] = True
    flags[tables.facts.target.array[facts]] = True
    episodes = tables.episodes.alive.array & ~visible["episode"]
    own: Flags = tables.entities.own.array
    return flags[:-1] | _entities_on(tables, episodes) | own


def _thread_summaries_quoting(tables: Tables, visible: Visible) -> Flags:
    """The summaries of threads with a hidden message, or with one behind a hidden fact."""
    episodes = tables.episodes.alive.array & ~visible["episode"]
    links = tables.supports
    untold = (tables.facts.alive.array & ~visible["fact"])[links.item.array]
    episodes[links.episode.array[untold]] = True
    return _thread_summaries_on(tables, episodes)


# How things are shown.


def moment(value: datetime | None) -> str:
    """A time in UTC in the format of context blocks."""
    # Not strftime: the width of years before 1000 depends on the system.
    return "date unknown" if value is None else value.isoformat(sep=" ", timespec="seconds")[:19]


def fact_range(fact: Fact) -> str:
    """From when to when a fact holds; one that was withdrawn is never shown as present."""
    ended = has_ended(fact)
    return f"{moment(fact.valid_at)} - {moment(fact.invalid_at) if ended else 'present'}"


def observation_range(observation: Observation) -> str:
    """From when to when an observation was supported."""
    end = observation.end_at
    return f"{moment(observation.start_at)} - {'present' if end is None else moment(end)}"


def summarized_at(summary: ThreadSummary) -> str:
    """The time of the last message that a thread's summary covers."""
    return moment(summary.covered_at or summary.updated_at)


def has_ended(fact: Fact) -> bool:
    """Whether the fact is known to have an end, in the world (`invalid_at`) or in our knowledge."""
    return fact.invalid_at is not None or fact.expired_at is not None


def episode_text(episode: Episode, escape: Escape) -> str:
    """Who said what; a long text is cut, with a mark."""
    said = cut(escape(episode.content))
    who = escape(episode.speaker or "")
    # The text of a log often starts with its speaker already.
    return f"{who}: {said}" if who and not said.startswith(f"{who}:") else said


def cut(text: str, chars_max: int = BLOCK_EPISODE_CHARS_MAX) -> str:
    """*text* up to the last whole word that fits, with a mark if something is left out."""
    if len(text) <= chars_max:
        return text
    kept = text[: max(chars_max - 2, 0)]
    at = kept.rfind(" ")
    kept = kept[:at] if at > chars_max // 2 else kept
    return f"{kept} …" if kept else ""


def _fact_template_line(fact: Fact, escape: Escape, extra: str) -> str:
    # The angle brackets are part of the format, so they are escaped together with the text.
    text = escape(f"<{fact.fact.strip()}>")
    return f"- ({fact_range(fact)}) [{escape(fact.name)}] {text} {extra}".rstrip()


def _entity_template_line(entity: Entity, escape: Escape, extra: str) -> str:
    types = ",".join(escape(label) for label in entity.labels if label != _BASE_LABEL)
    parts = [f"name: {escape(entity.name)}", f"types: [{types}]"]
    parts += [f"summary: {escape(entity.summary)}"] if entity.summary.strip() else []
    parts += [f"attributes: {extra}"] if extra else []
    return f"- {{ {', '.join(parts)} }}"


def _episode_template_line(episode: Episode, escape: Escape, extra: str) -> str:
    text = episode_text(episode, escape)
    return f"- ({moment(episode.created_at)}) {text} {extra}".rstrip()


def _entity_line(entity: Entity, escape: Escape) -> str:
    summary = escape(entity.summary)
    return f"  - {escape(entity.name)}: {summary}" if summary else ""


KINDS: dict[Kind, KindSpec] = {
    "fact": KindSpec(
        item=Fact,
        table=FactTable,
        rows=lambda tx: tx.index.facts,
        mask=masks.fact_mask,
        resting=_facts_on,
        read=knowledge.facts_by_ids,
        text=lambda fact: str(fact.fact),
        section="FACTS",
        heading="# These are the most relevant facts and their valid date ranges\n"
        "# format: FACT (Date range: from - to)",
        line=lambda fact, escape: f"  - {escape(fact.fact)} ({fact_range(fact)})",
        position=lambda fact: (has_ended(fact), fact.valid_at or _BEFORE_ALL, fact.id),
        variable="edges",
        template_line=_fact_template_line,
        attributes=lambda fact: fact.attributes,
        precedence=0,
        block_max=BLOCK_FACTS_BESIDE_MAX,
        relevant=0.3,  # facts are short, so more of them are shown
        few=10,
        good=0.45,
    ),
    "entity": KindSpec(
        item=Entity,
        table=EntityTable,
        rows=lambda tx: tx.index.entities,
        mask=masks.entity_mask,
        resting=_entities_on,
        quoting=_entities_quoting,
        read=knowledge.entities_by_ids,
        text=lambda entity: f"{entity.name}: {entity.summary}",
        section="ENTITIES",
        heading="# These are the most relevant entities\n# ENTITY_NAME: entity summary",
        line=_entity_line,
        position=lambda entity: (not entity.is_user, entity.created_at, entity.id),
        variable="entities",
        template_line=_entity_template_line,
        attributes=lambda entity: entity.attributes,
        precedence=2,
        block_max=BLOCK_ENTITIES_BESIDE_MAX,
        relevant=0.0,  # in a block their scores only give their order
    ),
    "episode": KindSpec(
        item=Episode,
        table=EpisodeTable,
        rows=lambda tx: tx.index.episodes,
        mask=masks.episode_mask,
        resting=lambda _, episodes: episodes,
        read=episodes.by_ids,
        text=lambda episode: str(episode.content),
        section="EPISODES",
        heading="# These are the most relevant things said before\n# format: WHO: WHAT (Date)",
        line=lambda one, escape: f"  - {episode_text(one, escape)} ({moment(one.created_at)})",
        position=lambda episode: (False, episode.created_at, episode.seq),
        variable="episodes",
        template_line=_episode_template_line,
        attributes=lambda episode: episode.metadata,
        precedence=4,
        block_max=BLOCK_EPISODES_MAX,
    ),
    "observation": KindSpec(
        item=Observation,
        table=ObservationTable,
        rows=lambda tx: tx.index.observations,
        resting=_observations_on,
        read=derived.observations_by_ids,
        text=lambda observation: str(observation.summary),
        section="OBSERVATIONS",
        heading="# These are patterns that recur in what is known\n"
        "# format: OBSERVATION (Date range: from - to)",
        line=lambda one, escape: f"  - {escape(one.summary)} ({observation_range(one)})",
        position=lambda one: (one.end_at is not None, one.start_at or _BEFORE_ALL, one.id),
        variable="observations",
        template_line=lambda one, escape, _: f"- ({observation_range(one)}) {escape(one.summary)}",
        precedence=1,
        block_max=BLOCK_OBSERVATIONS_MAX,
    ),
    "thread_summary": KindSpec(
        item=ThreadSummary,
        table=ThreadSummaryTable,
        rows=lambda tx: tx.index.summaries,
        resting=_thread_summaries_on,
        quoting=_thread_summaries_quoting,
        read=derived.thread_summaries_by_ids,
        text=lambda summary: str(summary.summary),
        section="THREAD_SUMMARIES",
        heading="# These are summaries of relevant conversations\n"
        "# format: SUMMARY (Date of the last message)",
        line=lambda one, escape: f"  - {escape(one.summary)} ({summarized_at(one)})",
        position=lambda one: (False, one.created_at, one.id),
        variable="thread_summaries",
        template_line=lambda one, escape, _: f"- ({summarized_at(one)}) {escape(one.summary)}",
        precedence=3,
        block_max=BLOCK_THREAD_SUMMARIES_MAX,
    ),
}
_OF_TYPE: dict[type, Kind] = {spec.item: kind for kind, spec in KINDS.items()}
