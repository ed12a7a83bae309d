"""What a policy set must look like; each complaint names its place."""

from copy import deepcopy
from typing import Any

import pytest

from recollect.errors import InvalidInput
from recollect.graph import policy_spec
from recollect.graph.policy import PolicySetDocument, Rule

KNOWN = {"graph.search", "graph.add", "thread.get"}
TEXT = """
policy_set:
  name: support
  description: What the support team reads
  mode: report_only
  subset_match: true
  spec:
    resource_selector_version: 1
    policies:
      - id: reads
        type: authorization
        effect: allow
        actions: [readonly, graph.add]
        attributes:
          team: [support]
          tier: [1, "1", true, 1.5]
      - id: never
        type: authorization
        effect: deny
        actions: [graph.search]
        subset_match: false
"""


def the_set() -> dict[str, Any]:
    """A small valid set as plain values."""
    rule = {"id": "a", "type": "authorization", "effect": "allow", "actions": ["graph.search"]}
    rules = [rule, {**rule, "id": "b"}]
    return {"policy_set": {"name": "s", "spec": {"policies": rules}}}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The small set with one place changed; `…` takes it away."""
    made = deepcopy(the_set())
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place: Any = made
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return made


def test_a_text_becomes_a_set_with_everything_it_says() -> None:
    """Values keep their kinds."""
    assert policy_spec.read(TEXT, KNOWN) == PolicySetDocument(
        name="support",
        description="What the support team reads",
        mode="report_only",
        subset_match=True,
        resource_selector_version=1,
        policies=(
            Rule(
                id="reads",
                effect="allow",
                actions=("readonly", "graph.add"),
                attributes=(("team", ("support",)), ("tier", (1, "1", True, 1.5))),
            ),
            Rule(id="never", effect="deny", actions=("graph.search",), subset_match=False),
        ),
    )


def test_what_is_left_out_has_its_default() -> None:
    """Enforced, matched exactly, for all objects."""
    made = policy_spec.check(the_set(), KNOWN)
    assert (made.mode, made.subset_match, made.description) == ("enforce", False, None)
    assert made.resource_selector_version is None
    assert (made.policies[0].attributes, made.policies[0].subset_match) == ((), None)


def test_a_set_is_read_back_from_its_plain_form() -> None:
    """What is shown can be applied again."""
    for made in (policy_spec.read(TEXT, KNOWN), policy_spec.check(the_set(), KNOWN)):
        assert policy_spec.check(policy_spec.plain(made), KNOWN) == made


RULE = "policy_set.spec.policies.1"
WRONG: list[tuple[str, Any, str]] = [
    ("policy_set", ..., "policy_set: is required"),
    ("policy_set", [], "policy_set: must be an object"),
    ("policy_sets", {}, "policy_sets: is not a field; did you mean policy_set?"),
    ("policy_set.name", ..., "policy_set.name: is required"),
    ("policy_set.name", 5, "policy_set.name: must be text"),
    ("policy_set.name", "", "policy_set.name: must not be empty"),
    ("policy_set.name", "a/b", "policy_set.name: must not contain '/'"),
    ("policy_set.name", "x" * 300, "policy_set.name: at most 256"),
    (
        "policy_set.name",
        "00000000-0000-7000-8000-00000000000A",
        "policy_set.name: must not look like a uuid",
    ),
    ("policy_set.description", 5, "policy_set.description: must be text"),
    ("policy_set.description", "x" * 10_001, "policy_set.description: at most"),
    ("policy_set.mode", "on", "policy_set.mode: must be off or report_only or enforce; got 'on'"),
    ("policy_set.mode", False, "policy_set.mode: must be"),
    ("policy_set.mode", None, "policy_set.mode: must be"),
    ("policy_set.subset_match", "yes", "policy_set.subset_match: must be true or false"),
    ("policy_set.subset_match", None, "policy_set.subset_match: must be true or false"),
    ("policy_set.subsetmatch", True, "policy_set.subsetmatch: is not a field; did you mean"),
    ("policy_set.spec", ..., "policy_set.spec: is required"),
    ("policy_set.spec", None, "policy_set.spec: must be an object"),
    ("policy_set.spec.extra", 1, "policy_set.spec.extra: is not a field; there are"),
    (
        "policy_set.spec.resource_selector_version",
        2,
        "policy_set.spec.resource_selector_version: must be 1",
    ),
    (
        "policy_set.spec.resource_selector_version",
        True,
        "policy_set.spec.resource_selector_version: must be 1",
    ),
    ("policy_set.spec.policies", ..., "policy_set.spec.policies: is required"),
    ("policy_set.spec.policies", [], "policy_set.spec.policies: must be a list with at least one"),
    ("policy_set.spec.policies", {}, "policy_set.spec.policies: must be a list"),
    (RULE, "x", "policy_set.spec.policies[1]: must be an object"),
    (f"{RULE}.id", ..., "policy_set.spec.policies[1].id: is required"),
    (f"{RULE}.id", " ", "policy_set.spec.policies[1].id: must not be empty"),
    (f"{RULE}.id", "a", "policy_set.spec.policies[1].id: 'a' is the id of policies[0] already"),
    (f"{RULE}.type", "other", "policy_set.spec.policies[1].type: must be authorization"),
    (f"{RULE}.effect", "permit", "policy_set.spec.policies[1].effect: must be allow or deny"),
    (f"{RULE}.effect", ["allow"], "policy_set.spec.policies[1].effect: must be allow or deny"),
    (f"{RULE}.actions", [], "policy_set.spec.policies[1].actions: must be a list with at least"),
    (f"{RULE}.actions", "graph.add", "policy_set.spec.policies[1].actions: must be a list"),
    (
        f"{RULE}.actions",
        ["graph.add", "graph.serch"],
        "policy_set.spec.policies[1].actions[1]: there is no action 'graph.serch'; "
        "did you mean graph.search",
    ),
    (
        f"{RULE}.actions",
        ["readonli"],
        "policy_set.spec.policies[1].actions[0]: there is no action 'readonli'; "
        "did you mean readonly?",
    ),
    (f"{RULE}.actions", ["*"], "policy_set.spec.policies[1].actions[0]: there is no action '*'"),
    (f"{RULE}.actions", [5], "policy_set.spec.policies[1].actions[0]: must be text"),
    (f"{RULE}.attributes", {}, "policy_set.spec.policies[1].attributes: must name at least one"),
    (f"{RULE}.attributes", None, "policy_set.spec.policies[1].attributes: must name at least one"),
    (f"{RULE}.attributes", ["a"], "policy_set.spec.policies[1].attributes: must name at least"),
    (f"{RULE}.attributes", {" ": [1]}, "policy_set.spec.policies[1].attributes: a key must not"),
    (f"{RULE}.attributes", {"a": []}, "policy_set.spec.policies[1].attributes.a: must be a list"),
    (f"{RULE}.attributes", {"a": "x"}, "policy_set.spec.policies[1].attributes.a: must be a list"),
    (f"{RULE}.attributes", {"a": [None]}, "policy_set.spec.policies[1].attributes.a[0]: must be"),
    (f"{RULE}.attributes", {"a": [1, {}]}, "policy_set.spec.policies[1].attributes.a[1]: must be"),
    (f"{RULE}.attributes", {"a": [[1]]}, "policy_set.spec.policies[1].attributes.a[0]: must be"),
    (f"{RULE}.attributes", {"a": [10**30]}, "attributes.a[0]: must be a string, a finite number"),
    (f"{RULE}.attributes", {"a": [float("inf")]}, "attributes.a[0]: must be a string, a finite"),
    (f"{RULE}.attributes", {"a": ["\0"]}, "attributes.a[0]: must not contain NUL"),
    (f"{RULE}.attributes", {"a": ["\ud800"]}, "attributes.a[0]: must not contain NUL"),
    (f"{RULE}.attributes", {"\ud800": [1]}, "attributes: must not contain NUL"),
    (f"{RULE}.subset_match", 1, "policy_set.spec.policies[1].subset_match: must be true or false"),
    (f"{RULE}.resources", [], "policy_set.spec.policies[1].resources: is not a field"),
    (f"{RULE}.\ud800", 1, "policy_set.spec.policies[1].\\ud800: is not a field"),
]


@pytest.mark.parametrize(("path", "value", "complaint"), WRONG)
def test_a_wrong_set_is_refused_with_the_place_of_the_fault(
    path: str, value: Any, complaint: str
) -> None:
    """Whoever wrote it finds the line without searching."""
    with pytest.raises(InvalidInput) as refused:
        policy_spec.check(changed(path, value), KNOWN)
    assert complaint in refused.value.message
    refused.value.message.encode()


@pytest.mark.parametrize("document", [None, [], "x", 5, {}])
def test_a_document_that_is_no_policy_set_is_refused(document: Any) -> None:
    """Whatever else it is."""
    with pytest.raises(InvalidInput, match="policy_set"):
        policy_spec.check(document, KNOWN)


def test_an_action_named_twice_counts_once() -> None:
    """Order stays."""
    made = policy_spec.check(changed(f"{RULE}.actions", ["thread.get", "thread.get"]), KNOWN)
    assert made.policies[1].actions == ("thread.get",)
