"""Access policies: what the rules of a key decide for an action.

There are two layers. The action layer allows or refuses a request. The attribute layer decides what
an allowed request may see; it never rescues a refused one.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from recollect.graph.visibility import Constraint, Value, Visibility, typed

Effect = Literal["allow", "deny"]
Mode = Literal["off", "report_only", "enforce"]
Role = Literal["default_allow", "default_deny"]
Outcome = Literal["allowed", "denied", "narrowed"]
MODES: tuple[Mode, ...] = ("off", "report_only", "enforce")
ROLES: tuple[Role, ...] = ("default_allow", "default_deny")
READONLY = "readonly"  # matches every action that only reads


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """What is allowed or denied, and for which objects; without attributes, for all."""

    id: str
    effect: Effect
    actions: tuple[str, ...]
    attributes: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    subset_match: bool | None = None  # None: as the set says

    def names(self, action: str, *, reads: bool) -> bool:
        """Whether the rule is about an action, by its name or because it only reads."""
        return action in self.actions or (reads and READONLY in self.actions)


class PolicySetDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A policy set as written, validated."""

    name: str
    description: str | None = None
    mode: Mode = "enforce"
    subset_match: bool = False
    resource_selector_version: int | None = None
    policies: tuple[Rule, ...] = ()

    def constraint(self, rule: Rule) -> Constraint:
        """What a rule of this set asks of an object's effective metadata."""
        subset = self.subset_match if rule.subset_match is None else rule.subset_match
        required = tuple(
            (key, frozenset(typed(value) for value in values)) for key, values in rule.attributes
        )
        return Constraint(required=required, subset=subset)


class KeyPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What governs a key: its role, its mode and the policy sets attached to it."""

    role: Role = "default_allow"
    mode: Mode = "enforce"
    sets: tuple[PolicySetDocument, ...] = ()


class DecidedBy(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that had a say in a decision."""

    policy_set: str
    rule: str
    effect: Effect
    narrows: bool


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The decision on a request: its outcome, its visibility and the rules that led to it.

    *mode* is whether policies took effect, were only reported, or did not count. *would* is the
    decision that the reported sets would have led to.
    """

    outcome: Outcome
    visibility: Visibility | None = None
    rules: tuple[DecidedBy, ...] = ()
    why: str = ""
    mode: Mode = "off"
    would: "Decision | None" = None

    @property
    def allowed(self) -> bool:
        """Whether the request proceeds."""
        return self.outcome != "denied"

    @property
    def differs(self) -> bool:
        """Whether enforcing the report-only sets would change the response."""
        would = self.would
        return would is not None and (would.outcome, would.visibility) != (
            self.outcome,
            self.visibility,
        )


def counting(mode: Mode, sets: Iterable[PolicySetDocument]) -> list[PolicySetDocument]:
    """The sets that are evaluated: those that are not off, if the key is not."""
    return [] if mode == "off" else [each for each in sets if each.mode != "off"]


def effective_sets(mode: Mode, sets: Iterable[PolicySetDocument]) -> list[PolicySetDocument]:
    """The sets that take effect: those that enforce, if the key does."""
    return [each for each in sets if each.mode == "enforce"] if mode == "enforce" else []


def decide(
    role: Role, mode: Mode, sets: Sequence[PolicySetDocument], action: str, *, reads: bool
) -> Decision:
    """What a key may do; *reads*: the action only reads."""
    looked_at = counting(mode, sets)
    enforced = effective_sets(mode, sets)
    served = judge(role, enforced, action, reads=reads)
    if len(looked_at) == len(enforced):
        return msgspec.structs.replace(served, mode="enforce" if enforced else "off")
    return msgspec.structs.replace(
        served,
        mode="enforce" if enforced else "report_only",
        would=judge(role, looked_at, action, reads=reads),
    )


def judge(role: Role, sets: Iterable[PolicySetDocument], action: str, *, reads: bool) -> Decision:
    """The decision over these sets: any denial, else any allowance, else the role."""
    found = [
        (each, rule) for each in sets for rule in each.policies if rule.names(action, reads=reads)
    ]
    refusing = [pair for pair in found if pair[1].effect == "deny" and not pair[1].attributes]
    if refusing:
        return _decision("denied", refusing, "a rule denies the action")
    allowing = [pair for pair in found if pair[1].effect == "allow"]
    if not allowing and role == "default_deny":
        return _decision("denied", [], "no rule allows the action, and the role denies")
    return _visibility([pair for pair in found if pair[1].effect == "deny"], allowing)


_Pairs = Sequence[tuple[PolicySetDocument, Rule]]


def _visibility(denying: _Pairs, allowing: _Pairs) -> Decision:
    """What an allowed action may see. An unconditional allowance outweighs the others."""
    open_to_all = [pair for pair in allowing if not pair[1].attributes]
    scoped = [] if open_to_all else allowing
    denied = tuple(each.constraint(rule) for each, rule in denying)
    allowed = tuple(each.constraint(rule) for each, rule in scoped)
    if not denied and not allowed:
        why = "a rule allows the action" if open_to_all else "no rule names it; the role allows"
        return _decision("allowed", open_to_all, why)
    visibility = Visibility(allowed=allowed or None, denied=denied)
    why = "rules say which objects are seen"
    return _decision("narrowed", [*denying, *(open_to_all or scoped)], why, visibility)


def _decision(
    outcome: Outcome, pairs: _Pairs, why: str, visibility: Visibility | None = None
) -> Decision:
    rules = tuple(
        DecidedBy(
            policy_set=each.name, rule=rule.id, effect=rule.effect, narrows=bool(rule.attributes)
        )
        for each, rule in pairs
    )
    return Decision(outcome=outcome, visibility=visibility, rules=rules, why=why)
