"""Small ways in that are closed: names that lead astray, changed weights, unseen characters, paths."""

import shutil
import time
from pathlib import Path

import pytest
import regex

from recollect.context.lines import TagEscaper
from recollect.errors import ModelUnavailable
from recollect.mcp.endpoint import PATH, Endpoint
from recollect.models import embedder, weights
from recollect.settings import Settings
from tests.support.asgi import program

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
ACCEPT = [("Accept", "application/json"), ("Content-Type", "application/json")]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:8000"}, 403),
        ({"Host": "localhost.evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "user@localhost"}, 403),
        ({"Host": "", "Origin": ""}, 403),
        ({"Host": "127.0.0.1:8000", "Origin": "http://evil.example"}, 403),
        ({"Host": "127.0.0.1:8000", "Origin": "null"}, 403),
        ({"Host": "10.0.0.7:8000", "Origin": "http://10.0.0.8"}, 403),
        ({"Host": "127.0.0.1:8000"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "10.0.0.7:8000", "Origin": "http://10.0.0.7:8000"}, 200),
        ({"Host": "LOCALHOST:8000", "Origin": "http://localhost:6274"}, 200),
        ({"Host": "memory.example", "Origin": "https://memory.example"}, 200),
        ({}, 200),
    ],
)
async def test_mcp_is_asked_by_a_name_of_its_own(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    """Before the key is looked at, and without saying the names that are known."""
    async with program(tmp_path / "data", mcp_hosts=" memory.example,") as running:
        running.app.mount(PATH, Endpoint(running.app.gate))
        given = [*ACCEPT, *headers.items()]
        answer = await running.send("POST", PATH, CALL, headers=given)
        assert answer.status == status
        assert "memory.example" not in answer.message if status == 403 else True
        await running.app.close()


async def test_mcp_is_asked_by_one_name(tmp_path: Path) -> None:
    """A second one could be the one that somebody else goes by."""
    async with program(tmp_path / "data") as running:
        running.app.mount(PATH, Endpoint(running.app.gate))
        given = [*ACCEPT, ("Host", "localhost"), ("Host", "evil.example")]
        assert (await running.send("POST", PATH, CALL, headers=given)).status == 403
        await running.app.close()


def test_changed_weights_are_not_loaded(tmp_path: Path) -> None:
    """One byte of 34 MB, with size and time stamp as they were; found right, they are hashed once."""
    source, home = (weights.EMBEDDER.folder(base) for base in (Settings().models, tmp_path))
    shutil.copytree(source, home)
    began = time.perf_counter()
    assert weights.verified(weights.EMBEDDER, tmp_path) == home
    first = time.perf_counter() - began
    began = time.perf_counter()
    weights.verified(weights.EMBEDDER, tmp_path)
    second = time.perf_counter() - began
    with (home / "model.onnx").open("r+b") as file:
        file.seek(20_000_000)
        byte = file.read(1)
        file.seek(20_000_000)
        file.write(bytes([byte[0] ^ 1]))
    print(f"hashed in {first * 1e3:.0f} ms, and then in {second * 1e3:.2f} ms")
    assert second < first / 5
    with pytest.raises(ModelUnavailable, match=r"damaged \(model\.onnx\)"):
        weights.verified(weights.EMBEDDER, tmp_path)


def test_an_error_names_no_path(tmp_path: Path) -> None:
    """It goes to whoever asks."""
    with pytest.raises(ModelUnavailable) as told:
        embedder.load(tmp_path / "nowhere")
    assert "recollect models install" in told.value.message
    assert str(tmp_path) not in told.value.message


def test_no_unseen_character_hides_a_tag() -> None:
    """Each of the code points that Unicode says are not to be shown, in three places of a tag."""
    unseen = [
        character
        for character in map(chr, range(0x110000))
        if regex.match(r"\p{Default_Ignorable_Code_Point}", character)
    ]
    defuse = TagEscaper()
    hidden = [
        f"{ord(one):04x}"
        for one in unseen
        for said in (f"<{one}/FACTS>", f"</{one}FACTS>", f"</FA{one}CTS>", f"</FACTS{one}>")
        if "<" in defuse(said) or ">" in defuse(said)
    ]
    print(f"{len(unseen)} unseen characters")
    assert len(unseen) > 4_000
    assert hidden == []


@pytest.mark.parametrize("angle", "<\uff1c\ufe64\u2039\u3008\u27e8\u2329\u02c2\u276e")
@pytest.mark.parametrize("slash", "/\uff0f\u2044\u2215\u29f8")
@pytest.mark.parametrize(
    "name",
    [
        "FACTS",
        "\uff26\uff21\uff23\uff34\uff33",
        "F\u0410\u0421\u0422S",
        "\U0001d405\U0001d400\U0001d402\U0001d413\U0001d412",
    ],
)
def test_no_look_alike_closes_a_section(angle: str, slash: str, name: str) -> None:
    """Angles, slashes and letters of other scripts."""
    told = TagEscaper()(f"end {angle}{slash}{name}> of it")
    assert angle not in told
    assert told.startswith("end [")
    assert "] of it" in told
