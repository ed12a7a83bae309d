"""JSONL (E8 to E10): written exactly, read whatever happened to it."""

import json
from typing import Any

import pytest

from recollect.session_log import Episodic, dump, load, numbered, parse
from recollect.session_log.episode import SAFE_INTEGER
from tests.unit.episodic.support import message


def line(number: Any, **changes: Any) -> str:
    """A line as the original writes it."""
    wire = {
        "type": "meta",
        "payload": {"event": "e"},
        "id": number,
        "meta": {"source": "runtime"},
        **changes,
    }
    return json.dumps(wire)


# Written by hand in the shape of the TypeScript original, whose keys stand in another order.
ORIGINAL = """\
{"type":"item","payload":{"item":{"content":"Remember that I like tea.","role":"user","type":"message"}},"id":1,"meta":{"source":"user","turnId":"b3c1"}}
{"meta":{"source":"model","turnId":"b3c1"},"payload":{"item":{"arguments":"{}","call_id":"c1","name":"look","type":"function_call"}},"type":"item","id":2}
{"meta":{"source":"runtime","turnId":"b3c1"},"payload":{"content":"tools may have run in part","reason":"interrupt","title":"turn interrupted"},"type":"boundary","id":3}
{"type":"boundary","payload":{"confidence":0.75,"reason":"intent","title":"tea"},"id":4,"meta":{"source":"agent"}}
{"type":"meta","payload":{"data":{"inputTokens":120,"outputTokens":24,"totalTokens":144},"event":"turn.usage","pluginId":"p"},"id":5,"meta":{"source":"runtime"}}"""


def test_e8_one_object_per_line_and_no_newline_at_the_end() -> None:
    log = Episodic()
    log.append_items([message("a\nb"), message("c")])
    text = log.to_jsonl()
    assert [json.loads(one)["id"] for one in text.split("\n")] == [1, 2]
    assert Episodic().to_jsonl() == ""


def test_e8_blank_lines_are_ignored() -> None:
    text = f"\ufeff\n\n  \t\r\n{line(1)}\r\n\u3000\n\n{line(2)}\n"
    assert [one.id for one in Episodic.from_jsonl(text).read()] == [1, 2]
    assert [one.id for one in Episodic.from_jsonl(text.encode()).read()] == [1, 2]


def test_e8_lines_of_the_original_load_and_keep_what_they_say() -> None:
    log = Episodic.from_jsonl(ORIGINAL)
    assert list(map(json.loads, log.to_jsonl().split("\n"))) == list(
        map(json.loads, ORIGINAL.split("\n"))
    )
    assert log.read(turn_id="b3c1", type="boundary")[0].reason == "interrupt"


BAD = [
    "no json",
    "[]",
    "5",
    "null",
    '"text"',
    line(1)[:-1],
    line(1) + "x",
    line("1"),
    line(None),
    line(True),
    line(1.5),
    line(SAFE_INTEGER + 1),
    line(-SAFE_INTEGER - 1),
    line(1, type="other"),
    line(1, type=None),
    line(1, type=["item"]),
    line(1, payload=None),
    line(1, payload=[]),
    line(1, payload="text"),
    line(1, meta=None),
    line(1, meta=[]),
    line(1, payload={"x": float("nan")}),
    line(1, payload={"x": float("-inf")}),
    "[" * 100_000,
    line(1)[:-1] + ',"x":' + "[" * 50_000 + "]" * 50_000 + "}",
    line(1).replace('"e"', "[" * 300 + "]" * 300),
    "\x1c",
]


@pytest.mark.parametrize("bad", BAD, ids=range(len(BAD)))
def test_e9_a_bad_line_is_skipped_and_its_neighbours_are_kept(bad: str) -> None:
    log = Episodic.from_jsonl(f"{line(1)}\n{bad}\n{line(2)}")
    assert [one.id for one in log.read()] == [1, 2, 3]
    record = log.read(limit=1)[0]
    assert (record.type, record.event, record.meta.source) == ("meta", "error.parse", "runtime")
    assert record.payload["data"]["count"] == 1
    assert record.payload["data"]["errors"][0].startswith("line 2: ")


def test_e9_one_record_counts_all_and_tells_the_first_five() -> None:
    log = Episodic.from_jsonl("\n".join(["bad"] * 7))
    assert len(log) == 1
    data = log.read()[0].payload["data"]
    assert (data["count"], len(data["errors"])) == (7, 5)


def test_e9_a_good_text_is_not_remarked_on() -> None:
    assert len(Episodic.from_jsonl(line(1))) == 1
    assert len(Episodic.from_jsonl("")) == 0


GOOD_IDS = [(1.0, 1), (SAFE_INTEGER, SAFE_INTEGER), (0, 1), (-SAFE_INTEGER, 1)]


@pytest.mark.parametrize(("own", "given"), GOOD_IDS)
def test_e9_a_safe_integer_is_a_good_id(own: float, given: int) -> None:
    episodes = Episodic.from_jsonl(line(own)).read()
    assert [one.id for one in episodes] == [given]
    assert type(episodes[0].id) is int


def test_e9_bytes_that_are_no_text_spoil_only_their_line() -> None:
    log = Episodic.from_jsonl(b"\xff\xfe\n" + line(1).encode() + b"\n\x80" + line(2).encode())
    assert [one.event for one in log.read()] == ["e", "error.parse"]


def test_e9_a_number_too_large_for_anyone_becomes_null_as_the_original_writes_it() -> None:
    text = line(1).replace('"e"', '"e","data":{"a":1e999,"b":[-1e999],"c":' + "7" * 5000 + "}")
    data = Episodic.from_jsonl(text).read()[0].payload["data"]
    assert data == {"a": None, "b": [None], "c": None}


def test_e9_a_large_integer_is_kept_to_the_last_digit() -> None:
    text = line(1).replace('"e"', '"e","data":{"a":' + "7" * 4000 + "}")
    log = Episodic.from_jsonl(text)
    assert log.read()[0].payload["data"]["a"] == int("7" * 4000)
    assert Episodic.from_jsonl(log.to_jsonl()).read() == log.read()


@pytest.mark.parametrize(
    "text", ["\ud800", "a\udfffb", "é\ud83d", "😀", "\u2028\x85\x1c", "\0"], ids=ascii
)
def test_any_string_comes_back_by_text_and_by_bytes(text: str) -> None:
    log = Episodic()
    log.append_items([{text: text}])
    written = log.to_jsonl()
    assert Episodic.from_jsonl(written).read() == log.read()
    assert Episodic.from_jsonl(written.encode()).read() == log.read()


def test_text_outside_ascii_is_written_as_it_is() -> None:
    log = Episodic()
    log.append_items(["茶 😀"])
    assert "茶 😀" in log.to_jsonl()


def test_e10_on_import_ids_rise_and_the_own_id_is_kept_where_it_can_be() -> None:
    text = "\n".join(line(own) for own in (5, 5, 2, 9, -1))
    assert [one.id for one in Episodic.from_jsonl(text).read()] == [5, 6, 7, 9, 10]
    assert Episodic.from_jsonl(text).append("meta", {"event": "e"}).id == 11


def test_e10_when_ids_run_out_all_are_counted_anew_and_no_line_is_lost() -> None:
    text = "\n".join(line(own) for own in (SAFE_INTEGER, 1, 2))
    log = Episodic.from_jsonl(text)
    assert [one.id for one in log.read()] == [1, 2, 3]
    assert Episodic.from_jsonl(log.to_jsonl()).read() == log.read()


def test_e10_references_follow_the_episodes_that_get_other_ids() -> None:
    text = "\n".join(
        [
            line(4),
            line(4, payload={"event": "second"}),
            line(5, meta={"corrects": 4, "sources": [4, 1]}),
        ]
    )
    third = Episodic.from_jsonl(text).read()[2]
    assert third.meta == {"corrects": 5, "sources": [5, 1]}


def test_e10_two_logs_one_after_the_other_refer_each_to_their_own_episodes() -> None:
    one = "\n".join([line(1), line(2, meta={"corrects": 1})])
    found = load(f"{one}\n{one}")
    assert [(episode.id, episode.meta.get("corrects")) for episode in found] == [
        *((1, None), (2, 1)),
        *((3, None), (4, 3)),
    ]


def test_e10_behind_a_log_ids_go_on_from_its_end() -> None:
    """What was parsed before is numbered for the place where it goes."""
    parsed = parse("\n".join([line(3), line(9), line(4, meta={"corrects": 3}), "bad"]))
    assert [one.id for one in numbered(parsed, after=5)] == [6, 9, 10, 11]
    assert numbered(parsed, after=5)[2].meta["corrects"] == 6
    assert numbered(parsed) == load(
        "\n".join([line(3), line(9), line(4, meta={"corrects": 3}), "x"])
    )
    assert [one.id for one in numbered(parse(line(SAFE_INTEGER) + "\n" + line(1)), 7)] == [8, 9]


def test_e10_on_list_import_ids_stay_and_the_next_is_past_the_largest() -> None:
    episodes = load("\n".join(line(own) for own in (3, 7)))
    log = Episodic.from_episodes(reversed(episodes))
    assert [one.id for one in log.read()] == [7, 3]
    assert log.append("meta", {"event": "e"}).id == 8


def test_the_pure_functions_leave_ids_alone() -> None:
    text = "\n".join(line(own) for own in (5, 5, 2))
    parsed = parse(text + "\nbad")
    assert [one.id for one in parsed.episodes] == [5, 5, 2]
    assert (parsed.bad_lines, parsed.errors) == (1, ["line 4: not JSON"])
    assert parse(dump(parsed.episodes)).episodes == parsed.episodes
