"""What a Dockerfile says, instruction by instruction."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Stage:
    """A `FROM` and what follows it."""

    image: str
    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def of(self, word: str) -> list[str]:
        """What the instructions of one kind say."""
        return [said for kind, said in self.steps if kind == word]

    def environment(self) -> dict[str, str]:
        """The variables that the stage sets."""
        return dict(pair.split("=", 1) for said in self.of("ENV") for pair in said.split())


def lines(text: str) -> Iterator[str]:
    """Instructions as one line each, without comments."""
    whole = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    yield from (
        line.strip() for line in re.sub(r"\\\n\s*", " ", whole).splitlines() if line.strip()
    )


def read(path: Path) -> list[Stage]:
    """The stages of a file; every instruction in it is one that exists."""
    stages: list[Stage] = []
    for line in lines(path.read_text(encoding="utf-8")):
        word, _, said = line.partition(" ")
        if word == "FROM":
            image, _, name = said.partition(" AS ")
            stages.append(Stage(image, name))
        elif word == "ARG" and not stages:
            continue
        elif word in WORDS:
            stages[-1].steps.append((word, said.strip()))
        else:
            raise ValueError(f"{word} is no instruction")
    return stages


WORDS = {
    *("ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "HEALTHCHECK"),
    *("LABEL", "RUN", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"),
}


def words(said: str) -> list[str]:
    """An instruction in the form of a list, which no shell takes apart."""
    found: list[str] = json.loads(said[said.index("[") :])
    return found
