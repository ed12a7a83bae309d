"""Which rule decided, and why, in words."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.graph.policy import MODES, ROLES, KeyPolicy, PolicySetDocument
from recollect.graph.policy_trace import Trace, explain
from tests.unit.graph.test_policy import (
    METADATA,
    OTHER_READ,
    READ,
    READING,
    SETS,
    WRITE,
    a_set,
    oracle,
    rule,
)


def told(key: KeyPolicy, action: str = READ, metadata: Any = None) -> Trace:
    """An explanation for a key."""
    return explain(key, action, reads=action in READING, metadata=metadata)


def test_each_rule_says_why_it_fits_or_not() -> None:
    """In the order in which they stand."""
    rules = (
        rule("allow", WRITE),
        rule("allow", "readonly"),
        rule("allow", READ, team=["red"]),
        rule("deny", READ, team=["blue"], subset=True),
        rule("deny", READ, tier=[1]),
    )
    key = KeyPolicy(role="default_deny", sets=(a_set(*rules),))
    trace = told(key, metadata={"team": ["red", "blue"], "tier": [1]})
    assert trace.outcome == "narrowed"
    assert trace.visible is False
    assert "hidden: a rule denies it" in trace.why
    assert [(one.matched, one.decided, one.why) for one in trace.rules] == [
        (False, False, "it does not name graph.search"),
        (True, False, "the action only reads, for all objects"),
        (False, False, 'team must be exactly {"red"}, and is {"blue", "red"}'),
        (True, True, "it names the action, and the object fits"),
        (True, True, "it names the action, and the object fits"),
    ]


def test_without_an_object_a_rule_says_what_it_asks_for() -> None:
    """So one sees what is narrowed."""
    key = KeyPolicy(sets=(a_set(rule("allow", READ, team=["red"], subset=True)),))
    trace = told(key)
    assert trace.visible is None
    assert trace.rules[0].why == 'it names the action, for objects with team at least {"red"}'
    assert trace.rules[0].decided


def test_an_object_that_no_allowance_fits_is_said_to_be_hidden_by_that() -> None:
    """And a value that is missing is told as missing."""
    trace = told(KeyPolicy(sets=(a_set(rule("allow", READ, team=["red"])),)), metadata={})
    assert "hidden: no rule that allows the action fits it" in trace.why
    assert trace.rules[0].why == 'team must be exactly {"red"}, and is {}'


def test_a_set_that_is_off_or_only_reported_on_says_so() -> None:
    """And what enforcing would change."""
    off = a_set(rule("deny", READ), mode="off")
    reported = a_set(rule("deny", READ), mode="report_only")
    trace = told(KeyPolicy(sets=(off, reported)), metadata={})
    assert trace.rules[0].why == "the policy set is off"
    assert "only reported on" in trace.rules[1].why
    assert (trace.outcome, trace.visible) == ("allowed", True)
    assert (trace.reported, trace.would_be, trace.differs) == (True, "denied", True)
    assert told(KeyPolicy(mode="off", sets=(reported,))).rules[0].why == "the key is off"


def test_without_an_object_both_what_allows_and_what_hides_decide() -> None:
    """Without the allowance the request would not proceed; which objects are hidden is open."""
    rules = (rule("allow", "readonly", team=["red"]), rule("deny", READ, tier=[1]))
    key = KeyPolicy(role="default_deny", sets=(a_set(*rules),))
    assert [one.decided for one in told(key).rules] == [True, True]
    seen = told(key, metadata={"team": ["red"], "tier": [1]})
    assert [one.decided for one in seen.rules] == [False, True]


def test_a_role_that_decides_is_named() -> None:
    """When no rule does."""
    assert "the role denies" in told(KeyPolicy(role="default_deny")).why
    assert "the role allows" in told(KeyPolicy()).why


@settings(max_examples=200, deadline=None)
@given(
    role=st.sampled_from(ROLES),
    mode=st.sampled_from(MODES),
    sets=st.lists(SETS, max_size=3),
    action=st.sampled_from([READ, OTHER_READ, WRITE]),
    metadata=METADATA,
)
def test_an_explanation_says_what_is_done(
    role: Any, mode: Any, sets: list[PolicySetDocument], action: str, metadata: dict[str, Any]
) -> None:
    """It never tells another story than the decision, and names no rule that does not fit."""
    key = KeyPolicy(role=role, mode=mode, sets=tuple(sets))
    trace = told(key, action, metadata)
    enforced = [one for one in sets if one.mode == mode == "enforce"]
    expected = oracle(role, enforced, action, metadata)
    became = "refused" if trace.outcome == "denied" else "seen" if trace.visible else "hidden"
    assert became == expected
    assert all(one.matched for one in trace.rules if one.decided)
    assert len(trace.rules) == sum(len(each.policies) for each in sets)
