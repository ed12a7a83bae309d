"""Who acts, and on what: what an `Access` carries for the audit log."""

from dataclasses import dataclass
from typing import Any, Self

COMMAND = "command"  # the actor of a caller without a key


@dataclass(frozen=True, slots=True)
class Target:
    """What is acted on. *chosen*: the id is the caller's, and may be a person's."""

    kind: str
    id: str
    chosen: bool = False

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(slots=True, eq=False)
class Acting:
    """One request or command as the audit log records it; *written* counts the units it committed.

    *sent_bytes* is the size of its payload, not yet counted against a limit on bytes.
    *detail* is None until the exact request is known.
    *erases*: the target may be gone afterwards, so it is named by the server's own id.
    *reads*: it changes nothing, except perhaps a cache.
    *commands*: the project is the one that owns what is changed, unless *project* names it, and a unit
    that changes nothing leaves no entry.
    """

    actor: str
    action: str
    project_id: int = 0
    target: Target | None = None
    detail: dict[str, Any] | None = None
    erases: bool = False
    reads: bool = False
    commands: bool = False
    project: str | None = None
    written: int = 0
    sent_bytes: int = 0

    @classmethod
    def by_command(
        cls,
        action: str,
        *,
        project: str | None = None,
        target: Target | None = None,
        detail: dict[str, Any] | None = None,
    ) -> Self:
        """A command run at the command line."""
        return cls(COMMAND, action, target=target, detail=detail, commands=True, project=project)
