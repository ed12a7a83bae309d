"""`/mcp` as a protected resource of OAuth 2.1: whose tokens are taken, for what, and which are not."""

import base64
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey
from mcp.shared.auth import ProtectedResourceMetadata
from pydantic import ValidationError

from recollect.governance import keys
from recollect.limits import ISSUER_PAUSE_S
from recollect.mcp.endpoint import PATH, Endpoint
from recollect.mcp.tokens import IssuerKeys
from recollect.settings import Settings
from tests.support.asgi import Answer, Program, program
from tests.support.issuer import AUDIENCE, Issuer, new_key

ACCEPT = [("Accept", "application/json"), ("Content-Type", "application/json")]
METADATA = "https://memory.example/.well-known/oauth-protected-resource/mcp"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with Issuer() as made:
        yield made


@asynccontextmanager
async def protected(folder: Path, issuer: Issuer, **more: Any) -> AsyncIterator[Program]:
    """The application, which believes the issuer."""
    chosen = {"oauth_issuer": issuer.url, "oauth_audience": AUDIENCE, **more}
    async with program(folder, **chosen) as made:
        made.app.mount(PATH, Endpoint(made.app.gate))
        yield made
        await made.app.close()


async def asks(running: Program, token: str, body: Any = None) -> Answer:
    """A request at the endpoint with a token."""
    headers = [*ACCEPT, ("Authorization", f"Bearer {token}")]
    return await running.send("POST", PATH, body or LIST, headers=headers, anonymous=True)


def unsigned(issuer: Issuer) -> str:
    """A token that says of itself that it needs no signature."""
    _, claims, _ = issuer.token().split(".")
    header = base64.urlsafe_b64encode(json.dumps({"alg": "none", "kid": "first"}).encode())
    return f"{header.rstrip(b'=').decode()}.{claims}."


def swapped(issuer: Issuer) -> str:
    """One signed with the public key, as if that were a secret."""
    public = issuer.keys[0].as_pem(private=False)  # type: ignore[union-attr]
    _, claims, _ = issuer.token().split(".")
    said = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    secret = OctKey.import_key(base64.b64encode(public))
    return jwt.encode({"alg": "HS256", "kid": "first"}, said, secret, algorithms=["HS256"])


REFUSED: dict[str, Callable[[Issuer], str]] = {
    "another audience": lambda one: one.token(aud="https://elsewhere.example/mcp"),
    "no audience": lambda one: one.token(aud=None),
    "another issuer": lambda one: one.token(iss="https://elsewhere.example"),
    "no issuer": lambda one: one.token(iss=None),
    "expired": lambda one: one.token(exp=int(time.time()) - 60),
    "without an end": lambda one: one.token(exp=None),
    "not yet": lambda one: one.token(nbf=int(time.time()) + 120),
    "nobody's": lambda one: one.token(sub=None),
    "unsigned": unsigned,
    "a public key for a secret": swapped,
    "another algorithm than the key's": lambda one: one.token(
        key=new_key("RS256"), header={"alg": "RS256"}
    ),
    "an unknown key": lambda one: one.token(key=new_key(kid="unknown")),
    "a key of the same name": lambda one: one.token(key=new_key()),
    "no access token": lambda one: one.token(header={"typ": "logout+jwt"}),
    "a changed claim": lambda one: ".".join(
        [one.token().split(".")[0], one.token(sub="root").split(".")[1], one.token().split(".")[2]]
    ),
    "no JSON": lambda one: "eyJ.eyJ.x",
}


@pytest.mark.parametrize("make", REFUSED.values(), ids=REFUSED)
async def test_a_token_that_is_not_right_is_refused(
    make: Callable[[Issuer], str], issuer: Issuer, tmp_path: Path
) -> None:
    async with protected(tmp_path / "data", issuer) as running:
        answer = await asks(running, make(issuer))
    assert (answer.status, answer.message) == (401, "unauthorized")
    assert answer.header("www-authenticate") == (
        f'Bearer scope="memory:read memory:write", resource_metadata="{METADATA}", '
        'error="invalid_token"'
    )


@pytest.mark.parametrize("algorithm", ["ES256", "RS256", "PS256"])
@pytest.mark.parametrize("offline", [False, True], ids=["discovered", "in a file"])
async def test_a_right_token_opens_the_tools_of_its_scope(
    algorithm: str, offline: bool, tmp_path: Path
) -> None:
    file = tmp_path / "keys.json"
    with Issuer(algorithm) as issuer:
        file.write_text(json.dumps(issuer.jwks))
        more = {"oauth_jwks": file} if offline else {}
        async with protected(tmp_path / "data", issuer, **more) as running:
            reads = await asks(running, issuer.token(scope="openid memory:read"))
            writes = await asks(running, issuer.token(scope=None, scp=["memory:write"]))
            neither = await asks(running, issuer.token(scope="openid"))
        assert issuer.asked == [] if offline else issuer.asked.count("/keys") == 1
    offered = [{tool["name"] for tool in one.json()["result"]["tools"]} for one in (reads, writes)]
    assert "search_graph" in offered[0]
    assert offered[1] - offered[0] >= {"add_memory", "forget"}
    assert neither.status == 403
    told = neither.header("www-authenticate") or ""
    assert 'error="insufficient_scope"' in told
    assert METADATA in told


async def test_static_keys_still_work_and_who_shows_nothing_is_told_where_to_go(
    issuer: Issuer, tmp_path: Path
) -> None:
    async with protected(tmp_path / "data", issuer) as running:
        with_key = await running.send("POST", PATH, LIST, headers=ACCEPT)
        without = await running.send("POST", PATH, LIST, headers=ACCEPT, anonymous=True)
        wrong = await running.send("POST", PATH, LIST, headers=ACCEPT, key="wrong")
        elsewhere = await running.send(
            "GET",
            "/api/v2/users-ordered",
            headers=[("Authorization", f"Bearer {issuer.token()}")],
            anonymous=True,
        )
    assert with_key.status == 200
    assert (without.status, without.header("www-authenticate")) == (
        401,
        f'Bearer scope="memory:read memory:write", resource_metadata="{METADATA}"',
    )
    assert 'error="invalid_token"' in (wrong.header("www-authenticate") or "")
    assert elsewhere.status == 401, "tokens are for /mcp only"


async def test_a_claim_can_name_the_project(issuer: Issuer, tmp_path: Path) -> None:
    async with protected(tmp_path / "data", issuer, oauth_project_claim="tenant") as running:
        store = running.services.store
        await store.write(keys.create_project, "acme")
        made = await store.write(keys.create_key, "acme", "k")
        user = {"user_id": "jane"}
        await running.send("POST", "/api/v2/users", user, key=made.secret)
        call = {**LIST, "method": "tools/call"}
        call["params"] = {"name": "get_user", "arguments": user}
        own = await asks(running, issuer.token(tenant="acme"), call)
        other = await asks(running, issuer.token(tenant="default"), call)
        for tenant in (None, "nowhere", ["acme"]):
            refused = await asks(running, issuer.token(tenant=tenant))
            assert refused.status == 403, tenant
    assert not own.json()["result"]["isError"]
    assert other.json()["result"]["isError"], "the user is of another project"


async def test_the_audit_log_names_a_subject_by_a_uuid(issuer: Issuer, tmp_path: Path) -> None:
    async with protected(tmp_path / "data", issuer) as running:
        call = {**LIST, "method": "tools/call"}
        call["params"] = {"name": "add_memory", "arguments": {"user_id": "j", "content": "Hi."}}
        for _ in range(2):
            await asks(running, issuer.token(), call)
        told = running.rows("SELECT DISTINCT actor FROM audit_entries WHERE action = 'graph.add'")
        logged = json.dumps(running.logs, default=str)
    assert len(told) == 1
    assert told[0][0].startswith("key:")
    assert "ann@example.com" not in logged


async def test_a_quota_holds_for_a_subject_as_for_a_key(issuer: Issuer, tmp_path: Path) -> None:
    async with protected(tmp_path / "data", issuer, key_episodes_per_day=1) as running:
        call = {**LIST, "method": "tools/call"}
        call["params"] = {"name": "add_memory", "arguments": {"user_id": "j", "content": "Hi."}}
        said = [(await asks(running, issuer.token(), call)).json()["result"] for _ in range(2)]
        another = (await asks(running, issuer.token(sub="bo"), call)).json()["result"]
    assert [one["isError"] for one in said] == [False, True]
    assert "429: key_episodes_per_day" in said[1]["content"][0]["text"]
    assert not another["isError"]


async def test_the_metadata_document_is_what_the_official_client_reads(
    issuer: Issuer, tmp_path: Path
) -> None:
    async with protected(tmp_path / "data", issuer) as running:
        for path in ("", "/mcp"):
            place = f"/.well-known/oauth-protected-resource{path}"
            answer = await running.send("GET", place, anonymous=True)
            assert answer.status == 200
            found = ProtectedResourceMetadata.model_validate_json(answer.body)
            assert str(found.resource) == AUDIENCE
            assert [str(one).rstrip("/") for one in found.authorization_servers] == [issuer.url]
            assert found.scopes_supported == ["memory:read", "memory:write"]
    async with program(tmp_path / "other") as without:
        answer = await without.send("GET", place, anonymous=True)
        assert answer.status == 404


async def test_new_keys_are_found_and_strangers_cannot_make_us_ask_again_and_again(
    issuer: Issuer,
) -> None:
    now = 0.0
    found = IssuerKeys(issuer.url, None, lambda: now)
    assert await found.named("first")
    issuer.keys.append(new_key(kid="second"))
    for _ in range(20):
        assert await found.named("second") is None
    assert issuer.asked.count("/keys") == 1
    now += ISSUER_PAUSE_S
    assert await found.named("second")
    issuer.stop()
    now += 10_000
    assert await found.named("second"), "known keys outlive an outage of the issuer"


async def test_an_issuer_that_is_another_or_silent_is_not_believed(tmp_path: Path) -> None:
    with Issuer() as issuer:
        issuer.says_issuer = "https://elsewhere.example"
        async with protected(tmp_path / "data", issuer) as running:
            answer = await asks(running, issuer.token())
            assert (answer.status, answer.header("retry-after")) == (503, "1")
            assert (await running.send("POST", PATH, LIST, headers=ACCEPT)).status == 200


@pytest.mark.parametrize(
    "wrong",
    [
        {"oauth_issuer": "https://i.example"},
        {"oauth_audience": "https://a.example/mcp"},
        {"oauth_jwks": "keys.json"},
        {"oauth_issuer": "http://i.example", "oauth_audience": "https://a.example/mcp"},
        {"oauth_issuer": "i.example", "oauth_audience": "https://a.example/mcp"},
    ],
)
def test_half_a_configuration_or_one_without_tls_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Settings(**wrong)
