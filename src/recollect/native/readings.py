"""Second readings: an agent takes an episode as a prompt and returns its answer.

Waiting and parked episodes can be listed and retried.
"""

from datetime import datetime
from typing import Annotated

import msgspec

from recollect.api.http import Reply
from recollect.api.router import Call, Route
from recollect.app import readings
from recollect.app.readings import Status, Waiting
from recollect.extract.brief import ReaderKind
from recollect.graph.types import GraphKind, Json
from recollect.limits import ID_CHARS_MAX, READINGS_PER_PAGE_DEFAULT, READINGS_PER_PAGE_MAX

_Lease = Annotated[str, msgspec.Meta(min_length=1, max_length=ID_CHARS_MAX)]


class TakeReading(msgspec.Struct, forbid_unknown_fields=True):
    """Of which graph, if only of one."""

    user_id: str | None = None
    graph_id: str | None = None


class ReadingPrompt(msgspec.Struct):
    """The question: rules, and the material of this episode."""

    system: str
    user: str


class TakenReading(msgspec.Struct):
    """An episode to be read until *expires_at*; *schema* is the JSON Schema of the answer."""

    episode_uuid: str
    lease: str
    expires_at: datetime
    prompt: ReadingPrompt
    schema: Json


class GiveReading(msgspec.Struct, forbid_unknown_fields=True):
    """An answer of the form that `schema` gave, under the lease that came with the question."""

    episode_uuid: str
    lease: _Lease
    answer: Json


class GivenReading(msgspec.Struct):
    """How much the new reading found."""

    episode_uuid: str
    entities: int
    facts: int


class ReadingsQuery(msgspec.Struct):
    """How many, in which state, and those after which episode."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=READINGS_PER_PAGE_MAX)] = READINGS_PER_PAGE_DEFAULT
    status: Status | None = None
    cursor: str | None = None


class ShownReading(msgspec.Struct):
    """An episode that waits for another reading, or is parked; *error* is the newest one."""

    episode_uuid: str
    graph_kind: GraphKind
    graph: str
    reader: ReaderKind
    status: Status
    reason: str
    attempts: int
    error: str | None
    created_at: datetime
    ready_at: datetime
    taken_until: datetime | None


class ShownReadings(msgspec.Struct):
    """In the order of the log; *next_cursor* asks for those after them."""

    readings: list[ShownReading]
    next_cursor: str | None


class RetryReadings(msgspec.Struct, forbid_unknown_fields=True):
    """Of which episode; without one, of all."""

    episode_uuid: str | None = None


class RetriedReadings(msgspec.Struct):
    """How many are due now."""

    retried: int


async def take(call: Call) -> TakenReading | Reply:
    """Take the next episode that waits for an agent, as the prompt that a language model would get.

    204 when there is none at the moment. Episodes of a graph come one after the other, in the order
    of its log. The lease is not renewed; when it has run out, somebody else may take the episode.
    """
    sent: TakeReading = call.body
    graph = await readings.scope(call.services, call.access, sent.user_id, sent.graph_id)
    taken = await readings.take(call.services, call.access, graph)
    if taken is None:
        return Reply.nothing()
    return TakenReading(
        episode_uuid=taken.episode_uuid,
        lease=taken.lease,
        expires_at=taken.expires_at,
        prompt=ReadingPrompt(system=taken.prompt.system, user=taken.prompt.user),
        schema=taken.schema,
    )


async def give(call: Call) -> GivenReading:
    """Give the answer for an episode that was taken; it replaces the first reading.

    422 names the place at which the answer breaks a rule, and the lease stays for another try; after
    several of those the episode is parked. 409: the lease was lost, or the answer is here already.
    404: the episode is gone.
    """
    sent: GiveReading = call.body
    answer = msgspec.json.encode(sent.answer)
    given = await readings.give(call.services, call.access, sent.episode_uuid, sent.lease, answer)
    return GivenReading(episode_uuid=given.episode_uuid, entities=given.entities, facts=given.facts)


async def list_readings(call: Call) -> ShownReadings:
    """The episodes that wait for another reading, and those that are parked."""
    sent: ReadingsQuery = call.query
    found = await readings.page(
        call.services,
        call.access,
        limit=sent.limit + 1,
        status=sent.status,
        after=sent.cursor,
    )
    shown = found[: sent.limit]
    more = len(found) > sent.limit
    return ShownReadings(
        readings=[_shown(one) for one in shown],
        next_cursor=shown[-1].episode_uuid if more else None,
    )


def _shown(one: Waiting) -> ShownReading:
    return ShownReading(
        episode_uuid=one.episode_uuid,
        graph_kind=one.graph_kind,
        graph=one.graph,
        reader=one.reader,
        status=one.status,
        reason=one.reason,
        attempts=one.attempts,
        error=one.error,
        created_at=one.created_at,
        ready_at=one.ready_at,
        taken_until=one.taken_until,
    )


async def retry(call: Call) -> RetriedReadings:
    """Try one episode again now, or all of them, as if they had never failed."""
    sent: RetryReadings = call.body
    count = await readings.retry(call.services, call.access, sent.episode_uuid)
    return RetriedReadings(retried=count)


ROUTES = [
    Route(
        "POST",
        "/api/v1/readings/take",
        "reading.take",
        take,
        "Take an episode that waits for an agent to read it",
        body=TakeReading,
        answer=TakenReading,
        shows="graph.episode.get",
        or_nothing=True,
    ),
    Route(
        "POST",
        "/api/v1/readings/give",
        "reading.give",
        give,
        "Submit the answer for an episode that was taken",
        body=GiveReading,
    ),
    Route(
        "GET",
        "/api/v1/readings",
        "reading.list",
        list_readings,
        "List episodes that wait for a second reading, and parked ones",
        query=ReadingsQuery,
    ),
    Route(
        "POST",
        "/api/v1/readings/retry",
        "reading.retry",
        retry,
        "Retry second readings, one or all",
        body=RetryReadings,
    ),
]
