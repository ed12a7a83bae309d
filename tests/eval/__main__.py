"""`make eval`: measure extraction, search and memories, and print tables beside simple baselines."""

import argparse
import importlib
import re
import sys
import time
from collections.abc import Sequence

from tests.eval.common import DATA, FAILURES, PROJECT, DataMissing, Options, Table, machine
from tests.eval.found import changed, settings

EXTRACTION = ("carb", "dates", "names", "relations", "locomo", "speed")
SEARCH = ("search-locomo", "search-longmemeval", "context-locomo")
MEMORIES = ("memories-locomo", "memories-client")
CHANGE = ("dialogues", "histories", "questions")
PARTS = (*EXTRACTION, *SEARCH, *MEMORIES, *CHANGE)
TITLES = {
    **dict.fromkeys(SEARCH, "Search"),
    **dict.fromkeys(MEMORIES, "Memories"),
    **dict.fromkeys(CHANGE, "Change"),
}
PAGES = PROJECT / "docs" / "measurements"


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.eval", description=__doc__)
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--sample", type=int, help="about that many sentences, documents, turns")
    parser.add_argument("--show", action="store_true", help="print turns with their facts")
    search = parser.add_argument_group("parts that search")
    search.add_argument("--ways", default="", help='such as "episodes, rrf; facts"')
    search.add_argument("--misses", help="print what a kind of question misses, as multi-hop")
    search.add_argument("--ablate", action="store_true", help="leave out one thing at a time")
    search.add_argument("--set", default="", help='other constants: "rank.WORDS=0.5; ..."')
    search.add_argument("--facts", action="store_true", help="read LongMemEval: an hour")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    arguments = parser.parse_args(given)
    if arguments.write and arguments.set:
        parser.error("what was measured with other constants is not written down")
    return arguments


def measure(part: str, options: Options) -> list[Table]:
    """The tables of one part; none, and a word about it, where something is missing."""
    module = f"tests.eval.{part.replace('-', '_')}"
    try:
        return list(importlib.import_module(module).tables(options))
    except DataMissing as missing:
        print(f"{part}: left out, {missing}")
    except ModuleNotFoundError as missing:
        print(f"{part}: left out, there is no {missing.name} yet")
    return []


def _write(part: str, tables: Sequence[Table], facts: str) -> None:
    title = TITLES.get(part.split()[0], "Extraction")
    path = PAGES / f"{title.lower()}.md"
    old = path.read_text(encoding="utf-8") if path.is_file() else f"# {title}\n"
    path.write_text(page(old, part, tables, facts), encoding="utf-8")


def page(old: str, part: str, tables: Sequence[Table], facts: str) -> str:
    """The page with one part's tables put between its marks."""
    body = "\n\n".join(f"**{table.title}**\n\n{table.markdown()}" for table in tables)
    marks = f"<!-- begin {part} -->", f"<!-- end {part} -->"
    fresh = f"{marks[0]}\n{body}\n\n`python -m tests.eval --only {part}`: {facts}.\n{marks[1]}"
    pattern = re.compile(f"{re.escape(marks[0])}.*?{re.escape(marks[1])}", re.DOTALL)
    if pattern.search(old):
        return pattern.sub(lambda _: fresh, old)
    return f"{old.rstrip()}\n\n{fresh}\n"


def main(given: Sequence[str]) -> int:
    """Measure what was asked for. Without the data there is nothing to measure, and no failure.

    A text that the extractor could not read fails the run, at its end.
    """
    arguments = _arguments(given)
    if not DATA.is_dir():
        print("make eval: skipped, the evaluation data (../shared/data) is not beside the project")
        return 0
    parts = [part for part in arguments.only.split(",") if part]
    if unknown := set(parts) - set(PARTS):
        print(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
        return 2
    options = Options(
        sample=arguments.sample,
        show=arguments.show,
        misses=arguments.misses,
        ablate=arguments.ablate,
        ways=arguments.ways,
        facts=arguments.facts,
    )
    facts = machine()
    print(facts)
    for part in parts:
        began = time.perf_counter()
        with changed(settings(arguments.set)):
            tables = measure(part, options)
        for table in tables:
            print(f"\n{table.plain()}")
        print(f"\n{part}: {time.perf_counter() - began:.0f} s", flush=True)
        if arguments.write and tables:
            _write(f"{part} --ablate" if options.ablate else part, tables, facts)
    for failure in FAILURES:
        print(f"could not be read: {failure}")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
