"""What was read out of an episode."""

from datetime import datetime
from typing import Literal

from recollect.compat.zep.v4.wire.base import Json, Wire


class IngestionNode4(Wire):
    """A node as an episode names it."""

    name: str
    labels: list[str]
    summary: str | None = None
    attributes: Json | None = None


class IngestionEdge4(Wire):
    """A fact as an episode states it."""

    name: str
    fact: str
    attributes: Json | None = None
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    expired_at: datetime | None = None


class IngestionInput4(Wire):
    """What was read."""

    episode_content: str


class IngestionOutput4(Wire):
    """What was found."""

    extracted_nodes: list[IngestionNode4]
    extracted_edges: list[IngestionEdge4]


class IngestionTrace4(Wire):
    """One step of reading an episode."""

    uuid: str
    step: Literal["combined_extraction"]
    status: Literal["recorded"]
    input: IngestionInput4
    output: IngestionOutput4
    created_at: datetime
