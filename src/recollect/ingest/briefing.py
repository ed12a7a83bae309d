"""Briefs for readers: what was said before an episode, who speaks, and the project's guidance."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from recollect.extract.brief import Brief, Guidance, Profile, Turn
from recollect.governance import policies
from recollect.graph.types import Access, Episode, Graph, Job, User
from recollect.graph.visibility import values
from recollect.ingest import rereadings
from recollect.limits import TURNS_BEFORE_MAX, TURNS_EARLIER_MAX
from recollect.records import guidance, users
from recollect.store import rows
from recollect.store.protocol import Transaction
from recollect.store.queries.episodes import EarlierEpisodeRow

# The metadata by which MemMachine's clients distinguish conversations. Both keys are needed: two users
# may give their sessions the same name, or none, and "she" in one would then mean someone in the other.
_SESSION_KEY, _USER_KEY = "session_id", "user_id"


def brief(
    tx: Transaction, graph_id: int, jobs: Sequence[Job], *, wants_known: bool, again: bool = False
) -> list[tuple[Job, Brief]]:
    """A brief for each job that is still pending; jobs done or deleted in the meantime are left out.

    *wants_known*: the reader is shown what is known (`known.py`), and the end of the previous
    conversation. *again*: also for episodes that were processed before.
    """
    place = _place(tx, graph_id)
    listed = rows.to_json([job.id for job in jobs])
    owed = set(tx.jobs.pending_among(graph_id=graph_id, ids=listed))
    behind = wants_known and rereadings.are_waiting(tx, graph_id, "model")
    return [
        (job, replace(_of_job(tx, place, job, wants_known=wants_known), behind=behind))
        for job in jobs
        if place is not None and (again or job.id in owed)
    ]


def of_episode(
    tx: Transaction, episode: Episode, *, strict: bool = False, wants_known: bool = True
) -> Brief | None:
    """A brief of one episode, whether or not its job is pending; None if its graph is gone."""
    place = _place(tx, episode.graph_id)
    if place is None:
        return None
    return _reading(tx, place, episode, strict=strict, earlier=wants_known)


def _of_job(tx: Transaction, place: "_Place", job: Job, *, wants_known: bool) -> Brief:
    return _reading(tx, place, job.episode, strict=job.strict_ontology, earlier=wants_known)


class _Place(NamedTuple):
    """A graph, its user, its guidance, and the metadata keys that policies guard."""

    graph: Graph
    user: User | None
    wanted: Guidance
    guarded: frozenset[str]


def _place(tx: Transaction, graph_id: int) -> _Place | None:
    row = tx.graphs.by_id(id=graph_id)
    if row is None:
        return None
    graph = rows.graph(row)
    owner = tx.users.of_graph(graph_id=graph_id)
    user = None if owner is None else rows.user(owner)
    wanted = _guidance(tx, graph, row.project_id, user)
    return _Place(graph, user, wanted, policies.guarded(tx, row.project_id))


def _guidance(tx: Transaction, graph: Graph, project_id: int, user: User | None) -> Guidance:
    """The project's guidance for this graph; it does not depend on the caller."""
    access = Access(project_id=project_id, project_uuid="", key_uuid="")
    where = guidance.scope_of(graph)
    return Guidance(
        ontology=guidance.ontology_at(tx, access, where),
        defaults=user is not None and not user.disable_default_ontology,
        rating=graph.rating,
        instructions=tuple(guidance.instructions_at(tx, access, where, "extraction")),
    )


def _reading(
    tx: Transaction, place: _Place, episode: Episode, *, strict: bool, earlier: bool
) -> Brief:
    before = _before(tx, episode, place.guarded)
    return Brief(
        kind=episode.kind,
        content=episode.content,
        at=episode.created_at,
        role=episode.role,
        speaker=episode.speaker,
        addressee=episode.addressee,
        source_description=episode.source_description,
        time_zone=place.graph.time_zone,
        before=before,
        earlier=_earlier(tx, episode, place.guarded, len(before)) if earlier else (),
        user=None if place.user is None else _profile(place.user),
        guidance=place.wanted,
        strict=strict,
    )


def _before(tx: Transaction, episode: Episode, guarded: frozenset[str]) -> tuple[Turn, ...]:
    """Earlier turns of the same thread, document or conversation; none for anything else.

    Only turns with the same guarded metadata, so that everyone who sees the episode sees them too.
    Otherwise resolving "she" could reveal a name to someone who must not know it.
    """
    kept: list[EarlierEpisodeRow] = []
    own, seq = values(episode.metadata, guarded), episode.seq
    while len(kept) < TURNS_BEFORE_MAX and (found := _turns(tx, episode, seq)):
        kept += [row for row in found if values(rows.from_json(row.metadata), guarded) == own]
        seq = found[-1].seq
    return _told(kept[:TURNS_BEFORE_MAX])


def _earlier(
    tx: Transaction, episode: Episode, guarded: frozenset[str], spoken: int
) -> tuple[Turn, ...]:
    """The last turns of the previous conversation, if this one has few (*spoken*); chosen as in `_before`."""
    limit = min(TURNS_EARLIER_MAX, TURNS_BEFORE_MAX - spoken)
    own = values(episode.metadata, guarded)
    found = _turns_of_other(tx, episode, TURNS_BEFORE_MAX) if limit > 0 else []
    kept = [row for row in found if values(rows.from_json(row.metadata), guarded) == own]
    return _told(kept[:limit])


def _told(found: Sequence[EarlierEpisodeRow]) -> tuple[Turn, ...]:
    """Rows as turns, the newest last."""
    return tuple(
        Turn(
            content=row.content,
            role=row.role,
            speaker=row.speaker,
            at=rows.moment(row.created_at),
        )
        for row in reversed(found)
    )


def _turns_of_other(tx: Transaction, episode: Episode, limit: int) -> list[EarlierEpisodeRow]:
    """The last turns of the thread or conversation before the episode's own."""
    here: dict[str, Any] = {"graph_id": episode.graph_id, "seq": episode.seq}
    if episode.thread_id is not None:
        return tx.episodes.in_thread_before(id=episode.id, limit=limit, **here)
    if episode.document_id is not None or episode.producer is None:
        return []
    named = episode.metadata or {}
    user = rows.to_json(named.get(_USER_KEY))
    other = tx.episodes.talk_before(
        session=rows.to_json(named.get(_SESSION_KEY)), user=user, **here
    )
    if other is None:
        return []
    session = rows.to_json((rows.from_json(other.metadata) or {}).get(_SESSION_KEY))
    return tx.episodes.before_in_talk(session=session, user=user, limit=limit, **here)


def _turns(tx: Transaction, episode: Episode, seq: int) -> list[EarlierEpisodeRow]:
    if episode.thread_id is not None:
        return tx.episodes.before_in_thread(id=episode.id, seq=seq, limit=TURNS_BEFORE_MAX)
    if episode.document_id is not None:
        return tx.episodes.before_in_document(
            graph_id=episode.graph_id,
            document_id=episode.document_id,
            seq=seq,
            limit=TURNS_BEFORE_MAX,
        )
    if episode.producer is not None:
        named = episode.metadata or {}
        return tx.episodes.before_in_talk(
            graph_id=episode.graph_id,
            session=rows.to_json(named.get(_SESSION_KEY)),
            user=rows.to_json(named.get(_USER_KEY)),
            seq=seq,
            limit=TURNS_BEFORE_MAX,
        )
    return []


def _profile(user: User) -> Profile:
    return Profile(
        name=users.display_name(user),
        user_id=user.user_id,
        first_name=user.first_name,
        last_name=user.last_name,
        email=user.email,
    )
