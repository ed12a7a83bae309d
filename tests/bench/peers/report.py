"""The tables of one size."""

from typing import Any, NamedTuple

from tests.bench.peers.given import Given


class Row(NamedTuple):
    """What one product took, or why it took nothing."""

    title: str
    added: dict[str, Any] = {}  # noqa: RUF012 - a default that nobody changes
    asked: dict[str, Any] = {}  # noqa: RUF012
    why_not: str = ""


def _both(took: dict[str, float], what: str) -> str:
    return f"{took[f'{what}_p50']:.1f} / {took[f'{what}_p95']:.1f}"


def _asked(row: Row) -> str:
    if row.why_not:
        return f"| {row.title} | {row.why_not} | | | | | |"
    bare, embedded, recalled = row.asked["bare"], row.asked["embedded"], row.asked["recall"]
    cells = [
        _both(bare, "cpu"),
        _both(bare, "wall"),
        _both(embedded, "cpu"),
        _both(embedded, "wall"),
    ]
    cells.append("" if recalled is None else f"{recalled:.3f}")
    cells.append(f"{row.asked['bytes_per_fact'] / 1000:.1f}")
    return f"| {row.title} | {' | '.join(cells)} |"


def _added(row: Row, fact_ms: float) -> str:
    """Peers are given vectors, ours makes its own: the embedding is added or taken away."""
    single = row.added["single_cpu_p50"]
    bare = (single - fact_ms, single) if "bulk_cpu" not in row.added else (single, single + fact_ms)
    bulk = f"{row.added['bulk_cpu']:.2f}" if "bulk_cpu" in row.added else ""
    wall = f"{row.added['single_wall_p50']:.1f} / {row.added['single_wall_p95']:.1f}"
    return f"| {row.title} | {bulk} | {bare[0]:.1f} | {bare[1]:.1f} | {wall} |"


def show(given: Given, rows: list[Row], vector_recall: float) -> None:
    """Both tables, in Markdown."""
    print(f"**{given.facts:,} facts: a question, ten answers; milliseconds, p50 / p95**\n")
    print(
        "|  | CPU | wall | CPU, with embedding | wall, with embedding | recall@10 | kB per fact |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|")
    print("\n".join(map(_asked, rows)))
    print(
        f"\nOur vector stage alone, before words and the rest are weighed: {vector_recall:.3f} of the nearest 20."
        f" Embedding costs {given.question_ms:.1f} ms of a core for a question, {given.fact_ms:.1f} for a fact.\n"
    )
    print(f"**{given.facts:,} facts: adding; milliseconds for a fact**\n")
    print("|  | CPU, in batches of 500 | CPU, one by one | … with embedding | wall, p50 / p95 |")
    print("|---|--:|--:|--:|--:|")
    print("\n".join(_added(row, given.fact_ms) for row in rows if row.added))
