"""Validation of policy sets. Every error names the path it is about."""

import difflib
import math
import re
from collections.abc import Collection, Mapping
from typing import Any, TypeVar, get_args

from recollect.errors import InvalidInput
from recollect.graph import checks, policy_text
from recollect.graph.policy import READONLY, Effect, Mode, PolicySetDocument, Rule
from recollect.graph.visibility import Value
from recollect.limits import DESCRIPTION_CHARS_MAX, ECHO_CHARS_MAX, ID_CHARS_MAX

_SET_FIELDS = ("name", "description", "mode", "subset_match", "spec")
_SPEC_FIELDS = ("resource_selector_version", "policies")
_RULE_FIELDS = ("id", "type", "effect", "actions", "attributes", "subset_match")
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
_INTEGER_MIN, _INTEGER_END = -(2**63), 2**64  # the range that survives JSON exactly
Word = TypeVar("Word", bound=str)


def read(text: str, known: Collection[str]) -> PolicySetDocument:
    """Parse a policy set from YAML or JSON text; *known* are the actions that exist."""
    return check(policy_text.read(text), known)


def check(document: Any, known: Collection[str]) -> PolicySetDocument:
    """Build a policy set from plain values, or raise InvalidInput that says what is wrong where."""
    whole = _object("document", document, ("policy_set",), required=("policy_set",), inside="")
    given = _object("policy_set", whole["policy_set"], _SET_FIELDS, required=("name", "spec"))
    path = "policy_set.spec"
    spec = _object(path, given["spec"], _SPEC_FIELDS, required=("policies",))
    return PolicySetDocument(
        name=_name(given["name"]),
        description=_description(given.get("description")),
        mode=_word("policy_set.mode", given.get("mode", "enforce"), get_args(Mode)),
        subset_match=_flag("policy_set.subset_match", given.get("subset_match", False)),
        resource_selector_version=_selector(spec.get("resource_selector_version")),
        policies=_rules(f"{path}.policies", spec["policies"], known),
    )


def plain(document: PolicySetDocument) -> dict[str, Any]:
    """A policy set as plain values, which `check` reads again."""
    given: dict[str, Any] = {"name": document.name}
    if document.description is not None:
        given["description"] = document.description
    given |= {"mode": document.mode, "subset_match": document.subset_match}
    spec: dict[str, Any] = {}
    if document.resource_selector_version is not None:
        spec["resource_selector_version"] = document.resource_selector_version
    spec["policies"] = [_plain_rule(rule) for rule in document.policies]
    return {"policy_set": {**given, "spec": spec}}


def _plain_rule(rule: Rule) -> dict[str, Any]:
    given: dict[str, Any] = {
        "id": rule.id,
        "type": "authorization",
        "effect": rule.effect,
        "actions": list(rule.actions),
    }
    if rule.attributes:
        given["attributes"] = {key: list(values) for key, values in rule.attributes}
    if rule.subset_match is not None:
        given["subset_match"] = rule.subset_match
    return given


def _name(value: Any) -> str:
    name = checks.caller_id("policy_set.name", _text("policy_set.name", value))
    if _UUID.match(name):
        raise InvalidInput("policy_set.name: must not look like a uuid: sets are found by both")
    return name


def _description(value: Any) -> str | None:
    if value is None:
        return None
    path = "policy_set.description"
    return checks.text(path, _text(path, value), DESCRIPTION_CHARS_MAX)


def _selector(value: Any) -> int | None:
    if value is None or (value == 1 and isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise InvalidInput("policy_set.spec.resource_selector_version: must be 1")


def _rules(path: str, value: Any, known: Collection[str]) -> tuple[Rule, ...]:
    rules = [_rule(f"{path}[{n}]", item, known) for n, item in enumerate(_list(path, value))]
    first: dict[str, int] = {}
    for number, rule in enumerate(rules):
        if first.setdefault(rule.id, number) != number:
            raise InvalidInput(
                f"{path}[{number}].id: {_echo(rule.id)} is the id of "
                f"policies[{first[rule.id]}] already"
            )
    return tuple(rules)


def _rule(path: str, value: Any, known: Collection[str]) -> Rule:
    given = _object(path, value, _RULE_FIELDS, required=("id", "type", "effect", "actions"))
    _word(f"{path}.type", given["type"], ("authorization",))
    subset = given.get("subset_match")
    return Rule(
        id=_rule_id(f"{path}.id", given["id"]),
        effect=_word(f"{path}.effect", given["effect"], get_args(Effect)),
        actions=_actions(f"{path}.actions", given["actions"], known),
        attributes=_attributes(f"{path}.attributes", given) if "attributes" in given else (),
        subset_match=None if subset is None else _flag(f"{path}.subset_match", subset),
    )


def _rule_id(path: str, value: Any) -> str:
    text = checks.text(path, _text(path, value), ID_CHARS_MAX, required=True)
    return text or ""


def _actions(path: str, value: Any, known: Collection[str]) -> tuple[str, ...]:
    given = _list(path, value)
    return tuple(
        dict.fromkeys(
            action(f"{path}[{n}]", item, {*known, READONLY}) for n, item in enumerate(given)
        )
    )


def action(path: str, value: Any, known: Collection[str]) -> str:
    """Check the name of an action; the error for an unknown one suggests close matches."""
    name = _text(path, value)
    if name in known:
        return name
    near = difflib.get_close_matches(name[:ECHO_CHARS_MAX], sorted(known), n=3)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    raise InvalidInput(f"{path}: there is no action {_echo(name)}{hint}")


def _attributes(path: str, given: Mapping[str, Any]) -> tuple[tuple[str, tuple[Value, ...]], ...]:
    value = given["attributes"]
    if not isinstance(value, dict) or not value:
        raise InvalidInput(f"{path}: must name at least one key; leave it out to mean all objects")
    found = []
    for key, values in value.items():
        if not _text(path, key).strip():
            raise InvalidInput(f"{path}: a key must not be blank")
        where = f"{path}.{key[:ECHO_CHARS_MAX]}"
        listed = tuple(_scalar(f"{where}[{n}]", v) for n, v in enumerate(_list(where, values)))
        found.append((key, listed))
    return tuple(found)


def _scalar(path: str, value: Any) -> Value:
    if isinstance(value, str):
        return _text(path, value)
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and _INTEGER_MIN <= value < _INTEGER_END:
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise InvalidInput(f"{path}: must be a string, a finite number of 64 bits, or true or false")


def _object(
    path: str,
    value: Any,
    fields: Collection[str],
    *,
    required: Collection[str],
    inside: str | None = None,
) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"{path}: must be an object with {', '.join(fields)}")
    prefix = f"{path}." if inside is None else inside
    for name in value:
        if name not in fields:
            near = difflib.get_close_matches(name[:ECHO_CHARS_MAX], fields, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(fields)}"
            raise InvalidInput(f"{prefix}{_shown(name)}: is not a field{hint}")
    for name in required:
        if name not in value:
            raise InvalidInput(f"{prefix}{name}: is required")
    return value


def _list(path: str, value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise InvalidInput(f"{path}: must be a list with at least one item")
    return value


def _text(path: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{path}: must be text")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise InvalidInput(f"{path}: must not contain NUL or half a character")
    return value


def _flag(path: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{path}: must be true or false")
    return value


def _word(path: str, value: Any, words: tuple[Word, ...]) -> Word:
    for word in words:
        if value == word:
            return word
    shown = f"; got {_echo(value)}" if isinstance(value, str) else ""
    raise InvalidInput(f"{path}: must be {' or '.join(words)}{shown}")


def _shown(name: str) -> str:
    return name[:ECHO_CHARS_MAX].encode("ascii", "backslashreplace").decode()


def _echo(text: str) -> str:
    return ascii(text if len(text) <= ECHO_CHARS_MAX else text[:ECHO_CHARS_MAX] + "...")
