"""Topics that a user keeps talking about: themes, people and things in the newest messages.

A topic is detected when it comes up on several days among a bounded number of episodes. From then on
it keeps the facts it rests on, however old they get, and gains what is said about it later.
"""

from collections.abc import Callable, Iterator, Sequence

from recollect.derive import readings
from recollect.graph import observations
from recollect.graph.types import Record
from recollect.limits import (
    OBSERVATION_EPISODES_MAX,
    OBSERVATION_OPEN_FACTS_MAX,
    TOPIC_EPISODES_MAX,
    TOPIC_FACTS_MAX,
)
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.observations import TopicEntitiesRow, TopicFactsRow, TopicWindowRow

_LAST_SEQ = 2**62


class Place(Record):
    """Identifies a topic: the user, the theme or entity it is about, and the side of the policies' walls."""

    user_id: int
    theme: str | None
    about: str | None
    side: str


class _Topic(Record):
    """Recognizes the facts of a topic: by a theme, or by the names of an entity."""

    theme: str | None = None
    entity_id: int | None = None
    names: tuple[frozenset[str], ...] = ()

    def has(self, row: TopicFactsRow | TopicWindowRow) -> bool:
        if self.theme is not None:
            return self.theme in observations.themes(row.fact)
        ends = (row.source_id, row.target_id)
        return self.entity_id in ends or observations.names_it(row.fact, self.names)


def touched(
    tx: Transaction, episode_id: int, least: int, is_known: Callable[[Place], bool]
) -> Iterator[Place]:
    """The topics of an episode that are known already, or came up on *least* days in as many facts."""
    place = tx.observations.topic_place(episode_id=episode_id)
    if place is None:
        return
    side = readings.side(tx, place.graph_id, place.seq) or ""
    window = _window(tx, place.graph_id, place.seq, side)
    new = [row for row in window if row.episode_id == episode_id]
    for uuid, topic in _topics(tx, new, window, place.user_name):
        on_it = [row for row in window if topic.has(row)]
        days = {rows.moment(row.said_at).date() for row in on_it}
        enough = len(days) >= least and len({row.gist for row in on_it}) >= least
        found = Place(user_id=place.user_id, theme=topic.theme, about=uuid, side=side)
        if enough or is_known(found):
            yield found


def facts(
    tx: Transaction, place: Place, held: set[int], episode_id: int | None
) -> list[TopicFactsRow]:
    """The facts of a topic as of an episode, or now, including those it already rests on (*held*)."""
    known = tx.entities.by_id(id=place.user_id)
    topic = None if known is None else _topic(tx, place.theme, place.about, known.name)
    if known is None or topic is None:
        return []
    at = None if episode_id is None else tx.observations.topic_place(episode_id=episode_id)
    last = _LAST_SEQ if at is None else at.seq
    window = _window(tx, known.graph_id, last, place.side)
    numbers = sorted(held | {row.id for row in window if topic.has(row)})
    if len(numbers) > OBSERVATION_OPEN_FACTS_MAX:  # keep the first: it shows since when
        numbers = [numbers[0], *numbers[1 - OBSERVATION_OPEN_FACTS_MAX :]]
    listed = rows.to_json(numbers)
    found = tx.observations.topic_facts(ids=listed, said_max=OBSERVATION_EPISODES_MAX)
    return [row for row in found if topic.has(row)]  # one may have been corrected since


def called(tx: Transaction, theme: str | None, uuid: str | None) -> str:
    """What a topic is called in a sentence."""
    if theme is not None or uuid is None:
        return theme or ""
    place = tx.entities.place(uuid=uuid)
    entity = None if place is None else tx.entities.by_id(id=place.id)
    return observations.spoken(entity.name) if entity is not None else ""


def _window(tx: Transaction, graph_id: int, seq: int, side: str) -> list[TopicWindowRow]:
    return tx.observations.topic_window(
        graph_id=graph_id,
        seq=seq,
        side=side,
        limit=TOPIC_EPISODES_MAX,
        most=TOPIC_FACTS_MAX,
    )


def _topics(
    tx: Transaction, new: Sequence[TopicWindowRow], window: Sequence[TopicWindowRow], user: str
) -> Iterator[tuple[str | None, _Topic]]:
    """The topics of the new facts: their themes, and the entities of the window that they mention."""
    for theme in sorted({theme for row in new for theme in observations.themes(row.fact)}):
        yield None, _Topic(theme=theme)
    ends = {end for row in window for end in (row.source_id, row.target_id)} if new else ()
    for entity in tx.observations.topic_entities(ids=rows.to_json(sorted(ends))):
        topic = _about(entity, user)
        if topic is not None and any(map(topic.has, new)):
            yield entity.uuid, topic


def _topic(tx: Transaction, theme: str | None, uuid: str | None, user: str) -> _Topic | None:
    if theme is not None or uuid is None:
        return None if theme is None else _Topic(theme=theme)
    place = tx.entities.place(uuid=uuid)
    if place is None:
        return None
    found = tx.observations.topic_entities(ids=rows.to_json([place.id]))
    return _about(found[0], user) if found else None


def _about(entity: TopicEntitiesRow, user: str) -> _Topic | None:
    names = observations.name_words([entity.name, *rows.from_json(entity.names)], user)
    return _Topic(entity_id=entity.id, names=names) if names else None
