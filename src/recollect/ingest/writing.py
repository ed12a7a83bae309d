"""Summaries written by a language model, in the background.

It happens only when a graph has no other work, and at most once per so many new messages of a thread.
"""

import asyncio
from contextlib import suppress

from recollect import log
from recollect.derive import derived, findable, summaries
from recollect.errors import BudgetExhausted, ModelAnswerInvalid, ModelUnavailable
from recollect.extract.llm.free_text import Material, summarize
from recollect.graph import user_summary
from recollect.graph.types import Access, Graph, Json, Record
from recollect.limits import USER_SUMMARY_FACTS_MAX, WRITTEN_AFTER_EPISODES, WRITTEN_MESSAGES_MAX
from recollect.models.language_model import LanguageModel
from recollect.records import guidance
from recollect.store import rows
from recollect.store.protocol import Store, Transaction
from recollect.store.queries.shapes import MessageRow, SaidFactRow

_log = log.get(__name__)
_POLL_S = 5.0
_MESSAGE_CHARS_MAX = 1_000
_FAILURES = (ModelUnavailable, ModelAnswerInvalid, BudgetExhausted)
_OF_THREAD = "Summarize this conversation."
_OF_USER = "Summarize what is known of the user of this memory."
_QUESTIONS = (
    "Who is this person?",
    "Who matters to them, and how?",
    "What is their work or their study?",
    "What do they like, dislike and aim for?",
    "What should an assistant mind when it helps them?",
)


class SummaryDue(Record):
    """One summary to write, and its material."""

    graph_id: int
    changes: int
    material: Material
    summary_id: int | None = None
    episodes: int = 0
    fact_id: int = 0
    basis: str = ""


class Writer:
    """Writes summaries one after another until stopped."""

    def __init__(self, store: Store, model: LanguageModel) -> None:
        self._store = store
        self._model = model
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Ask `run` to stop after the call in progress."""
        self._stop.set()

    async def run(self) -> None:
        """Write until stopped; errors are logged, and retried after a pause."""
        while not self._stop.is_set():
            try:
                busy = await self.step()
            except Exception as error:  # noqa: BLE001 - a writer outlives whatever went wrong
                _log.error("writer.stumbled", exc_info=error)
                busy = False
            if not busy:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), _POLL_S)

    async def step(self) -> bool:
        """Write the summary of one thread, and of its user if that is due; False if there is none to write.

        A failed call is not repeated before there is more to read: until then the summary composed
        from the facts stands.
        """
        due = await self._store.read(next_thread)
        if due is None:
            return False
        await self._store.write(keep_thread, due, await self._ask(due))
        user = await self._store.read(next_user, due.graph_id)
        if user is not None and not self._stop.is_set():
            written = await self._ask(user)
            if written is not None:
                await self._store.write(keep_user, user, written)
        return True

    async def _ask(self, due: SummaryDue) -> str | None:
        try:
            return await summarize(self._model, due.material)
        except _FAILURES as error:
            _log.warning("summary.not_written", graph=due.graph_id, error=type(error).__name__)
            return None


def next_thread(tx: Transaction) -> SummaryDue | None:
    """The next thread summary to write; None if there is none."""
    unwritten = tx.summaries.unwritten()
    if unwritten is None:
        return None
    row = unwritten.summary
    facts = tx.summaries.facts_kept(id=row.id)
    found = tx.summaries.messages_of_thread(
        thread_id=row.thread_id,
        seq=2**62,
        limit=min(WRITTEN_MESSAGES_MAX, row.episode_count - row.written_count),
    )
    material = Material(
        task=_OF_THREAD,
        previous=row.written or "",
        facts=[_fact(fact) for fact in facts],
        messages=[_message(message) for message in reversed(found)],
    )
    return SummaryDue(
        graph_id=row.graph_id,
        changes=unwritten.changes,
        material=material,
        summary_id=row.id,
        episodes=row.episode_count,
        fact_id=max((fact.id for fact in facts), default=0),
    )


def keep_thread(tx: Transaction, due: SummaryDue, written: str | None) -> None:
    """Store what was written, and that it was tried; nothing if something was forgotten since."""
    kept = tx.summaries.write(
        id=due.summary_id,
        written=written,
        written_count=due.episodes,
        fact_id=due.fact_id,
        changes=due.changes,
    )
    told = summaries.as_told(tx, due.summary_id) if kept and due.summary_id else None
    if told is not None and written is not None:
        findable.put(tx, due.graph_id, [derived.summary(told)])


def next_user(tx: Transaction, graph_id: int) -> SummaryDue | None:
    """The user summary of a graph, if enough was said since the last one or the instructions changed."""
    row = tx.graphs.by_id(id=graph_id)
    who = [node for node in tx.entities.who(graph_id=graph_id) if node.is_user]
    if row is None or not who:
        return None
    asked = _asked(tx, rows.graph(row), row.project_id)
    old = tx.summaries.user_summary_of(graph_id=graph_id)
    fresh = old is None or old.basis != user_summary.basis(asked)
    if not fresh and old is not None and row.last_seq < old.episode_count + WRITTEN_AFTER_EPISODES:
        return None
    facts = tx.summaries.user_facts_told(
        entity_id=who[0].id,
        now=rows.micros(tx.now),
        limit=USER_SUMMARY_FACTS_MAX,
    )
    material = Material(
        task=_OF_USER,
        questions=[*asked, *_QUESTIONS],
        previous="" if fresh or old is None else old.summary,
        facts=[{"fact": fact.fact} for fact in reversed(facts) if fact.doubted_by == "[]"],
    )
    return SummaryDue(
        graph_id=graph_id,
        changes=row.changes,
        material=material,
        episodes=row.last_seq,
        basis=user_summary.basis(asked),
    )


def keep_user(tx: Transaction, due: SummaryDue, written: str) -> None:
    """Store what was written about a user, unless something was forgotten since."""
    tx.summaries.user_summary_put(
        graph_id=due.graph_id,
        summary=written,
        basis=due.basis,
        episode_count=due.episodes,
        now=rows.micros(tx.now),
        changes=due.changes,
    )


def _asked(tx: Transaction, graph: Graph, project_id: int) -> list[str]:
    # The instructions belong to the project and do not depend on the caller.
    access = Access(project_id=project_id, project_uuid="", key_uuid="")
    found = guidance.instructions_at(tx, access, guidance.scope_of(graph), "summary")
    return [item.text for item in found]


def _fact(row: SaidFactRow) -> Json:
    ended = rows.moment_or_none(row.invalid_at)
    return {"fact": row.fact, **({"until": ended.date().isoformat()} if ended else {})}


def _message(row: MessageRow) -> Json:
    speaker = row.speaker or row.role
    content = row.content[:_MESSAGE_CHARS_MAX]
    return {**({"speaker": speaker} if speaker else {}), "content": content}
