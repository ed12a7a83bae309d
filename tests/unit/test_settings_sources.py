"""Every setting can stand in the file, in the environment and in an option, which win in that order."""

import os
from pathlib import Path

import pytest
from pydantic import SecretStr

from recollect.errors import InvalidInput
from recollect.settings import Settings, sources, variable

# Two values for each setting, none of them its default.
VALUES: dict[str, tuple[object, object]] = {
    "host": ("0.0.0.0", "localhost"),  # noqa: S104
    "port": (9001, 9002),
    "tls_cert": ("one.pem", "two.pem"),
    "tls_key": ("one.key", "two.key"),
    "data": ("one", "two"),
    "store": ("postgresql://one/memory", "postgresql://two/memory"),
    "api_key": ("first-key", "second-key"),
    "models": ("weights", "other-weights"),
    "mcp_hosts": ("a.example", "b.example"),
    "mcp_text": ("lines", "lines"),
    "cors_origins": ("https://a.example", "https://b.example"),
    "oauth_issuer": ("https://issuer.example", "http://127.0.0.1:9/x"),
    "oauth_audience": ("https://a.example/mcp", "https://b.example/mcp"),
    "oauth_jwks": ("keys.json", "other-keys.json"),
    "oauth_project": ("one", "two"),
    "oauth_project_claim": ("tenant", "org"),
    "oauth_read_scope": ("read", "look"),
    "oauth_write_scope": ("write", "change"),
    "connections_max": (50, 60),
    "connections_per_address_max": (20, 30),
    "trusted_proxies": ("10.0.0.1", "10.0.0.2"),
    "wrong_keys_max": (3, 4),
    "key_requests_per_s": (1.5, 2.5),
    "key_requests_burst": (7, 8),
    "key_episodes_per_day": (100, 200),
    "key_bytes_per_day": (1_000, 2_000),
    "project_requests_per_s": (10.0, 20.0),
    "project_requests_burst": (30, 40),
    "project_episodes_per_day": (300, 400),
    "project_bytes_per_day": (3_000, 4_000),
    "workers": (0, 3),
    "extraction": ("off", "off"),
    "judge": ("off", "off"),
    "answers": ("off", "off"),
    "reader": ("agent", "embedded"),
    "predicates": ("relations.toml", "others.toml"),
    "readers": (2, 3),
    "job_attempts_max": (3, 4),
    "job_backoff_first_s": (0.5, 2.5),
    "segments_bytes_max": (1_000, 2_000),
    "context_chars_max": (4_000, 5_000),
    "context_messages": (3, 5),
    "memory_window_episodes": (10, 20),
    "memory_window_chars": (100, 200),
    "memory_roles": ("any", "any"),
    "memory_instances_max": (5, 6),
    "memory_life_s": (10.0, 20.0),
    "memory_sweep_s": (1.0, 3.0),
    "stop_grace_s": (1.0, 2.0),
    "llm_url": ("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"),
    "llm_model": ("small", "large"),
    "llm_key": ("key-1", "key-2"),
    "llm_timeout_s": (10.0, 20.0),
    "llm_tokens_per_hour_max": (1_000, 2_000),
    "llm_output_tokens_max": (100, 200),
    "llm_concurrency_max": (1, 2),
    "llm_format": ("json_object", "json_object"),
    "llm_output_tokens_name": ("max_tokens", "max_tokens"),
    "llm_temperature": (0.5, 1.0),
    "log_format": ("json", "console"),
    "metrics_port": (9101, 9102),
    "metrics_host": ("127.0.0.2", "127.0.0.3"),
    "metrics_key": ("metrics-1", "metrics-2"),
    "otel_url": ("http://127.0.0.1:4318", "http://127.0.0.1:4319"),
    "otel_metrics_s": (1.0, 2.0),
    "log_level": ("debug", "error"),
    "webhook_private": ("10.0.0.0/8", "192.168.0.0/16"),
    "webhook_timeout_s": (3.0, 4.0),
    "webhook_attempts_max": (3, 4),
    "webhook_backoff_first_s": (1.0, 2.0),
    "expired_kept_days": (3, 4),
    "injection_log": ("lines", "questions"),
    "injection_log_rows_max": (1_000, 2_000),
    "injection_log_days_max": (3, 4),
}
# What settings that begin so do not work without.
NEEDED: dict[str, dict[str, object]] = {
    "llm_": {"llm_url": "http://127.0.0.1:3/v1", "llm_model": "any"},
    "metrics_host": {"metrics_port": 1},
    "oauth_": {"oauth_issuer": "https://i.example", "oauth_audience": "https://c.example/mcp"},
    "key_requests_": {"key_requests_per_s": 3.0},
    "project_requests_": {"project_requests_per_s": 3.0},
    "tls_cert": {"tls_key": "any.key"},
    "tls_key": {"tls_cert": "any.pem"},
}


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty folder, and an environment without settings."""
    for name in list(os.environ):
        if name.startswith("RECOLLECT_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, said: dict[str, object]) -> None:
    """A file with these settings."""
    lines = (f"{name} = {value!r}\n" for name, value in said.items())
    path.write_text("".join(lines), encoding="utf-8")


def plain(settings: Settings, name: str) -> object:
    """The value of a setting as somebody would write it."""
    value = getattr(settings, name)
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return str(value) if isinstance(value, Path) else value


def test_the_table_has_every_setting() -> None:
    """A new one belongs into it."""
    assert set(VALUES) == set(Settings.model_fields)


@pytest.mark.parametrize("name", VALUES)
def test_a_setting_comes_from_each_source(
    name: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File, then environment, then option; and it is known which."""
    first, second = VALUES[name]
    needed = next((more for start, more in NEEDED.items() if name.startswith(start)), {})
    assert sources()[name] == "default"
    write(here / "recollect.toml", {**needed, name: first})
    assert plain(Settings(), name) == first
    assert sources()[name] == "file"
    monkeypatch.setenv(variable(name), str(second))
    assert plain(Settings(), name) == second
    assert sources()[name] == "environment"
    assert plain(Settings.model_validate({**needed, name: first}), name) == first
    assert sources([name])[name] == "option"


def test_another_file_can_be_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the one in this folder is not read."""
    write(here / "recollect.toml", {"port": 1})
    write(here / "other.toml", {"workers": 7})
    monkeypatch.setenv("RECOLLECT_CONFIG", str(here / "other.toml"))
    assert (Settings().port, Settings().workers) == (8000, 7)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("RECOLLECT_API_KEYS", "did you mean RECOLLECT_API_KEY?"),
        ("RECOLLECT_WORKER", "did you mean RECOLLECT_WORKERS?"),
        ("RECOLLECT_XYZZY_PLUGH", "there is no setting RECOLLECT_XYZZY_PLUGH"),
    ],
)
def test_an_unknown_variable_is_refused(
    name: str, near: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the nearest that there is; the value, which may be a secret, is not told."""
    monkeypatch.setenv(name, "s3cret")
    with pytest.raises(InvalidInput) as refused:
        Settings()
    assert near in refused.value.message
    assert "s3cret" not in refused.value.message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("prot = 1", "there is no setting prot; did you mean port?"),
        ("[server]\nport = 1", "there is no setting server"),
        ("port = ", "recollect.toml: "),
    ],
)
def test_a_wrong_file_is_refused(text: str, says: str, here: Path) -> None:
    """By its name, and with what is wrong in it."""
    (here / "recollect.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"recollect\.toml") as refused:
        Settings()
    assert says in refused.value.message


def test_a_file_that_is_named_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody wants to run on defaults because of a typing error."""
    monkeypatch.setenv("RECOLLECT_CONFIG", "nowhere.toml")
    with pytest.raises(InvalidInput, match=r"nowhere\.toml: No such file"):
        Settings()
