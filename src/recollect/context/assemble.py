"""The context block: the facts that hold now, and the entities they are about."""

from datetime import datetime

from recollect.graph.types import Entity, Fact

_HEAD = "FACTS and ENTITIES represent relevant context to the current conversation."
_FACTS_HEAD = (
    "# These are the most relevant facts and their valid date ranges\n"
    "# format: FACT (Date range: from - to)"
)
_ENTITIES_HEAD = "# These are the most relevant entities\n# ENTITY_NAME: entity summary"


def block(facts: list[Fact], entities: list[Entity]) -> str:
    """The block that clients of generation 2 paste into their prompts."""
    fact_lines = "".join(f"\n  - {_one_line(fact.fact)} ({_range(fact)})" for fact in facts)
    entity_lines = "".join(
        f"\n  - {_one_line(entity.name)}: {_one_line(entity.summary)}"
        for entity in entities
        if entity.summary
    )
    return (
        f"{_HEAD}\n\n{_FACTS_HEAD}\n<FACTS>{fact_lines}\n</FACTS>\n\n"
        f"{_ENTITIES_HEAD}\n<ENTITIES>{entity_lines}\n</ENTITIES>"
    )


def user_block(summary: str, facts: list[Fact]) -> str:
    """The block of later clients: who the user is, then the facts."""
    fact_lines = "".join(f"\n  - {_one_line(fact.fact)} ({_range(fact)})" for fact in facts)
    return (
        f"# This is the user's summary\n<USER_SUMMARY>\n{summary.strip()}\n</USER_SUMMARY>\n\n"
        f"{_FACTS_HEAD}\n<FACTS>{fact_lines}\n</FACTS>"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _range(fact: Fact) -> str:
    return f"{_moment(fact.valid_at, 'date unknown')} - {_moment(fact.invalid_at, 'present')}"


def _moment(value: datetime | None, otherwise: str) -> str:
    return otherwise if value is None else value.strftime("%Y-%m-%d %H:%M:%S")
