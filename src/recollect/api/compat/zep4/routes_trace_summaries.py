"""What was said in a trace, in a few sentences."""

from recollect.api.compat.zep4.routes_traces import TRACE, Path, one
from recollect.api.compat.zep4.wire import agents as wire
from recollect.api.compat.zep4.wire.base import Page4, PageQuery4
from recollect.api.router import Call, Route
from recollect.graph.types import Access
from recollect.store.protocol import Transaction
from recollect.subjects import derived


def _summaries(tx: Transaction, access: Access, path: Path) -> list[wire.TraceSummary4]:
    agent, trace = one(tx, access, path)
    found = derived.document_summary(tx, access, agent.graph, trace.session_id)
    return [
        wire.TraceSummary4(
            uuid=found.uuid,
            agent_uuid=agent.uuid,
            trace_uuid=trace.uuid,
            version=1,
            text=found.summary,
            outcome=trace.outcome,  # type: ignore[arg-type]
            verification=trace.verification,  # type: ignore[arg-type]
            first_sequence=1 if trace.last_sequence else None,
            last_sequence=trace.last_sequence or None,
            created_at=found.updated_at,
        )
    ]


async def get_summary(call: Call) -> wire.TraceSummary4:
    """What was said in a trace, in a few sentences, once some of it is read."""
    (found,) = await call.services.store.read(_summaries, call.access, call.path)
    return found


async def list_summaries(call: Call) -> Page4[wire.TraceSummary4]:
    """The summary of a trace as it stands; earlier ones are not kept."""
    found = await call.services.store.read(_summaries, call.access, call.path)
    return Page4(items=found, total_size=len(found))


ROUTES = [
    Route(
        "GET",
        f"{TRACE}/summary",
        "agent.trace.get_summary",
        get_summary,
        "Get the summary of a trace",
        answer=wire.TraceSummary4,
    ),
    Route(
        "GET",
        f"{TRACE}/summary/versions",
        "agent.trace.list_summary_versions",
        list_summaries,
        "List the summaries of a trace",
        query=PageQuery4,
        answer=Page4[wire.TraceSummary4],
    ),
]
