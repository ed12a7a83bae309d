"""What the guide of generation 2 offers beside the memory of a session, with its own clients.

Guide: zep-v2-guide, "Zep Memory: structured data extraction and dialog classification". Each test
names what it holds us to.
"""

import json
from typing import Any

from tests.contract.sdk.drivers import Zep
from tests.contract.sdk.requirements import requirement
from tests.contract.sdk.support import unique
from tests.contract.sdk.test_sessions import a_session

SCHEMA = json.dumps(
    {
        "properties": {
            "product": {"zep_type": "ZepText", "description": "What the customer bought"},
            "problem": {"zep_type": "ZepText", "description": "What the customer complains about"},
            "ordered": {"zep_type": "ZepDate", "description": "When it was ordered"},
        }
    }
)


def said(zep2: Zep, *lines: str) -> Any:
    """A session in which a customer and a helper speak in turns."""
    session_id = a_session(zep2)["session_id"]
    speakers = ({"role_type": "user", "role": "Dana"}, {"role_type": "assistant", "role": "Helper"})
    messages = [{**speakers[n % 2], "content": line} for n, line in enumerate(lines)]
    zep2.memory.add(session_id, messages=messages)
    return session_id


@requirement("v2:memory.extract_data")
def test_structured_data_extraction_fills_what_the_messages_state(zep2: Zep) -> None:
    """Structured Data Extraction: "extracts data from conversations" to populate a data store."""
    session_id = said(
        zep2,
        "Hi, I ordered your steam iron on 3 March 2025.",
        "What can I do for you?",
        "It keeps leaking water on my shirts.",
    )
    found = zep2.memory.extract_data(
        session_id, last_n=10, model_schema=SCHEMA, validate=False,
        current_date_time="2025-04-01T10:00:00Z",
    )  # fmt: skip
    assert found == {
        "product": "steam iron",
        "problem": "It keeps leaking water on my shirts",
        "ordered": "2025-03-03",
    }


@requirement("v2:memory.synthesize_question")
def test_a_question_is_written_where_none_was_asked(zep2: Zep) -> None:
    """Question synthesis: it stands alone, and is no copy of the message."""
    last = f"It leaks on order {unique('n')}."
    session_id = said(zep2, "I bought your steam iron.", "What can I do for you?", last)
    question = zep2.memory.synthesize_question(session_id)["question"]
    assert question.startswith("What can be done, given that the steam iron leaks on order ")
    assert question.endswith("?")
