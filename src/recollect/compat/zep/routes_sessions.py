"""Zep v2's analyses of a whole session (a class, fields, facts, a question), and searches of sessions."""

from dataclasses import replace

from recollect.api.router import Call, Route
from recollect.app import knowledge, recall, remember, threads
from recollect.app.recall import ThreadHit, ThreadQuery
from recollect.app.refs import ThreadRef
from recollect.compat.zep import translate, translate_filters
from recollect.compat.zep.wire import knowledge as knowledge_wire
from recollect.compat.zep.wire import threads as threads_wire
from recollect.compat.zep.wire.base import Success
from recollect.compat.zep.wire.search import (
    MemoryHit,
    SearchLimit,
    SearchSession,
    SearchSessions,
    SessionHit,
    SessionHits,
)
from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Episode, Fact, Kind, ThreadSummary
from recollect.graph.visibility import effective
from recollect.limits import (
    ECHO_CHARS_MAX,
    MESSAGE_CHARS_MAX,
    NAME_CHARS_MAX,
    PAGE_MAX,
    SEARCH_LIMIT_MAX,
    SEARCH_QUERY_CHARS_MAX,
    SESSION_CLASS_CHARS_MAX,
    SESSION_CLASSES_MAX,
    SESSION_FACTS_PER_CALL_MAX,
    SESSION_INSTRUCTION_CHARS_MAX,
    SESSION_SCHEMA_CHARS_MAX,
)


def _check_classes(field: str, sent: threads_wire.ClassifySession) -> None:
    checks.text(f"{field}name", sent.name, NAME_CHARS_MAX, required=True)
    checks.text(f"{field}instruction", sent.instruction, SESSION_INSTRUCTION_CHARS_MAX)
    if not 1 <= len(sent.classes) <= SESSION_CLASSES_MAX:
        raise InvalidInput(
            f"{field}classes: 1 to {SESSION_CLASSES_MAX} of them, got {len(sent.classes)}"
        )
    for number, name in enumerate(sent.classes):
        checks.text(f"{field}classes[{number}]", name, SESSION_CLASS_CHARS_MAX, required=True)


async def _classify(
    call: Call, sent: threads_wire.ClassifySession, instruction: str | None = None
) -> threads_wire.SessionClassification | None:
    """The class of a session, stored on request; None for an empty session."""
    found = await threads.classify(
        call.services,
        call.access,
        call.path["session_id"],
        sent.classes,
        sent.instruction or instruction,
        last_n=sent.last_n,
        keep_as=sent.name if sent.persist else None,
    )
    return (
        None if found is None else threads_wire.SessionClassification(class_=found, label=sent.name)
    )


async def classify_session(call: Call) -> threads_wire.SessionClassification:
    """The class that the last messages of a session are nearest to."""
    sent: threads_wire.ClassifySession = call.body
    _check_classes("", sent)
    found = await _classify(call, sent)
    if found is None:
        raise InvalidInput("session_id: nothing was said in this session")
    return found


async def end_session(call: Call) -> threads_wire.EndSessionAnswer:
    """Mark a session as over, and say what class it is of if that was asked and may be told."""
    sent: threads_wire.EndSession = call.body
    checks.text("instruction", sent.instruction, SESSION_INSTRUCTION_CHARS_MAX)
    classified = None
    if sent.classify is not None:
        _check_classes("classify.", sent.classify)
        access = call.access_for("thread.classify")
        if access is not None:
            asked = replace(call, access=access)
            classified = await _classify(asked, sent.classify, sent.instruction)
    made = await threads.end(call.services, call.access, call.path["session_id"])
    return threads_wire.EndSessionAnswer(
        session=translate.session(call.access, made), classification=classified
    )


async def extract_data(call: Call) -> dict[str, str]:
    """The values that a session gives for the fields of a schema; those it does not give are out."""
    sent: threads_wire.ExtractData = call.body
    checks.text("model_schema", sent.model_schema, SESSION_SCHEMA_CHARS_MAX, required=True)
    found = await threads.extract_fields(
        call.services,
        call.access,
        call.path["session_id"],
        sent.model_schema,
        last_n=sent.last_n,
        at=checks.moment("current_date_time", sent.current_date_time),
        validate=bool(sent.validate),
    )
    # The clients of both languages read text only; a helper of one converts it to the types.
    return {name: str(value) for name, value in found.items() if value is not None}


async def get_session_facts(call: Call) -> knowledge_wire.FactsAnswer:
    """The facts that a session's messages state, newest first."""
    sent: threads_wire.SessionFactsQuery = call.query
    ref = ThreadRef(thread_id=call.path["session_id"])
    found = await knowledge.facts_of_thread(
        call.services, call.access, ref, sent.min_rating, PAGE_MAX
    )
    return knowledge_wire.FactsAnswer(facts=[translate.fact2(fact) for fact in found])


async def add_session_facts(call: Call) -> Success:
    """Sentences about a session's user, remembered word for word."""
    sent: threads_wire.AddSessionFacts = call.body
    if not 1 <= len(sent.facts) <= SESSION_FACTS_PER_CALL_MAX:
        raise InvalidInput(
            f"facts: 1 to {SESSION_FACTS_PER_CALL_MAX} per call, got {len(sent.facts)}"
        )
    for number, item in enumerate(sent.facts):
        remember.check_fact(f"facts[{number}].fact", item.fact, MESSAGE_CHARS_MAX)
    facts = [item.fact for item in sent.facts]
    ref = ThreadRef(thread_id=call.path["session_id"])
    await remember.add_thread_facts(call.services, call.access, ref, facts)
    return Success(message="facts added")


async def get_summaries(call: Call) -> threads_wire.SummaryList:
    """What was said in a session, in a few of its own sentences."""
    session_id = call.path["session_id"]
    found, content = await threads.summarize(call.services, call.access, session_id)
    if not content:
        return threads_wire.SummaryList(summaries=[], row_count=0, total_count=0)
    summary = threads_wire.Summary(
        uuid=found.thread.uuid,
        content=content,
        metadata=effective(message.metadata for message in found.messages),
        created_at=found.messages[-1].received_at,
        related_message_uuids=[message.uuid for message in found.messages],
    )
    return threads_wire.SummaryList(summaries=[summary], row_count=1, total_count=1)


async def synthesize_question(call: Call) -> threads_wire.Question:
    """The last question of a session, put so that it can be understood by itself."""
    sent: threads_wire.QuestionQuery = call.query
    question = await threads.last_question(
        call.services, call.access, call.path["session_id"], sent.last_n_messages
    )
    return threads_wire.Question(question=question)


_KINDS: dict[str, Kind] = {"messages": "episode", "facts": "fact", "summary": "thread_summary"}


def _thread_query(
    sent: SearchSession | SearchSessions, text: str, records: str, limit: int | None
) -> ThreadQuery:
    """The query of a request; *records* is the name of the field that filters by metadata."""
    scope = sent.search_scope or "messages"
    if scope not in _KINDS:
        raise InvalidInput(
            f"search_scope: must be one of {', '.join(_KINDS)}; got {scope[:ECHO_CHARS_MAX]!r}"
        )
    return ThreadQuery(
        text=text[:SEARCH_QUERY_CHARS_MAX],
        kind=_KINDS[scope],
        limit=min(limit or SEARCH_LIMIT_MAX, SEARCH_LIMIT_MAX),
        tree=translate_filters.equal_metadata(records, getattr(sent, records)),
        rating_min=translate_filters.rating("min_fact_rating", sent.min_fact_rating),
        score_min=sent.min_score,
        mmr_lambda=translate_filters.mmr_lambda(sent.search_type, sent.mmr_lambda),
    )


async def search_sessions(call: Call) -> SessionHits:
    """What sessions of one or several users say that fits a text, best first."""
    sent: SearchSessions = call.body
    limit: SearchLimit = call.query
    query = _thread_query(sent, sent.text, "record_filter", limit.limit)
    hits = await recall.search(
        call.services, call.access, sent.user_id, sent.session_ids or [], query
    )
    return SessionHits(results=[_shown(hit) for hit in hits])


async def search_session(call: Call) -> list[MemoryHit]:
    """What one session says that fits a text, best first."""
    sent: SearchSession = call.body
    limit: SearchLimit = call.query
    if sent.text is None:
        raise InvalidInput("text: is required")
    query = _thread_query(sent, sent.text, "metadata", limit.limit)
    session_ids = [call.path["session_id"]]
    hits = await recall.search(call.services, call.access, None, session_ids, query)
    return [_memory(hit) for hit in hits]


def _shown(hit: ThreadHit) -> SessionHit:
    item = hit.item
    return SessionHit(
        session_id=hit.thread_id,
        score=hit.score,
        message=translate.message2(item) if isinstance(item, Episode) else None,
        fact=translate.fact2(item) if isinstance(item, Fact) else None,
        summary=_session_summary(item) if isinstance(item, ThreadSummary) else None,
    )


def _memory(hit: ThreadHit) -> MemoryHit:
    shown = _shown(hit)
    stated_by = None if hit.stated_by is None else translate.message2(hit.stated_by)
    return MemoryHit(
        score=shown.score,
        message=shown.message or stated_by,
        fact=shown.fact,
        summary=shown.summary,
        metadata=shown.message.metadata if shown.message else None,
    )


def _session_summary(found: ThreadSummary) -> threads_wire.Summary:
    return threads_wire.Summary(
        uuid=found.uuid,
        content=found.summary,
        metadata=found.metadata,
        created_at=found.created_at,
        related_message_uuids=[],
    )


ROUTES = [
    Route(
        "POST",
        "/sessions/{session_id}/classify",
        "thread.classify",
        classify_session,
        "Find the class of a session",
        body=threads_wire.ClassifySession,
    ),
    Route(
        "POST",
        "/sessions/{session_id}/end",
        "thread.end",
        end_session,
        "End a session",
        body=threads_wire.EndSession,
    ),
    Route(
        "POST",
        "/sessions/{session_id}/extract",
        "thread.extract",
        extract_data,
        "Read the fields of a schema out of a session",
        body=threads_wire.ExtractData,
        reads=True,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/facts",
        "thread.get_facts",
        get_session_facts,
        "List the facts that came from a session",
        query=threads_wire.SessionFactsQuery,
    ),
    Route(
        "POST",
        "/sessions/{session_id}/facts",
        "thread.add_facts",
        add_session_facts,
        "Add facts about a session's user",
        body=threads_wire.AddSessionFacts,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/summary",
        "thread.get_summaries",
        get_summaries,
        "List the summaries of a session",
    ),
    Route(
        "GET",
        "/sessions/{session_id}/synthesize_question",
        "thread.synthesize_question",
        synthesize_question,
        "Put the last messages into one question",
        query=threads_wire.QuestionQuery,
    ),
    Route(
        "POST",
        "/sessions/search",
        "thread.search",
        search_sessions,
        "Search sessions",
        body=SearchSessions,
        query=SearchLimit,
        reads=True,
    ),
    Route(
        "POST",
        "/sessions/{session_id}/search",
        "thread.search",
        search_session,
        "Search one session",
        body=SearchSession,
        query=SearchLimit,
        reads=True,
    ),
]
