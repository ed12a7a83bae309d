"""Wrong keys over HTTP: too many from one address are answered with 429, and a right key is let in."""

from pathlib import Path

import pytest

from recollect.governance import keys
from recollect.mcp.endpoint import PATH, Endpoint
from tests.support.asgi import program

ASKED = "/api/v2/users-ordered"


@pytest.mark.parametrize(("method", "path"), [("GET", ASKED), ("POST", PATH)])
async def test_too_many_wrong_keys_wait_and_right_ones_do_not(
    method: str, path: str, tmp_path: Path
) -> None:
    async with program(tmp_path / "data", wrong_keys_max=3) as running:
        running.app.mount(PATH, Endpoint(running.app.gate))
        made = await running.services.store.write(keys.create_key, "default", "made here")
        tried = [await running.send(method, path, key=f"guess-{n}") for n in range(5)]
        assert [answer.status for answer in tried] == [401, 401, 401, 401, 429]
        assert tried[-1].header("retry-after") == "1"
        said = tried[-1].json()["message"]
        assert said == "too many wrong keys from this address; try again in 1 s"
        assert (await running.send("GET", ASKED, key=made.secret)).status == 200
        assert (await running.send("GET", ASKED, key="rk_" + "y" * 43)).status == 429
        short = await running.send("GET", ASKED)  # a chosen key of 26 characters
        assert short.status == 429
        none = await running.send("GET", ASKED, anonymous=True)
        assert (none.status, none.header("www-authenticate")) == (401, "Api-Key")
        running.app.gate.authenticator._guesses._guessers.clear()
        assert (await running.send("GET", ASKED)).status == 200


async def test_the_same_wrong_key_again_and_again_is_one(tmp_path: Path) -> None:
    async with program(tmp_path / "data", wrong_keys_max=3) as running:
        tried = [await running.send("GET", ASKED, key="taken back") for _ in range(20)]
        assert {answer.status for answer in tried} == {401}
        assert (await running.send("GET", ASKED)).status == 200
