"""Answers what Zep v2 clients ask about a session, using only its messages: nothing is generated."""

from recollect.extract.sessions.fields import extract_fields, read_schema
from recollect.extract.sessions.questions import synthesize_question
from recollect.extract.sessions.summary import classify_text, summarize

__all__ = ["classify_text", "extract_fields", "read_schema", "summarize", "synthesize_question"]
