"""What a language model wrote of threads, when their graph was folded again.

Nobody writes it a second time: it stays as long as the facts that it was made of are the same.
"""

import sqlite3

_MADE_OF = (
    "SELECT k.summary_id, f.id, f.fact, f.invalid_at, f.expired_at FROM live.summaries s"
    " JOIN {schema}.summary_facts k ON k.summary_id = s.id JOIN {schema}.facts f ON f.id = k.fact_id"
    " WHERE s.graph_id = :graph_id AND s.written IS NOT NULL AND f.id <= s.written_fact_id"
)


def outdated(connection: sqlite3.Connection, graph_id: int) -> list[int]:
    """The summaries of which something was written that does not rest on the same facts any more:
    in `main` a graph was folded, `live` is the file."""
    here, there = (_MADE_OF.format(schema=schema) for schema in ("main", "live"))
    differing: set[int] = set()
    for sql in (f"{here} EXCEPT {there}", f"{there} EXCEPT {here}"):
        differing |= {row[0] for row in connection.execute(sql, {"graph_id": graph_id})}
    return sorted(differing)
