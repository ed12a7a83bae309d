"""What it takes to understand episodes: what was said before, who speaks, what is wanted."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from recollect.extract.brief import Brief, Guidance, KnownName, Profile, Turn
from recollect.governance import policies
from recollect.graph import names
from recollect.graph.sight import Typed, effective, typed
from recollect.graph.types import Access, Episode, Graph, Job, Json, Record, User
from recollect.ingest import rereadings
from recollect.ingest.rereadings import Held
from recollect.limits import KNOWN_NAME_WORDS_MAX, KNOWN_NAMES_MAX, TURNS_BEFORE_MAX
from recollect.store import rows
from recollect.store.protocol import Row, Transaction
from recollect.subjects import guidance, seeing, users

_NAME_WORDS_MAX = 3
# The metadata by which memory clients tell their talks apart. Two users may well give their sessions
# the same name, or none; "she" of one would then be someone of whom the other spoke.
_SESSION_KEY, _USER_KEY = "session_id", "user_id"
_WORD = re.compile(r"[^\s,;:!?()\[\]\"]+")


def brief(
    tx: Transaction, graph_id: int, jobs: Sequence[Job], *, with_names: bool
) -> list[tuple[Job, Brief]]:
    """A reading for each job that is still owed; what was done or deleted meanwhile has none.

    *with_names* adds the entities of the graph that the text names. They depend on how far the
    graph has got, so an extractor that reads several episodes at once must do without.
    """
    around = _around(tx, graph_id)
    if around is None:
        return []
    names_for = around.everyone if with_names else None
    owed = {
        found["id"]
        for found in tx.all("jobs_pending_among", ids=rows.to_json([job.id for job in jobs]))
    }
    behind = with_names and rereadings.are_waiting(tx, graph_id, "model")
    return [
        (job, replace(_reading(tx, around, job, names_for), behind=behind))
        for job in jobs
        if job.id in owed
    ]


def again(tx: Transaction, access: Access | None, held: Held) -> Brief | None:
    """What it takes to understand an episode that is read again; None when it is gone.

    *access* is whoever reads it: no names are told that this one may not see.
    """
    around = _around(tx, held.episode.graph_id)
    if around is None:
        return None
    job = Job(
        id=held.episode.id,
        graph_id=held.episode.graph_id,
        episode=held.episode,
        task_uuid=held.episode.task_uuid or "",
        attempts=held.attempts,
        strict_ontology=held.strict_ontology,
    )
    names_for = None if held.reader == "embedded" else access or around.everyone
    return _reading(tx, around, job, names_for)


class _Around(Record):
    """What the episodes of one graph have in common. *everyone* is an access that sees it all."""

    graph: Graph
    user: User | None
    guidance: Guidance
    guarded: frozenset[str]
    everyone: Access


def _around(tx: Transaction, graph_id: int) -> _Around | None:
    row = tx.one("graph_by_id", id=graph_id)
    if row is None:
        return None
    graph = rows.graph(row)
    owner = tx.one("user_of_graph", graph_id=graph_id)
    user = None if owner is None else rows.user(owner)
    return _Around(
        graph=graph,
        user=user,
        guidance=_guidance(tx, graph, row["project_id"], user),
        guarded=policies.guarded(tx, row["project_id"]),
        everyone=Access(project_id=row["project_id"], project_uuid="", key_uuid=""),
    )


def _guidance(tx: Transaction, graph: Graph, project_id: int, user: User | None) -> Guidance:
    """The project's wishes for this graph. They belong to the project, whoever is asking."""
    access = Access(project_id=project_id, project_uuid="", key_uuid="")
    where = guidance.scope_of(graph)
    return Guidance(
        ontology=guidance.ontology_at(tx, access, where),
        defaults=user is not None and not user.disable_default_ontology,
        rating=graph.rating,
        instructions=tuple(guidance.instructions_at(tx, access, where, "extraction")),
    )


def _reading(tx: Transaction, around: _Around, job: Job, names_for: Access | None) -> Brief:
    episode, user = job.episode, around.user
    return Brief(
        kind=episode.kind,
        content=episode.content,
        at=episode.created_at,
        role=episode.role,
        speaker=episode.speaker,
        addressee=episode.addressee,
        source_description=episode.source_description,
        time_zone=around.graph.time_zone,
        before=_before(tx, episode, around.guarded),
        user=None if user is None else _profile(user),
        known=() if names_for is None else _known(tx, names_for, around.graph.id, episode.content),
        guidance=around.guidance,
        strict=job.strict_ontology,
    )


def _before(tx: Transaction, episode: Episode, guarded: frozenset[str]) -> tuple[Turn, ...]:
    """Earlier turns of the same thread, document or talk; none for anything else.

    Only those that everybody sees who sees the episode: a name that "she" stands for would
    otherwise be told to people who must not know it.
    """
    kept: list[Row] = []
    own, seq = _values(episode.metadata, guarded), episode.seq
    while len(kept) < TURNS_BEFORE_MAX and (found := _turns(tx, episode, seq)):
        kept += [row for row in found if _values(rows.from_json(row["metadata"]), guarded) == own]
        seq = found[-1]["seq"]
    return tuple(
        Turn(content=row["content"], role=row["role"], speaker=row["speaker"])
        for row in reversed(kept[:TURNS_BEFORE_MAX])
    )


def _turns(tx: Transaction, episode: Episode, seq: int) -> list[Row]:
    if episode.thread_id is not None:
        return tx.all("episodes_before_in_thread", id=episode.id, seq=seq, limit=TURNS_BEFORE_MAX)
    if episode.document_id is not None:
        return tx.all(
            "episodes_before_in_document",
            graph_id=episode.graph_id,
            document_id=episode.document_id,
            seq=seq,
            limit=TURNS_BEFORE_MAX,
        )
    if episode.producer is not None:
        named = episode.metadata or {}
        return tx.all(
            "episodes_before_in_talk",
            graph_id=episode.graph_id,
            session=rows.to_json(named.get(_SESSION_KEY)),
            user=rows.to_json(named.get(_USER_KEY)),
            seq=seq,
            limit=TURNS_BEFORE_MAX,
        )
    return []


def _values(metadata: Json | None, keys: frozenset[str]) -> dict[str, set[Typed]]:
    """What an episode says under some keys, as policies compare it."""
    held = effective([metadata])
    return {key: {typed(value) for value in held[key]} for key in keys if key in held}


def _profile(user: User) -> Profile:
    return Profile(
        name=users.display_name(user),
        user_id=user.user_id,
        first_name=user.first_name,
        last_name=user.last_name,
        email=user.email,
    )


def _known(tx: Transaction, access: Access, graph_id: int, content: str) -> tuple[KnownName, ...]:
    """Entities whose whole name stands in the text; looked up by the text's own words."""
    heard = _WORD.findall(content)[:KNOWN_NAME_WORDS_MAX]
    keys = dict.fromkeys(
        key
        for length in range(1, _NAME_WORDS_MAX + 1)
        for start in range(len(heard) - length + 1)
        for key in names.keys(" ".join(heard[start : start + length]))[:1]
    )
    found = tx.all(
        "entities_named", graph_id=graph_id, keys=rows.to_json(list(keys)), limit=KNOWN_NAMES_MAX
    )
    seen = seeing.ids(tx, access, "entity", [row["id"] for row in found])
    return tuple(
        KnownName(name=row["name"], kind=row["kind"], label=_label(rows.from_json(row["labels"])))
        for row in found
        if row["id"] in seen
    )


def _label(labels: list[str]) -> str | None:
    return next((label for label in labels if label != "Entity"), None)
