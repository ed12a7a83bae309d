"""What clients of the second generation ask of a session, taken out of what was said."""

from recollect.extract.sessions.fields import extract_fields, read_schema
from recollect.extract.sessions.talk import classify_text, summarize, synthesize_question

__all__ = ["classify_text", "extract_fields", "read_schema", "summarize", "synthesize_question"]
