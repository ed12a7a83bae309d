"""Episodes and appending them (E1 to E5)."""

import copy
import json
import pickle
from typing import Any

import pytest

from recollect.session_log import Episodic, InvalidEpisode, LogFull, from_wire
from recollect.session_log.episode import DEPTH_MAX
from tests.unit.episodic.support import message


def test_e1_an_episode_has_an_id_a_type_a_meta_and_a_payload() -> None:
    log = Episodic()
    log.append_items([message("hi")], source="user", turn_id="t")
    assert json.loads(log.to_jsonl()) == {
        "id": 1,
        "type": "item",
        "meta": {"source": "user", "turnId": "t"},
        "payload": {"item": message("hi")},
    }


def test_e1_a_date_beside_them_is_ignored_on_import() -> None:
    line = '{"id":1,"type":"item","meta":{},"payload":{"item":1},"date":"2026-01-01"}'
    log = Episodic.from_jsonl(line)
    assert len(log) == 1
    assert "date" not in json.loads(log.to_jsonl())


def test_e2_ids_start_at_one_and_rise_by_one() -> None:
    log = Episodic()
    assert log.last_id == 0
    assert [log.append("meta", {"event": "e"}).id for _ in range(3)] == [1, 2, 3]
    assert log.last_id == 3


def test_e2_the_source_is_runtime_unless_said_and_a_turn_is_optional() -> None:
    episode = Episodic().append("meta", {"event": "e"})
    assert (episode.meta.source, episode.meta.turn_id) == ("runtime", None)
    assert dict(episode.meta) == {"source": "runtime"}


@pytest.mark.parametrize("source", ["agent", "model", "runtime", "tool", "user"])
def test_e2_there_are_five_sources(source: str) -> None:
    assert Episodic().append("meta", {"event": "e"}, source=source).meta.source == source


def test_e2_another_source_is_refused_and_takes_no_id() -> None:
    log = Episodic()
    for source in ("robot", ["user"], {}):
        with pytest.raises(InvalidEpisode, match=r"meta\.source"):
            log.append("meta", {"event": "e"}, meta={"source": source})
    assert log.append("meta", {"event": "e"}).id == 1


def test_e2_further_fields_of_meta_are_kept_and_named_arguments_win() -> None:
    episode = Episodic().append(
        "meta",
        {"event": "e"},
        turn_id="t",
        meta={"source": "tool", "turnId": "other", "host": "h"},
    )
    assert episode.meta == {"source": "tool", "turnId": "t", "host": "h"}


GOOD = [
    ("item", {"item": None}),
    ("item", {"item": message("x"), "further": [1]}),
    ("boundary", {"reason": "checkpoint", "title": "t", "content": "c", "state": {"a": 1}}),
    ("boundary", {"reason": "intent", "title": "t", "confidence": 0.5}),
    ("boundary", {"reason": "interrupt", "title": "t"}),
    ("boundary", {"reason": "overflow", "title": "t", "content": None}),
    ("boundary", {"reason": "segment", "title": "t"}),
    ("meta", {"event": "turn.usage", "data": {"inputTokens": 1}, "pluginId": "p"}),
]
BAD = [
    ("item", {}),
    ("item", []),
    ("other", {"item": 1}),
    ("boundary", {"reason": "checkpoint", "title": "t"}),
    ("boundary", {"reason": "unheard", "title": "t"}),
    ("boundary", {"reason": "segment"}),
    ("boundary", {"reason": "segment", "title": "t", "content": 5}),
    ("boundary", {"reason": "intent", "title": "t", "confidence": "high"}),
    ("meta", {}),
    ("meta", {"event": "e", "data": [1]}),
    ("meta", {"event": "e", "pluginId": 5}),
]


@pytest.mark.parametrize(("kind", "payload"), GOOD)
def test_e3_a_payload_of_its_type_is_stored_as_it_is(kind: str, payload: dict[str, Any]) -> None:
    assert Episodic().append(kind, payload).payload == payload


@pytest.mark.parametrize(("kind", "payload"), BAD)
def test_e3_a_payload_out_of_shape_is_refused(kind: str, payload: Any) -> None:
    log = Episodic()
    with pytest.raises(InvalidEpisode):
        log.append(kind, payload)
    assert len(log) == 0


def test_e4_what_was_handed_in_may_change_afterwards_the_episode_does_not() -> None:
    log, item = Episodic(), message("before")
    item["parts"] = [{"n": 1}]
    episode = log.append_items([item])[0]
    item["content"] = "after"
    item["parts"][0]["n"] = 2
    assert episode.item["content"] == "before"
    assert episode.item["parts"] == [{"n": 1}]


def test_e4_nothing_of_a_stored_episode_can_be_changed() -> None:
    episode = Episodic().append_items([{"list": [1], "object": {"a": 1}}])[0]
    with pytest.raises(AttributeError):
        episode.id = 5  # type: ignore[misc]
    for change in (
        lambda: episode.payload.update(x=1),
        lambda: episode.meta.pop("source"),
        lambda: episode.item.__setitem__("a", 1),
        lambda: episode.item["list"].append(2),
        lambda: episode.item["list"].sort(),
        lambda: episode.item["object"].__delitem__("a"),
        lambda: episode.item["object"].__ior__({}),
    ):
        with pytest.raises(TypeError, match="immutable"):
            change()


def test_e4_a_copy_can_be_changed() -> None:
    item = Episodic().append_items([{"list": [1, {}], "object": {"a": 1}}])[0].item
    changeable = copy.deepcopy(item)
    changeable["list"].append(2)
    changeable["object"]["a"] = 2
    assert item == {"list": [1, {}], "object": {"a": 1}}
    assert pickle.loads(pickle.dumps(item)) == item  # noqa: S301


def test_e5_append_returns_what_was_stored_and_append_items_one_per_item_in_order() -> None:
    log = Episodic()
    first = log.append("meta", {"event": "e"})
    rest = log.append_items([message("a"), message("b")], source="user")
    assert [first, *rest] == log.read()
    assert [one.item["content"] for one in rest] == ["a", "b"]


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


UNSAYABLE = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "key": {1: 2},
    "set": {"a": {1}},
    "object": object(),
    "digits": 10**5000,
    "depth": nested(DEPTH_MAX),
}


@pytest.mark.parametrize("value", UNSAYABLE.values(), ids=UNSAYABLE.keys())
def test_what_json_cannot_say_is_refused_and_none_of_the_items_is_stored(value: object) -> None:
    log = Episodic()
    with pytest.raises(InvalidEpisode):
        log.append_items([message("fine"), value])
    assert len(log) == 0


def test_what_is_as_deep_as_allowed_comes_back() -> None:
    log = Episodic()
    stored = log.append_items([nested(DEPTH_MAX - 1)])[0]
    assert Episodic.from_jsonl(log.to_jsonl()).read() == log.read()
    with pytest.raises(InvalidEpisode, match="deep"):
        log.append_items([[stored.item]])


def test_a_log_without_ids_left_says_so() -> None:
    line = '{"id":9007199254740991,"type":"meta","meta":{},"payload":{}}'
    log = Episodic.from_jsonl(line)
    assert log.last_id == 2**53 - 1
    with pytest.raises(LogFull):
        log.append("meta", {"event": "e"})


def test_a_wire_object_with_what_we_do_not_know_is_kept() -> None:
    wire = {"id": 3, "type": "meta", "meta": {"source": "robot", "x": [1]}, "payload": {"y": {}}}
    assert from_wire(wire).to_wire() == wire
