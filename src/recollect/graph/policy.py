"""Access policies: what the rules of a key come to for an action.

Two layers. The action layer lets a request proceed or refuses it. The attribute layer says what a
request that proceeds may see; it never rescues one that was refused.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from recollect.graph.sight import Constraint, Sight, Value, typed

Effect = Literal["allow", "deny"]
Mode = Literal["off", "report_only", "enforce"]
Role = Literal["default_allow", "default_deny"]
Outcome = Literal["allowed", "denied", "narrowed"]
MODES: tuple[Mode, ...] = ("off", "report_only", "enforce")
ROLES: tuple[Role, ...] = ("default_allow", "default_deny")
READONLY = "readonly"  # stands for every action that only reads


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule: what it allows or denies, and of which objects; without attributes, of all."""

    id: str
    effect: Effect
    actions: tuple[str, ...]
    attributes: tuple[tuple[str, tuple[Value, ...]], ...] = ()
    subset_match: bool | None = None  # None: as the set says

    def names(self, action: str, *, reads: bool) -> bool:
        """Whether the rule is about an action, by its name or because it only reads."""
        return action in self.actions or (reads and READONLY in self.actions)


class PolicySetDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A policy set as somebody wrote it, checked."""

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
    """What a key may do: the outcome, what it then sees, and what led to it.

    *mode* says how policies took part: they took effect, they were only reported on, or none
    counted. *would* is the decision that the reported sets would have led to, if any was reported.
    """

    outcome: Outcome
    sight: Sight | None = None
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
        """Whether enforcing what was only reported would change what is answered."""
        would = self.would
        return would is not None and (would.outcome, would.sight) != (self.outcome, self.sight)


def counting(mode: Mode, sets: Iterable[PolicySetDocument]) -> list[PolicySetDocument]:
    """The sets that are looked at: neither they nor the key are off."""
    return [] if mode == "off" else [each for each in sets if each.mode != "off"]


def effective_sets(mode: Mode, sets: Iterable[PolicySetDocument]) -> list[PolicySetDocument]:
    """The sets that take effect: they and the key enforce."""
    return [each for each in sets if each.mode == "enforce"] if mode == "enforce" else []


def decide(
    role: Role, mode: Mode, sets: Sequence[PolicySetDocument], action: str, *, reads: bool
) -> Decision:
    """What a key may do; *reads* says whether the action only reads."""
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
    """The decision over sets that all count: any denial, else any allowance, else the role."""
    found = [
        (each, rule) for each in sets for rule in each.policies if rule.names(action, reads=reads)
    ]
    refusing = [pair for pair in found if pair[1].effect == "deny" and not pair[1].attributes]
    if refusing:
        return _decision("denied", refusing, "a rule denies the action")
    allowing = [pair for pair in found if pair[1].effect == "allow"]
    if not allowing and role == "default_deny":
        return _decision("denied", [], "no rule allows the action, and the role denies")
    return _sight([pair for pair in found if pair[1].effect == "deny"], allowing)


_Pairs = Sequence[tuple[PolicySetDocument, Rule]]


def _sight(denying: _Pairs, allowing: _Pairs) -> Decision:
    """What is seen of an action that proceeds. An allowance of everything outweighs its siblings."""
    open_to_all = [pair for pair in allowing if not pair[1].attributes]
    scoped = [] if open_to_all else allowing
    denied = tuple(each.constraint(rule) for each, rule in denying)
    allowed = tuple(each.constraint(rule) for each, rule in scoped)
    if not denied and not allowed:
        why = "a rule allows the action" if open_to_all else "no rule names it; the role allows"
        return _decision("allowed", open_to_all, why)
    sight = Sight(allowed=allowed or None, denied=denied)
    why = "rules say which objects are seen"
    return _decision("narrowed", [*denying, *(open_to_all or scoped)], why, sight)


def _decision(outcome: Outcome, pairs: _Pairs, why: str, sight: Sight | None = None) -> Decision:
    rules = tuple(
        DecidedBy(
            policy_set=each.name, rule=rule.id, effect=rule.effect, narrows=bool(rule.attributes)
        )
        for each, rule in pairs
    )
    return Decision(outcome=outcome, sight=sight, rules=rules, why=why)
