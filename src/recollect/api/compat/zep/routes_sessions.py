"""What generation 2 asks about a session as a whole: a class, fields, facts, a question."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from recollect.api.compat.zep import translate, wire
from recollect.api.embedding import Embed, embedding
from recollect.api.router import Call, Route
from recollect.errors import InvalidInput
from recollect.extract import sessions
from recollect.extract.brief import Turn
from recollect.graph import checks
from recollect.graph.sight import effective
from recollect.graph.types import Access, Episode, Thread
from recollect.ingest import direct, direct_checks
from recollect.limits import (
    MESSAGE_CHARS_MAX,
    NAME_CHARS_MAX,
    PAGE_MAX,
    SESSION_CLASS_CHARS_MAX,
    SESSION_CLASSES_MAX,
    SESSION_FACTS_PER_CALL_MAX,
    SESSION_INSTRUCTION_CHARS_MAX,
    SESSION_MESSAGES_DEFAULT,
    SESSION_MESSAGES_MAX,
    SESSION_SCHEMA_CHARS_MAX,
    SESSION_SUMMARY_CHARS_MAX,
)
from recollect.store.protocol import Transaction
from recollect.subjects import episodes, knowledge, threads


def _last(
    tx: Transaction, access: Access, session_id: str, count: int | None
) -> tuple[Thread, list[Episode]]:
    thread = threads.get(tx, access, session_id)
    wanted = min(count or SESSION_MESSAGES_DEFAULT, SESSION_MESSAGES_MAX)
    return thread, episodes.last_messages(tx, access, thread, wanted)


async def _said(call: Call, count: int | None) -> tuple[Thread, list[Episode]]:
    """A session and the last messages of it."""
    return await call.services.store.read(_last, call.access, call.path["session_id"], count)


def _turns(messages: Sequence[Episode]) -> list[Turn]:
    return [Turn(content=m.content, role=m.role, speaker=m.speaker) for m in messages]


def _check_classes(field: str, sent: wire.ClassifySession) -> None:
    checks.text(f"{field}name", sent.name, NAME_CHARS_MAX, required=True)
    checks.text(f"{field}instruction", sent.instruction, SESSION_INSTRUCTION_CHARS_MAX)
    if not 1 <= len(sent.classes) <= SESSION_CLASSES_MAX:
        raise InvalidInput(
            f"{field}classes: 1 to {SESSION_CLASSES_MAX} of them, got {len(sent.classes)}"
        )
    for number, name in enumerate(sent.classes):
        checks.text(f"{field}classes[{number}]", name, SESSION_CLASS_CHARS_MAX, required=True)


def _nearest(embed: Embed, text: str, sent: wire.ClassifySession, instruction: str | None) -> str:
    return sessions.classify_text(text, sent.classes, sent.instruction or instruction, embed)


async def _classify(
    call: Call, sent: wire.ClassifySession, instruction: str | None = None
) -> wire.SessionClassification | None:
    """The class of a session, written down if that is wanted; None while nothing was said."""
    _, messages = await _said(call, sent.last_n)
    if not messages:
        return None
    text = "\n".join(message.content for message in messages)
    found = await embedding(call.services, _nearest, text, sent, instruction)
    if sent.persist:
        await call.services.store.write(
            threads.put_class, call.access, call.path["session_id"], sent.name, found
        )
    return wire.SessionClassification(class_=found, label=sent.name)


async def classify_session(call: Call) -> wire.SessionClassification:
    """The class that the last messages of a session are nearest to."""
    sent: wire.ClassifySession = call.body
    _check_classes("", sent)
    found = await _classify(call, sent)
    if found is None:
        raise InvalidInput("session_id: nothing was said in this session")
    return found


async def end_session(call: Call) -> wire.EndSessionAnswer:
    """Mark a session as over, and say what class it is of if that was asked and may be told."""
    sent: wire.EndSession = call.body
    checks.text("instruction", sent.instruction, SESSION_INSTRUCTION_CHARS_MAX)
    classified = None
    if sent.classify is not None:
        _check_classes("classify.", sent.classify)
        access = call.access_for("thread.classify")
        if access is not None:
            asked = replace(call, access=access)
            classified = await _classify(asked, sent.classify, sent.instruction)
    made = await call.services.store.write(threads.end, call.access, call.path["session_id"])
    return wire.EndSessionAnswer(
        session=translate.session(call.access, made), classification=classified
    )


async def extract_data(call: Call) -> dict[str, str]:
    """The values that a session gives for the fields of a schema; those it does not give are out."""
    sent: wire.ExtractData = call.body
    checks.text("model_schema", sent.model_schema, SESSION_SCHEMA_CHARS_MAX, required=True)
    at = checks.moment("current_date_time", sent.current_date_time) or call.services.clock()
    sessions.read_schema(sent.model_schema)
    _, messages = await _said(call, sent.last_n)
    found = await asyncio.to_thread(
        sessions.extract_fields,
        sent.model_schema,
        _turns(messages),
        at=at,
        validate=bool(sent.validate),
    )
    # Clients of both languages read text only, and the helper of one turns it into the types.
    return {name: str(value) for name, value in found.items() if value is not None}


def _facts(
    tx: Transaction, access: Access, session_id: str, min_rating: float | None
) -> wire.FactsAnswer:
    thread = threads.get(tx, access, session_id)
    found = knowledge.facts_of_thread(tx, access, thread, min_rating, PAGE_MAX)
    return wire.FactsAnswer(facts=[translate.fact2(fact) for fact in found])


async def get_session_facts(call: Call) -> wire.FactsAnswer:
    """The facts that a session's messages state, newest first."""
    sent: wire.SessionFactsQuery = call.query
    return await call.services.store.read(
        _facts, call.access, call.path["session_id"], sent.min_rating
    )


def _add_facts(tx: Transaction, access: Access, session_id: str, facts: list[str]) -> None:
    direct.add_thread_facts(tx, access, threads.get(tx, access, session_id), facts)


async def add_session_facts(call: Call) -> wire.Success:
    """Sentences about a session's user, remembered word for word."""
    sent: wire.AddSessionFacts = call.body
    if not 1 <= len(sent.facts) <= SESSION_FACTS_PER_CALL_MAX:
        raise InvalidInput(
            f"facts: 1 to {SESSION_FACTS_PER_CALL_MAX} per call, got {len(sent.facts)}"
        )
    for number, item in enumerate(sent.facts):
        direct_checks.fact(f"facts[{number}].fact", item.fact, MESSAGE_CHARS_MAX)
    facts = [item.fact for item in sent.facts]
    await call.services.store.write(_add_facts, call.access, call.path["session_id"], facts)
    call.services.wake_workers()
    return wire.Success(message="facts added")


def _summary(embed: Embed, turns: Sequence[Turn]) -> str:
    return sessions.summarize(turns, SESSION_SUMMARY_CHARS_MAX, embed)


async def get_summaries(call: Call) -> wire.SummaryList:
    """What was said in a session, in a few of its own sentences."""
    thread, messages = await _said(call, SESSION_MESSAGES_MAX)
    content = await embedding(call.services, _summary, _turns(messages)) if messages else ""
    if not content:
        return wire.SummaryList(summaries=[], row_count=0, total_count=0)
    summary = wire.Summary(
        uuid=thread.uuid,
        content=content,
        metadata=effective(message.metadata for message in messages),
        created_at=messages[-1].received_at,
        related_message_uuids=[message.uuid for message in messages],
    )
    return wire.SummaryList(summaries=[summary], row_count=1, total_count=1)


async def synthesize_question(call: Call) -> wire.Question:
    """The last question of a session, put so that it can be understood by itself."""
    sent: wire.QuestionQuery = call.query
    _, messages = await _said(call, sent.last_n_messages)
    question = await asyncio.to_thread(sessions.synthesize_question, _turns(messages))
    return wire.Question(question=question)


ROUTES = [
    Route(
        "POST",
        "/sessions/{session_id}/classify",
        "thread.classify",
        classify_session,
        "Find the class of a session",
        body=wire.ClassifySession,
        answer=wire.SessionClassification,
    ),
    Route(
        "POST",
        "/sessions/{session_id}/end",
        "thread.end",
        end_session,
        "End a session",
        body=wire.EndSession,
        answer=wire.EndSessionAnswer,
    ),
    Route(
        "POST",
        "/sessions/{session_id}/extract",
        "thread.extract",
        extract_data,
        "Read the fields of a schema out of a session",
        body=wire.ExtractData,
        answer=dict[str, str],
        reads=True,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/facts",
        "thread.get_facts",
        get_session_facts,
        "List the facts that came from a session",
        query=wire.SessionFactsQuery,
        answer=wire.FactsAnswer,
    ),
    Route(
        "POST",
        "/sessions/{session_id}/facts",
        "thread.add_facts",
        add_session_facts,
        "Add facts about a session's user",
        body=wire.AddSessionFacts,
        answer=wire.Success,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/summary",
        "thread.get_summaries",
        get_summaries,
        "List the summaries of a session",
        answer=wire.SummaryList,
    ),
    Route(
        "GET",
        "/sessions/{session_id}/synthesize_question",
        "thread.synthesize_question",
        synthesize_question,
        "Put the last messages into one question",
        query=wire.QuestionQuery,
        answer=wire.Question,
    ),
]
