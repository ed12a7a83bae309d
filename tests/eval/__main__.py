"""`make eval`: measure the embedded extractor and print tables beside simple baselines."""

import argparse
import importlib
import re
import sys
import time
from collections.abc import Sequence

from tests.eval.common import DATA, FAILURES, PROJECT, DataMissing, Options, Table, machine

PARTS = ("carb", "dates", "names", "relations", "locomo", "speed")
PAGE = PROJECT / "docs" / "measurements" / "extraction.md"


def _arguments(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.eval", description=__doc__)
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {','.join(PARTS)}")
    parser.add_argument("--sample", type=int, help="about that many sentences, documents, turns")
    parser.add_argument("--show", action="store_true", help="print turns with their facts")
    parser.add_argument("--write", action="store_true", help="put the tables into the docs")
    return parser.parse_args(given)


def measure(part: str, options: Options) -> list[Table]:
    """The tables of one part; none, and a word about it, where something is missing."""
    try:
        return list(importlib.import_module(f"tests.eval.{part}").tables(options))
    except DataMissing as missing:
        print(f"{part}: left out, {missing}")
    except ModuleNotFoundError as missing:
        print(f"{part}: left out, there is no {missing.name} yet")
    return []


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
    facts = machine()
    print(facts)
    for part in parts:
        began = time.perf_counter()
        tables = measure(part, Options(sample=arguments.sample, show=arguments.show))
        for table in tables:
            print(f"\n{table.plain()}")
        print(f"\n{part}: {time.perf_counter() - began:.0f} s", flush=True)
        if arguments.write and tables:
            old = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else "# Extraction\n"
            PAGE.write_text(page(old, part, tables, facts), encoding="utf-8")
    for failure in FAILURES:
        print(f"could not be read: {failure}")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
