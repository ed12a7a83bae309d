"""Named instructions for the memory: what to extract, how to summarise a user."""

from collections.abc import Sequence
from typing import Literal

from recollect.errors import InvalidInput
from recollect.graph import checks
from recollect.graph.types import Access, Record
from recollect.limits import (
    EXTRACTION_INSTRUCTION_CHARS_MAX,
    EXTRACTION_INSTRUCTIONS_MAX,
    INSTRUCTION_NAME_CHARS_MAX,
    INSTRUCTION_SCOPES_PER_CALL_MAX,
    INSTRUCTIONS_PER_CALL_MAX,
    SUMMARY_INSTRUCTION_CHARS_MAX,
    SUMMARY_INSTRUCTIONS_MAX,
)
from recollect.records.guidance import scopes
from recollect.records.guidance.scopes import Scope, Targets
from recollect.store.protocol import Transaction

InstructionKind = Literal["extraction", "summary"]

_INSTRUCTION_CHARS_MAX: dict[InstructionKind, int] = {
    "extraction": EXTRACTION_INSTRUCTION_CHARS_MAX,
    "summary": SUMMARY_INSTRUCTION_CHARS_MAX,
}
_INSTRUCTIONS_MAX: dict[InstructionKind, int] = {
    "extraction": EXTRACTION_INSTRUCTIONS_MAX,
    "summary": SUMMARY_INSTRUCTIONS_MAX,
}


class Instruction(Record):
    """A named instruction."""

    name: str
    text: str


def add_instructions(
    tx: Transaction,
    access: Access,
    kind: InstructionKind,
    targets: Targets,
    instructions: Sequence[Instruction],
) -> None:
    """Add instructions at each named scope; an existing name is replaced, the others stay."""
    _check_instructions(kind, instructions)
    places = scopes.every(tx, access, targets, INSTRUCTION_SCOPES_PER_CALL_MAX)
    for where in places:
        _check_room(tx, access, kind, where, instructions)
    for where in places:
        for item in instructions:
            scopes.put(tx, access, kind, where, item.text, name=item.name)


def _check_room(
    tx: Transaction,
    access: Access,
    kind: InstructionKind,
    where: Scope,
    instructions: Sequence[Instruction],
) -> None:
    names = {row.name for row in scopes.at(tx, access, kind, where)}
    names.update(item.name for item in instructions)
    most = _INSTRUCTIONS_MAX[kind]
    if len(names) > most:
        raise InvalidInput(
            f"instructions: at most {most} in one scope, this would make {len(names)}"
        )


def delete_instructions(
    tx: Transaction, access: Access, kind: InstructionKind, targets: Targets, names: Sequence[str]
) -> None:
    """Remove the named instructions at each named scope; without names, all of them."""
    for where in scopes.every(tx, access, targets, INSTRUCTION_SCOPES_PER_CALL_MAX):
        scopes.delete(tx, access, kind, where, names)


def instructions_at(
    tx: Transaction, access: Access, where: Scope, kind: InstructionKind
) -> list[Instruction]:
    """The instructions in force at a scope."""
    found = scopes.effective(tx, access, kind, where)
    return [Instruction(name=row.name, text=scopes.value(row, str)) for row in found]


def _check_instructions(kind: InstructionKind, instructions: Sequence[Instruction]) -> None:
    if not instructions:
        raise InvalidInput("instructions: must not be empty")
    scopes.check_count("instructions", instructions, INSTRUCTIONS_PER_CALL_MAX)
    for number, item in enumerate(instructions):
        place, chars_max = f"instructions[{number}]", _INSTRUCTION_CHARS_MAX[kind]
        checks.text(f"{place}.name", item.name, INSTRUCTION_NAME_CHARS_MAX, required=True)
        checks.text(f"{place}.text", item.text, chars_max, required=True)
    scopes.check_unique("instructions", (item.name for item in instructions))
