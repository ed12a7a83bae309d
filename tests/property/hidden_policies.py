"""Policies as documents, and an independent implementation of what they let a key see."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from recollect.graph.policy import Mode, Role

Json = dict[str, Any]
Carried = Mapping[str, Sequence[Any]]
# Writes that name an object or return content; each sees what its own action may see.
WRITES = (
    "graph.edge.delete",
    "graph.edge.reopen",
    "graph.edge.undo",
    "graph.edge.update",
    "graph.node.delete",
    "graph.node.merge",
    "graph.node.unmerge",
    "graph.node.update",
    "graph.episode.delete",
    "graph.episode.update",
    "thread.message.update",
    "thread.classify",
    "document.update_document",
    "document.delete_document",
    "job.retry",
    "memory.delete",
    "memory.feature.delete",
    "memory.feature.update",
)


# Writes that add content; a key that may add may add anything.
TELLS = ("graph.add", "graph.add_fact_triple", "graph.add_nodes", "thread.add_messages")


@dataclass(frozen=True)
class Written:
    """One rule over metadata."""

    effect: str
    attributes: tuple[tuple[str, tuple[Any, ...]], ...]
    subset: bool | None = None  # None: the setting of its set


@dataclass(frozen=True)
class Policy:
    """A key with its policy sets."""

    role: Role
    sets: tuple[tuple[bool, tuple[Written, ...]], ...]  # subset_match of the set, and its rules
    mode: Mode = "enforce"
    set_mode: Mode = "enforce"
    tells: bool = False  # whether the key may add content

    def documents(self, name: str) -> list[Json]:
        """The policy sets as an administrator would write them."""
        return [
            {
                "policy_set": {
                    "name": f"{name} {number}",
                    "mode": self.set_mode,
                    "subset_match": subset,
                    "spec": {
                        "policies": [
                            *(_rule(n, rule) for n, rule in enumerate(rules)),
                            *([_TELLING] if self.tells else []),
                        ]
                    },
                }
            }
            for number, (subset, rules) in enumerate(self.sets)
        ]

    def reported(self, *, by_key: bool) -> "Policy":
        """The same, only reported on."""
        if by_key:
            return replace(self, mode="report_only")
        return replace(self, set_mode="report_only")

    def sees(self, metadata: Iterable[Mapping[str, Any] | None]) -> bool:
        """Whether an object over episodes with these metadata may be seen."""
        held = carried(metadata)
        rules = [
            (rule, of_set if rule.subset is None else rule.subset)
            for of_set, several in self.sets
            for rule in several
        ]
        fits = {"allow": [False], "deny": [False]}
        for rule, subset in rules:
            fits[rule.effect].append(_fits(rule, held, subset=subset))
        if any(fits["deny"]):
            return False
        scoped = any(rule.effect == "allow" for rule, _ in rules)
        return any(fits["allow"]) if scoped else True


_TELLING = {"id": "tell", "type": "authorization", "effect": "allow", "actions": list(TELLS)}


def _rule(number: int, rule: Written) -> Json:
    made: Json = {
        "id": f"r{number}",
        "type": "authorization",
        "effect": rule.effect,
        "actions": ["readonly", *WRITES],
    }
    if rule.attributes:
        made["attributes"] = {key: list(values) for key, values in rule.attributes}
    if rule.subset is not None:
        made["subset_match"] = rule.subset
    return made


def _kind(value: Any) -> str:
    return f"{'b' if isinstance(value, bool) else 's' if isinstance(value, str) else 'n'}:{value}"


def carried(metadata: Iterable[Mapping[str, Any] | None]) -> dict[str, list[Any]]:
    """Effective metadata of episodes: for each key the distinct values, where types count."""
    found: dict[str, list[Any]] = {}
    for each in metadata:
        for key, value in (each or {}).items():
            held = found.setdefault(key, [])
            for one in value if isinstance(value, list) else [value]:
                if all(_kind(one) != _kind(other) for other in held):
                    held.append(one)
    return found


def _fits(rule: Written, held: Carried, *, subset: bool) -> bool:
    for key, values in rule.attributes:
        wanted = {_kind(value) for value in values}
        there = {_kind(value) for value in held.get(key, [])}
        if not (wanted.issubset(there) if subset else wanted == there):
            return False
    return True


# The metadata of episodes, and the values in rules: only a few, so that rules match often.
PROFILES: tuple[Json, ...] = (
    {},
    {"class": "open"},
    {"class": "secret"},
    {"class": ["open", "secret"]},
    {"class": "open", "level": 3},
    {"class": "secret", "level": 3},
    {"level": "3"},
    {"level": 3, "vip": True},
    {"vip": 1},
    {"vip": False, "class": "open"},
)
_ASKED: tuple[tuple[tuple[str, tuple[Any, ...]], ...], ...] = (
    (("class", ("open",)),),
    (("class", ("secret",)),),
    (("class", ("secret", "open")),),
    (("class", ("open",)), ("level", (3,))),
    (("level", (3,)),),
    (("level", ("3",)),),
    (("vip", (True,)),),
    (("vip", (False,)),),
)


def drawn(random: Random) -> Policy:
    """A random policy: one or two sets, each with one or two rules."""
    role: Role = random.choice(("default_allow", "default_deny"))
    effects = ("allow", "deny") if role == "default_allow" else ("allow", "allow", "deny")
    sets = [
        (
            random.random() < 0.3,
            tuple(
                Written(
                    random.choice(effects),
                    random.choice(_ASKED),
                    random.choice((None, None, None, True, False)),
                )
                for _ in range(random.choice((1, 1, 2)))
            ),
        )
        for _ in range(random.choice((1, 1, 2)))
    ]
    if role == "default_deny" and not any(r.effect == "allow" for _, rs in sets for r in rs):
        sets.append((False, (Written("allow", random.choice(_ASKED)),)))
    return Policy(role, tuple(sets))
