"""Every setting, in one frozen object that is read once.

Each field can be set in a file, `recollect.toml`, and by an environment variable `RECOLLECT_<NAME>`, which
wins over the file; command line options win over both.
"""

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from recollect.errors import InvalidInput

Network = IPv4Network | IPv6Network
_PREFIX = "RECOLLECT_"
_FILE_NAME = "recollect.toml"
_FILE_VARIABLE = "RECOLLECT_CONFIG"


def _cache_dir() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "recollect" / "models"


class Settings(BaseSettings):
    """What an operator can choose. The defaults suit a laptop."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 chooses a free one.")
    tls_cert: Path | None = Field(
        None,
        description="File with the TLS certificate and its chain (PEM). When set, the server uses HTTPS.",
    )
    tls_key: Path | None = Field(
        None, description="File with the key of that certificate (PEM), without a passphrase."
    )
    data: Path = Field(
        Path("recollect-data"), description="Folder of the embedded store; created if missing."
    )
    store: SecretStr | None = Field(
        None,
        description="Database to use instead of the embedded store: `postgresql://user@host/database`, with "
        "`sslmode`, `passfile` and any other option of libpq. Unset: a file in `data`.",
    )
    api_key: SecretStr | None = Field(
        None,
        min_length=1,
        max_length=512,
        description="Key of the default project. Unset: one is created on first start.",
    )
    models: Path = Field(
        default_factory=_cache_dir, description="Folder of the installed model weights."
    )
    mcp_hosts: str = Field(
        "",
        description="Host names under which clients may reach `/mcp`, separated by commas, in addition to "
        "`localhost`, IP addresses and `host`. Other names are refused, which protects against "
        "DNS rebinding.",
    )
    mcp_text: Literal["json", "lines"] = Field(
        "json",
        description="Text of the answers of the tools at `/mcp`: `json` repeats the structured value; `lines` "
        "is a shorter form for models. `recollect mcp` has the option `--text` for this.",
    )
    cors_origins: str = Field(
        "",
        description="Origins of web pages on other hosts that may call the API, separated by commas, such as "
        "`https://app.example`; `*` for all. Unset: none.",
    )
    oauth_issuer: str | None = Field(
        None,
        description="Issuer of access tokens for `/mcp`, exactly as in the tokens; its keys are found through "
        "its discovery document. Unset: only API keys are accepted.",
    )
    oauth_audience: str | None = Field(
        None,
        description="Audience of the tokens: the address of `/mcp` as clients know it, such as "
        "`https://memory.example/mcp`.",
    )
    oauth_jwks: Path | None = Field(
        None,
        description="File with the issuer's public keys (JWKS), used instead of asking the issuer.",
    )
    oauth_project: str = Field("default", description="Project that tokens give access to.")
    oauth_project_claim: str | None = Field(
        None,
        min_length=1,
        description="Claim of a token that names the project, instead of one project for all tokens.",
    )
    oauth_read_scope: str = Field(
        "memory:read", min_length=1, description="Scope that allows a token to read."
    )
    oauth_write_scope: str = Field(
        "memory:write",
        min_length=1,
        description="Scope that allows a token to read and to use the tools that write.",
    )
    connections_max: int = Field(
        1_000,
        ge=1,
        le=100_000,
        description="Maximum number of simultaneous connections; lower if the system allows fewer open files. "
        "When all are in use, the connection that has been idle longest is closed.",
    )
    connections_per_address_max: int = Field(
        500,
        ge=1,
        le=100_000,
        description="Maximum number of simultaneous connections from one address. Behind a proxy, all "
        "connections come from the proxy's address: use the value of `connections_max`.",
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses of proxies, separated by commas, whose `X-Forwarded-For` is trusted, so that "
        "wrong keys are counted by the client's address.",
    )
    wrong_keys_max: int = Field(
        10,
        ge=0,
        le=10_000,
        description="Number of different wrong keys after which an address has to wait, longer with each "
        "further one; 0 disables this.",
    )
    key_requests_per_s: float | None = Field(
        None,
        gt=0,
        le=1_000_000,
        description="Requests per second allowed to one key. Unset: no limit.",
    )
    key_requests_burst: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Requests allowed to one key at once, after a pause. Unset: twice the number per second.",
    )
    key_episodes_per_day: int | None = Field(
        None, ge=1, description="Episodes per day (UTC) allowed to one key. Unset: no limit."
    )
    key_bytes_per_day: int | None = Field(
        None,
        ge=1,
        description="Bytes per day (UTC) allowed in the writing requests of one key. Unset: no limit.",
    )
    project_requests_per_s: float | None = Field(
        None,
        gt=0,
        le=1_000_000,
        description="Requests per second allowed to all keys of a project together. Unset: no limit.",
    )
    project_requests_burst: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Requests allowed to a project at once, after a pause. Unset: twice the number per "
        "second.",
    )
    project_episodes_per_day: int | None = Field(
        None, ge=1, description="Episodes per day (UTC) allowed to a project. Unset: no limit."
    )
    project_bytes_per_day: int | None = Field(
        None,
        ge=1,
        description="Bytes per day (UTC) allowed in the writing requests of a project. Unset: no limit.",
    )
    webhook_private: str = Field(
        "",
        description="Private networks in which webhooks are allowed, separated by commas, such as "
        "`127.0.0.1/32, 10.1.0.0/16`. Unset: only the public internet.",
    )
    webhook_timeout_s: float = Field(
        15.0, gt=0, le=60, description="Maximum time to wait for the answer of a webhook."
    )
    webhook_attempts_max: int = Field(
        10, ge=1, le=100, description="Attempts before a delivery to a webhook is given up."
    )
    webhook_backoff_first_s: float = Field(
        5.0,
        gt=0,
        le=3600,
        description="Pause before the second attempt to deliver; each further pause is four times as long, up "
        "to six hours.",
    )
    expired_kept_days: int | None = Field(
        None,
        ge=0,
        le=36_500,
        description="Days during which the operator can still inspect what has expired, before it is "
        "forgotten for good; 0 forgets it at once. Unset: until its thread, user or graph is "
        "erased.",
    )
    workers: int = Field(
        2,
        ge=0,
        le=64,
        description="Number of workers inside `recollect serve`; 0 leaves the queue to `recollect worker`.",
    )
    extraction: Literal["on", "off"] = Field(
        "on",
        description="`off` stores episodes and makes them searchable, but learns nothing from them.",
    )
    judge: Literal["on", "off"] = Field(
        "on",
        description="Whether a small model decides which known facts a new one ends; `off` leaves that to the "
        "reader and to the table of relations.",
    )
    answers: Literal["on", "off"] = Field(
        "on",
        description="Whether a small model reads the best facts of a search together with the question; `off` "
        "saves some tens of milliseconds of processor time per search, but finds less.",
    )
    reader: Literal["embedded", "model", "agent"] | None = Field(
        None,
        description="What reads episodes: `embedded`, the rules and models included in the program; `model`, "
        "the language model at `llm_url`; `agent`, first the embedded reader, then any agent that "
        "takes them. Unset: `model` if `llm_url` is set, otherwise `embedded`.",
    )
    predicates: Path | None = Field(
        None, description="File with relations that extend the built-in table of predicates."
    )
    readers: int = Field(
        4, ge=1, le=64, description="Number of connections that read from the store."
    )
    job_attempts_max: int = Field(
        5, ge=1, le=100, description="Attempts before a failing job is parked."
    )
    job_backoff_first_s: float = Field(
        1.0,
        gt=0,
        le=3600,
        description="Pause before the second attempt; it doubles with each further one.",
    )
    segments_bytes_max: int = Field(
        256 * 1024 * 1024,
        ge=0,
        description="Maximum memory for search segments; beyond it, the least recently used are dropped.",
    )
    context_chars_max: int = Field(
        6_000,
        ge=2_000,
        le=1_000_000,
        description="Maximum length of a context block, in characters; a token has about four. A request can "
        "override it.",
    )
    injection_log: Literal["off", "lines", "questions"] = Field(
        "off",
        description="What is recorded of each context that is returned: nothing (`off`); its lines and why "
        "each was included (`lines`); the question as well (`questions`).",
    )
    injection_log_rows_max: int = Field(
        10_000, ge=1, description="Number of contexts that the injection log of a project keeps."
    )
    injection_log_days_max: int = Field(
        30,
        ge=1,
        le=3_650,
        description="Days after which a context is deleted from the injection log.",
    )
    context_messages: int | None = Field(
        None,
        ge=1,
        le=20,
        description="Number of a thread's newest messages that a context block is based on. Unset: 4 on the "
        "routes of Zep v2, 2 on those of Zep v3.",
    )
    memory_window_episodes: int = Field(
        100,
        ge=1,
        le=10_000,
        description="Maximum number of newest episodes in the short-term memory, unless the client sets its "
        "own.",
    )
    memory_window_chars: int = Field(
        64_000,
        ge=1,
        le=4_000_000,
        description="Maximum number of characters in those episodes together.",
    )
    memory_roles: Literal["any", "known"] = Field(
        "known",
        description="Roles that clients may give to a message: `known` allows user, assistant, system, tool "
        "and function, or none; `any` allows every name.",
    )
    memory_instances_max: int = Field(
        100,
        ge=1,
        le=1_000_000,
        description="Maximum number of episodic memories kept open; exceeded only while all of them are in "
        "use.",
    )
    memory_life_s: float = Field(
        600.0, gt=0, le=86_400, description="How long an unused episodic memory stays open."
    )
    memory_sweep_s: float = Field(
        2.0, gt=0, le=3600, description="Pause between checks for unused episodic memories."
    )
    stop_grace_s: float = Field(
        20.0,
        ge=0,
        le=600,
        description="How long to wait for running requests and jobs when stopping.",
    )
    llm_url: str | None = Field(
        None,
        description="Base address of an OpenAI-compatible endpoint, such as `http://127.0.0.1:11434/v1`. When "
        "set, its model reads the episodes.",
    )
    llm_model: str | None = Field(
        None, min_length=1, max_length=256, description="Name of the model at that endpoint."
    )
    llm_key: SecretStr | None = Field(
        None, min_length=1, max_length=4096, description="Key of that endpoint, if it requires one."
    )
    llm_timeout_s: float = Field(
        60.0, gt=0, le=600, description="Maximum time to wait for one answer of the language model."
    )
    llm_tokens_per_hour_max: int | None = Field(
        None,
        ge=1,
        description="Maximum number of tokens per hour, input and output together. Unset: no limit.",
    )
    llm_output_tokens_max: int = Field(
        8192,
        ge=64,
        le=1_000_000,
        description="Maximum length of an answer of the language model, in tokens.",
    )
    llm_concurrency_max: int = Field(
        4, ge=1, le=256, description="Maximum number of simultaneous calls of the language model."
    )
    llm_format: Literal["json_schema", "json_object"] = Field(
        "json_schema",
        description="How the endpoint is made to follow the format of the answer: `json_schema` (strict), or "
        "`json_object` if it supports nothing better.",
    )
    llm_output_tokens_name: Literal["max_completion_tokens", "max_tokens"] = Field(
        "max_completion_tokens",
        description="Name of the parameter with which the endpoint limits the length of an answer.",
    )
    llm_temperature: float | None = Field(
        None,
        ge=0,
        le=2,
        description="Temperature to send. Unset: none is sent; some models accept only their default.",
    )
    log_format: Literal["json", "console", "auto"] = Field(
        "auto", description="`json`, `console`, or `auto`: console on a terminal, otherwise json."
    )
    metrics_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="Separate port for `/metrics`, which also answers `/health` and `/ready`; `port` then "
        "has no metrics. 0 chooses a free one. Unset: metrics are on `port`.",
    )
    metrics_host: str | None = Field(
        None, min_length=1, description="Address to listen on for `metrics_port`. Unset: `host`."
    )
    metrics_key: SecretStr | None = Field(
        None,
        min_length=1,
        max_length=512,
        description="Key that `/metrics` requires as `Authorization: Bearer …`. Unset: none.",
    )
    otel_url: str | None = Field(
        None,
        description="Base address of an OTLP receiver over HTTP, such as `http://127.0.0.1:4318`. When set, "
        "spans and metrics are sent there, without any text. Needs the extra `otel`.",
    )
    otel_metrics_s: float = Field(
        60.0, gt=0, le=3600, description="Pause between sending metrics to `otel_url`."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Lowest severity that is logged."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Options, then the environment, then the file."""
        refuse_unknown_variables(os.environ)
        return init_settings, env_settings, InitSettingsSource(settings_cls, in_file())

    @field_validator("api_key", "llm_key", "metrics_key")
    @classmethod
    def _can_be_a_header(cls, value: SecretStr | None) -> SecretStr | None:
        text = value.get_secret_value() if value else "-"
        if not all("!" <= character <= "~" for character in text):
            raise ValueError("must be printable ASCII without spaces, to fit into a header")
        return value

    @field_validator("llm_url", "otel_url")
    @classmethod
    def _is_an_address(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must begin with http:// or https:// and a host")
        if parts.username is not None or parts.query or parts.fragment:
            # The address is shown in messages, so it must not contain a key.
            place = (
                "OTEL_EXPORTER_OTLP_HEADERS"
                if info.field_name == "otel_url"
                else variable("llm_key")
            )
            raise ValueError(f"must be a bare address: a key goes into {place}")
        return value

    @field_validator("oauth_issuer", "oauth_audience")
    @classmethod
    def _is_safe(cls, value: str | None) -> str | None:
        if value is not None and not is_safe_address(value):
            raise ValueError("must be an https:// address, or http:// on this machine")
        return value

    @field_validator("webhook_private")
    @classmethod
    def _are_networks(cls, value: str) -> str:
        networks_in(value)
        return value

    @field_validator("cors_origins")
    @classmethod
    def _are_origins(cls, value: str) -> str:
        for origin in origins_in(value):
            parts = urlsplit(origin)
            bare = parts.hostname and parts.username is None
            if origin != "*" and not (bare and origin == f"{parts.scheme}://{parts.netloc}"):
                raise ValueError(f"{origin}: must be scheme, host and port, as https://app.example")
        return value

    @model_validator(mode="after")
    def _an_issuer_is_whole(self) -> Self:
        if (self.oauth_issuer is None) != (self.oauth_audience is None):
            raise ValueError("oauth_issuer and oauth_audience: give both, or neither")
        if self.oauth_issuer is None:
            for name in ("oauth_jwks", "oauth_project_claim"):
                if getattr(self, name) is not None:
                    raise ValueError(f"{name}: has no effect without oauth_issuer")
        return self

    @model_validator(mode="after")
    def _a_rate_is_whole(self) -> Self:
        for whose in ("key", "project"):
            rate, burst = f"{whose}_requests_per_s", f"{whose}_requests_burst"
            if getattr(self, burst) is not None and getattr(self, rate) is None:
                raise ValueError(f"{burst}: has no effect without {rate}")
        return self

    @model_validator(mode="after")
    def _a_model_is_whole(self) -> Self:
        if (self.llm_url is None) != (self.llm_model is None):
            raise ValueError("llm_url and llm_model: give both, or neither")
        if self.llm_key is not None and self.llm_url is None:
            raise ValueError("llm_key: has no effect without llm_url and llm_model")
        if self.reader == "model" and self.llm_url is None:
            raise ValueError("reader: `model` needs llm_url and llm_model")
        return self

    @model_validator(mode="after")
    def _tls_is_whole(self) -> Self:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ValueError("tls_cert and tls_key: give both, or neither")
        return self

    @model_validator(mode="after")
    def _metrics_are_whole(self) -> Self:
        if self.metrics_host is not None and self.metrics_port is None:
            raise ValueError("metrics_host: has no effect without metrics_port")
        return self

    @property
    def read_by(self) -> Literal["embedded", "model", "agent"]:
        """The reader in force, with the default resolved."""
        return self.reader or ("embedded" if self.llm_url is None else "model")


def origins_in(text: str) -> list[str]:
    """The origins that a setting lists."""
    return [origin for part in text.split(",") if (origin := part.strip())]


def networks_in(text: str) -> list[Network]:
    """The networks that a setting lists; raises ValueError for an invalid one."""
    return [ip_network(network) for part in text.split(",") if (network := part.strip())]


def is_safe_address(address: str) -> bool:
    """Whether traffic to the address cannot be tampered with: over TLS, or on this machine."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    if not host or parts.username is not None or parts.fragment:
        return False
    here = host == "localhost" or host.startswith("127.") or host == "::1"
    return parts.scheme == "https" or (parts.scheme == "http" and here)


def file() -> Path | None:
    """The settings file: the one that RECOLLECT_CONFIG names, or one in the current folder."""
    named = os.environ.get(_FILE_VARIABLE)
    if named:
        return Path(named)
    return Path(_FILE_NAME) if Path(_FILE_NAME).is_file() else None


def in_file() -> dict[str, Any]:
    """The settings in the file; an unknown name is refused, with the closest known one as a hint."""
    path = file()
    if path is None:
        return {}
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidInput(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    for name in said:
        if name not in Settings.model_fields:
            raise InvalidInput(f"{path}: {_unknown(name, Settings.model_fields)}")
    return said


def notify_socket() -> str | None:
    """The notification socket of the supervisor that started this process, if any."""
    return os.environ.get("NOTIFY_SOCKET")


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return f"{_PREFIX}{name.upper()}"


def refuse_unknown_variables(environment: Mapping[str, str]) -> None:
    """Refuse unknown RECOLLECT_ variables: a misspelt one would be silently ignored."""
    known = [_FILE_VARIABLE, *map(variable, Settings.model_fields)]
    for name in environment:
        if name.startswith(_PREFIX) and name not in known:
            raise InvalidInput(_unknown(name, known))


def _unknown(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"there is no setting {name}" + (f"; did you mean {near[0]}?" if near else "")


Source = Literal["option", "environment", "file", "default"]


def sources(options: Iterable[str] = ()) -> dict[str, Source]:
    """Where each setting's value comes from; *options* are those set on the command line."""
    said, given = in_file(), set(options)
    found: dict[str, Source] = {}
    for name in Settings.model_fields:
        if name in given:
            found[name] = "option"
        elif variable(name) in os.environ:
            found[name] = "environment"
        else:
            found[name] = "file" if name in said else "default"
    return found
