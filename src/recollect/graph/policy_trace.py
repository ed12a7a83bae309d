"""Explaining a policy decision rule by rule."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from recollect.graph import policy
from recollect.graph.policy import Decision, KeyPolicy, Mode, Outcome, PolicySetDocument, Rule
from recollect.graph.visibility import Constraint, Effective, Value, typed


class RuleTrace(msgspec.Struct, frozen=True, kw_only=True):
    """One rule of an attached set: whether it fits, whether it decided, and why.

    Where sets are only reported on, *decided* is about the decision they would have led to.
    """

    policy_set: str
    policy_set_mode: Mode
    rule: str
    effect: policy.Effect
    matched: bool
    decided: bool
    why: str


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """A decision with everything that led to it.

    *visible* is about the object asked for: None when none was, or when the request is denied.
    *would_be_visible* is the same if the sets that are only reported on were enforced.
    """

    action: str
    reads: bool
    role: policy.Role
    mode: Mode
    outcome: Outcome
    why: str
    rules: list[RuleTrace]
    metadata: dict[str, list[Value]] | None = None
    visible: bool | None = None
    reported: bool = False
    would_be: Outcome | None = None
    would_be_visible: bool | None = None
    differs: bool = False


def explain(
    key: KeyPolicy, action: str, *, reads: bool, metadata: Mapping[str, Sequence[Value]] | None
) -> Trace:
    """What a key may do and why; *metadata* is the effective metadata of an object, if any."""
    decision = policy.decide(key.role, key.mode, key.sets, action, reads=reads)
    told = decision.would or decision
    deciding = {(by.policy_set, by.rule) for by in told.rules}
    rules = [
        _rule(key.mode, each, rule, action, reads, metadata, (each.name, rule.id) in deciding)
        for each in key.sets
        for rule in each.policies
    ]
    return Trace(
        action=action,
        reads=reads,
        role=key.role,
        mode=key.mode,
        outcome=decision.outcome,
        why=_why(decision, metadata),
        rules=rules if metadata is None else _decisive(rules),
        metadata=None if metadata is None else {k: list(v) for k, v in metadata.items()},
        visible=_visible(decision, metadata),
        reported=decision.would is not None,
        would_be=decision.would.outcome if decision.would else None,
        would_be_visible=_visible(decision.would, metadata) if decision.would else None,
        differs=decision.differs,
    )


def resting_on(trace: Trace, fact: Trace) -> Trace:
    """The trace of an object that is hidden with *fact*, which it rests on."""
    why = trace.why
    if trace.visible and not fact.visible:
        why = f"{why}, by itself; it is hidden with a fact that it rests on"
    return msgspec.structs.replace(
        trace,
        why=why,
        visible=trace.visible and fact.visible,
        would_be_visible=trace.would_be_visible and fact.would_be_visible,
    )


def unrestricted(action: str, *, reads: bool) -> Trace:
    """What an admin key may do: everything, whatever is attached to it."""
    return Trace(
        action=action,
        reads=reads,
        role="default_allow",
        mode="off",
        outcome="allowed",
        why="it is an admin key: no policy applies to it",
        rules=[],
    )


def _decisive(rules: list[RuleTrace]) -> list[RuleTrace]:
    """The rules once more: where a denial decided about an object, no allowance did."""
    if not any(rule.decided and rule.effect == "deny" for rule in rules):
        return rules
    return [
        msgspec.structs.replace(rule, decided=rule.decided and rule.effect == "deny")
        for rule in rules
    ]


def _visible(decision: Decision, metadata: Effective | None) -> bool | None:
    if metadata is None or not decision.allowed:
        return None
    return decision.visibility is None or decision.visibility.sees(metadata)


def _why(decision: Decision, metadata: Effective | None) -> str:
    seen = _visible(decision, metadata)
    if seen is None or decision.visibility is None:
        return decision.why
    if seen:
        return f"{decision.why}; this object is seen"
    denied = any(one.holds(metadata or {}) for one in decision.visibility.denied)
    rest = "a rule denies it" if denied else "no rule that allows the action fits it"
    return f"{decision.why}; this object is hidden: {rest}"


def _rule(
    mode: Mode,
    each: PolicySetDocument,
    rule: Rule,
    action: str,
    reads: bool,
    metadata: Effective | None,
    decided: bool,
) -> RuleTrace:
    matched, why = _match(mode, each, rule, action, reads, metadata)
    return RuleTrace(
        policy_set=each.name,
        policy_set_mode=each.mode,
        rule=rule.id,
        effect=rule.effect,
        matched=matched,
        decided=matched and decided,
        why=why,
    )


def _match(
    mode: Mode,
    each: PolicySetDocument,
    rule: Rule,
    action: str,
    reads: bool,
    metadata: Effective | None,
) -> tuple[bool, str]:
    """Whether a rule is about this request and object, and the reason in words."""
    if mode == "off" or each.mode == "off":
        return False, "the key is off" if mode == "off" else "the policy set is off"
    if not rule.names(action, reads=reads):
        return False, f"it does not name {action}"
    named = "it names the action" if action in rule.actions else "the action only reads"
    if mode != "enforce" or each.mode != "enforce":
        named += ", and is only reported on"
    if not rule.attributes:
        return True, f"{named}, for all objects"
    if metadata is None:
        return True, f"{named}, for objects with {_wanted(each.constraint(rule))}"
    wrong = _misfit(each.constraint(rule), metadata)
    return (True, f"{named}, and the object fits") if wrong is None else (False, wrong)


def _misfit(constraint: Constraint, metadata: Effective) -> str | None:
    """The first key whose values are not the wanted ones, in words."""
    for key, required in constraint.required:
        one = Constraint(required=((key, required),), subset=constraint.subset)
        if not one.holds(metadata):
            held = _values({typed(value) for value in metadata.get(key, ())})
            how = "at least" if constraint.subset else "exactly"
            return f"{key} must be {how} {_values(required)}, and is {held}"
    return None


def _wanted(constraint: Constraint) -> str:
    how = "at least" if constraint.subset else "exactly"
    return " and ".join(f"{key} {how} {_values(required)}" for key, required in constraint.required)


def _values(values: Any) -> str:
    shown = sorted(msgspec.json.encode(value).decode() for _, value in values)
    return "{" + ", ".join(shown) + "}"
