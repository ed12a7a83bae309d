"""What the rules of a key come to, by the numbered rules of access control.

A plain oracle says the same in other words: it looks at one object and one rule at a time.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.graph.policy import (
    MODES,
    ROLES,
    Decision,
    Mode,
    PolicySetDocument,
    Role,
    Rule,
    decide,
)

READ, OTHER_READ, WRITE = "graph.search", "thread.get", "graph.add"
READING = {READ, OTHER_READ}


def rule(effect: Any, *actions: str, subset: bool | None = None, **attributes: Any) -> Rule:
    """A rule whose id says what it does."""
    return Rule(
        id=f"{effect} {actions} {attributes}",
        effect=effect,
        actions=actions,
        attributes=tuple((key, tuple(values)) for key, values in attributes.items()),
        subset_match=subset,
    )


def a_set(*rules: Rule, mode: Mode = "enforce", subset: bool = False) -> PolicySetDocument:
    """A policy set of these rules."""
    return PolicySetDocument(name="set", mode=mode, subset_match=subset, policies=rules)


def decided(
    *sets: PolicySetDocument,
    role: Role = "default_allow",
    mode: Mode = "enforce",
    action: str = READ,
) -> Decision:
    """What a key may do."""
    return decide(role, mode, sets, action, reads=action in READING)


def sees(decision: Decision, **metadata: Any) -> bool:
    """Whether an object with these values is in the answer."""
    return decision.allowed and (decision.visibility is None or decision.visibility.sees(metadata))


def test_a1_an_allowed_attribute_never_rescues_a_denied_action() -> None:
    """The action layer comes first: a plain denial is final."""
    rules = a_set(rule("deny", READ), rule("allow", READ), rule("allow", READ, team=["blue"]))
    assert decided(rules).outcome == "denied"
    assert decided(rules).visibility is None


@pytest.mark.parametrize(
    ("key", "own", "expected"),
    [
        ("enforce", "enforce", "denied"),
        ("enforce", "report_only", "allowed"),
        ("enforce", "off", "allowed"),
        ("report_only", "enforce", "allowed"),
        ("report_only", "report_only", "allowed"),
        ("report_only", "off", "allowed"),
        ("off", "enforce", "allowed"),
        ("off", "report_only", "allowed"),
        ("off", "off", "allowed"),
    ],
)
def test_a2_a_set_takes_effect_only_where_key_and_set_enforce(
    key: Mode, own: Mode, expected: str
) -> None:
    """And it is looked at only where neither is off."""
    decision = decided(a_set(rule("deny", READ), mode=own), mode=key)
    assert decision.outcome == expected
    looked_at = "off" not in (key, own)
    assert (decision.mode == "off") == (not looked_at)
    assert (decision.would is not None) == (looked_at and expected == "allowed")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("action", [READ, WRITE])
def test_a3_without_policies_the_role_says_everything(mode: Mode, action: str) -> None:
    """One role opens everything, the other nothing, in every mode."""
    assert decided(role="default_allow", mode=mode, action=action).outcome == "allowed"
    assert decided(role="default_deny", mode=mode, action=action).outcome == "denied"


def test_a4_what_is_only_reported_is_told_and_not_done() -> None:
    """The decision that would have been taken is there, with whether it differs."""
    decision = decided(a_set(rule("deny", READ), mode="report_only"))
    assert (decision.outcome, decision.mode) == ("allowed", "report_only")
    assert decision.would is not None
    assert decision.would.outcome == "denied"
    assert decision.differs
    same = decided(a_set(rule("allow", READ), mode="report_only"))
    assert same.would is not None
    assert not same.differs
    narrower = decided(a_set(rule("deny", READ, team=["red"]), mode="report_only"))
    assert narrower.differs
    assert narrower.visibility is None


def test_a4_what_is_enforced_beside_it_takes_effect() -> None:
    """A set that is only reported on does not weaken one that is enforced."""
    enforced = a_set(rule("deny", READ, team=["red"]))
    reported = a_set(rule("deny", READ), mode="report_only")
    decision = decided(enforced, reported)
    assert (decision.outcome, decision.mode) == ("narrowed", "enforce")
    assert not sees(decision, team=["red"])
    assert decision.would is not None
    assert decision.would.outcome == "denied"


def test_a6_readonly_means_what_reads_and_nothing_that_writes() -> None:
    """Whether an action reads is told when it is asked, so new reads are covered."""
    rules = a_set(rule("allow", "readonly"))
    assert decided(rules, role="default_deny", action=READ).allowed
    assert decided(rules, role="default_deny", action=OTHER_READ).allowed
    assert not decided(rules, role="default_deny", action=WRITE).allowed
    assert decide("default_deny", "enforce", [rules], "made.up", reads=True).allowed


def test_a7_denial_over_allowance_over_role() -> None:
    """Wherever the rules stand, in one set or in several."""
    deny, allow = a_set(rule("deny", READ)), a_set(rule("allow", READ))
    for role in ROLES:
        assert not decided(allow, deny, role=role).allowed
        assert not decided(deny, allow, role=role).allowed
        assert decided(allow, role=role).allowed
    assert not decided(a_set(rule("allow", WRITE)), role="default_deny").allowed


def test_a7_a_denial_with_attributes_drops_what_fits_and_nothing_else() -> None:
    """The request proceeds."""
    decision = decided(a_set(rule("deny", READ, team=["red"])))
    assert decision.outcome == "narrowed"
    assert not sees(decision, team=["red"])
    assert sees(decision, team=["blue"])
    assert sees(decision)


def test_a8_allowances_are_alternatives_and_a_plain_one_opens_all() -> None:
    """One of them is enough; without attributes it makes its siblings pointless."""
    scoped = (rule("allow", READ, team=["red"]), rule("allow", READ, team=["blue"]))
    decision = decided(a_set(*scoped))
    assert sees(decision, team=["red"])
    assert sees(decision, team=["blue"])
    assert not sees(decision, team=["green"])
    assert decided(a_set(*scoped, rule("allow", READ))).visibility is None
    assert decided(a_set(*scoped), a_set(rule("allow", "readonly"))).visibility is None


@pytest.mark.parametrize("role", ROLES)
def test_a9_scoped_allowances_hide_the_rest_for_their_actions_only(role: Role) -> None:
    """Other reads stay as the role has them, so scoping everything needs default_deny."""
    rules = a_set(rule("allow", READ, team=["red"]))
    assert not sees(decided(rules, role=role), team=["blue"])
    assert not sees(decided(rules, role=role))
    other = decided(rules, role=role, action=OTHER_READ)
    assert other.allowed == (role == "default_allow")
    assert other.visibility is None


@pytest.mark.parametrize(
    ("metadata", "fits"),
    [
        ({"team": ["red"], "tier": [1]}, True),
        ({"team": ["red"], "tier": [1], "more": ["x"]}, True),
        ({"team": ["red", "blue"], "tier": [1]}, False),
        ({"team": ["red"]}, False),
        ({"team": ["blue"], "tier": [1]}, False),
        ({"team": ["red"], "tier": ["1"]}, False),
        ({"team": ["red"], "tier": [True]}, False),
        ({}, False),
    ],
)
def test_a10_every_named_key_has_exactly_the_values(metadata: Any, fits: bool) -> None:
    """A value too many, a key too few, another kind of value: no match."""
    decision = decided(a_set(rule("allow", READ, team=["red"], tier=[1])))
    assert sees(decision, **metadata) == fits


@pytest.mark.parametrize(
    ("of_set", "of_rule", "fits"),
    [
        (False, None, False),
        (True, None, True),
        (False, True, True),
        (True, False, False),
    ],
)
def test_a11_a_subset_is_enough_where_set_or_rule_says_so(
    of_set: bool, of_rule: bool | None, fits: bool
) -> None:
    """The rule's own word comes before that of its set."""
    rules = a_set(rule("allow", READ, subset=of_rule, team=["red"]), subset=of_set)
    assert sees(decided(rules), team=["red", "blue"]) == fits
    assert sees(decided(rules), team=["red"])
    assert not sees(decided(rules), team=["blue"])


def test_a12_a_denial_by_equality_does_not_reach_what_has_other_values_too() -> None:
    """So denials are better written with subset_match."""
    exact = decided(a_set(rule("deny", READ, level=["restricted"])))
    assert sees(exact, level=["restricted", "public"])
    subset = decided(a_set(rule("deny", READ, subset=True, level=["restricted"])))
    assert not sees(subset, level=["restricted", "public"])


def test_a13_a_further_source_hides_an_object_from_a_key_scoped_by_equality() -> None:
    """Restating a fact from elsewhere widens its values."""
    rules = decided(a_set(rule("allow", READ, team=["red"])), role="default_deny")
    assert sees(rules, team=["red"])
    assert not sees(rules, team=["red", "blue"])


def test_a_rule_on_a_write_says_which_objects_it_may_touch() -> None:
    """The attribute layer holds for that action, too."""
    decision = decided(
        a_set(rule("allow", "graph.edge.delete", team=["red"])),
        role="default_deny",
        action="graph.edge.delete",
    )
    assert sees(decision, team=["red"])
    assert not sees(decision, team=["blue"])


def test_a_decision_names_the_rules_that_made_it() -> None:
    """Those that decided, not all that were there."""
    plain, scoped = rule("allow", READ), rule("allow", READ, team=["red"])
    barred, elsewhere = rule("deny", READ, team=["blue"]), rule("deny", WRITE)
    decision = decided(a_set(plain, scoped, barred, elsewhere))
    assert {by.rule for by in decision.rules} == {plain.id, barred.id}


TEAMS = ["red", "blue", 1, True]
VALUES = st.lists(st.sampled_from(TEAMS), min_size=1, max_size=2, unique_by=repr)
METADATA = st.dictionaries(st.sampled_from(["team", "tier"]), VALUES, max_size=2)
RULES = st.builds(
    Rule,
    id=st.just("rule"),
    effect=st.sampled_from(["allow", "deny"]),
    actions=st.lists(
        st.sampled_from([READ, OTHER_READ, WRITE, "readonly"]), min_size=1, max_size=2
    ).map(tuple),
    attributes=METADATA.map(lambda given: tuple((k, tuple(v)) for k, v in given.items())),
    subset_match=st.sampled_from([None, True, False]),
)
SETS = st.builds(
    PolicySetDocument,
    name=st.just("set"),
    mode=st.sampled_from(MODES),
    subset_match=st.booleans(),
    policies=st.lists(RULES, max_size=3).map(tuple),
)


def oracle(
    role: Role, sets: Sequence[PolicySetDocument], action: str, metadata: dict[str, Any]
) -> str:
    """What becomes of one object: refused with its request, hidden or seen."""
    about = [
        (each, one)
        for each in sets
        for one in each.policies
        if action in one.actions or ("readonly" in one.actions and action in READING)
    ]
    if any(one.effect == "deny" and not one.attributes for _, one in about):
        return "refused"
    allowances = [pair for pair in about if pair[1].effect == "allow"]
    if role == "default_deny" and not allowances:
        return "refused"
    if any(one.effect == "deny" and _fits(each, one, metadata) for each, one in about):
        return "hidden"
    if not allowances or any(_fits(each, one, metadata) for each, one in allowances):
        return "seen"
    return "hidden"


def _fits(each: PolicySetDocument, one: Rule, metadata: dict[str, Any]) -> bool:
    subset = each.subset_match if one.subset_match is None else one.subset_match
    for key, wanted in one.attributes:
        has = {repr(value) for value in metadata.get(key, [])}
        asked = {repr(value) for value in wanted}
        if not (asked.issubset(has) if subset else asked == has):
            return False
    return True


def became(decision: Decision, metadata: dict[str, Any]) -> str:
    """The same, read off a decision."""
    if not decision.allowed:
        return "refused"
    return "seen" if sees(decision, **metadata) else "hidden"


@settings(max_examples=600, deadline=None)
@given(
    role=st.sampled_from(ROLES),
    mode=st.sampled_from(MODES),
    sets=st.lists(SETS, max_size=3),
    action=st.sampled_from([READ, OTHER_READ, WRITE]),
    metadata=METADATA,
)
def test_a_decision_is_that_of_the_oracle(
    role: Role,
    mode: Mode,
    sets: list[PolicySetDocument],
    action: str,
    metadata: dict[str, Any],
) -> None:
    """For what is served, and for what would be if all that is reported on were enforced."""
    decision = decided(*sets, role=role, mode=mode, action=action)
    enforced = [one for one in sets if one.mode == mode == "enforce"]
    looked_at = [one for one in sets if "off" not in (one.mode, mode)]
    assert became(decision, metadata) == oracle(role, enforced, action, metadata)
    assert (decision.would is not None) == (len(looked_at) > len(enforced))
    if decision.would is not None:
        expected = oracle(role, looked_at, action, metadata)
        assert became(decision.would, metadata) == expected
        if not decision.differs:
            assert expected == became(decision, metadata)
