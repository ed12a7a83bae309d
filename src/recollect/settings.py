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
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    tls_cert: Path | None = Field(
        None,
        description="File of the TLS certificate and its chain (PEM): the server speaks HTTPS.",
    )
    tls_key: Path | None = Field(
        None, description="File of the key of that certificate (PEM), without a password."
    )
    data: Path = Field(
        Path("recollect-data"), description="Folder of the embedded store; made when missing."
    )
    store: SecretStr | None = Field(
        None,
        description="Where the memory is kept: `postgresql://user@host/database`, with `sslmode`, `passfile` "
        "and whatever else libpq knows. Unset: a file in `data`.",
    )
    api_key: SecretStr | None = Field(
        None,
        min_length=1,
        max_length=512,
        description="Key of the default project. When unset, one is made on first start.",
    )
    models: Path = Field(
        default_factory=_cache_dir, description="Folder of the installed model weights."
    )
    mcp_hosts: str = Field(
        "",
        description="Names that `/mcp` may be asked for by, with commas between, beside `localhost`, "
        "numbers and `host`: a page elsewhere must not reach it under a name of its own.",
    )
    mcp_text: Literal["json", "lines"] = Field(
        "json",
        description="The text of what tools at `/mcp` answer: `json`, the value once more, or `lines` for a "
        "model, shorter. `recollect mcp` has an option for it.",
    )
    cors_origins: str = Field(
        "",
        description="Origins of pages elsewhere that may ask, with commas between, such as "
        "`https://app.example`; `*` for all. Unset: none.",
    )
    oauth_issuer: str | None = Field(
        None,
        description="Issuer of access tokens for `/mcp`, as the tokens name it; its keys are found by its "
        "discovery document. Unset: keys only.",
    )
    oauth_audience: str | None = Field(
        None,
        description="What tokens call `/mcp`: its address as clients know it, such as "
        "`https://memory.example/mcp`.",
    )
    oauth_jwks: Path | None = Field(
        None, description="File with the issuer's public keys (JWKS); then the issuer is not asked."
    )
    oauth_project: str = Field("default", description="Project that tokens open.")
    oauth_project_claim: str | None = Field(
        None,
        min_length=1,
        description="Claim of a token that names the project, in place of one for all.",
    )
    oauth_read_scope: str = Field(
        "memory:read", min_length=1, description="Scope of a token that may read."
    )
    oauth_write_scope: str = Field(
        "memory:write",
        min_length=1,
        description="Scope of a token that may read and use the tools that write.",
    )
    connections_max: int = Field(
        1_000,
        ge=1,
        le=100_000,
        description="Connections at the same time; fewer where the system allows fewer open files. "
        "When all are taken, whoever waits longest without a request makes room.",
    )
    connections_per_address_max: int = Field(
        500,
        ge=1,
        le=100_000,
        description="Connections of one address at the same time. Behind a proxy all come from the "
        "proxy's address: give it as many as there are.",
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses of proxies, with commas between, whose `X-Forwarded-For` is believed: wrong "
        "keys are then counted by the client's address.",
    )
    wrong_keys_max: int = Field(
        10,
        ge=0,
        le=10_000,
        description="Different wrong keys from one address before it has to wait, ever longer with each "
        "further one; 0 counts none.",
    )
    key_requests_per_s: float | None = Field(
        None, gt=0, le=1_000_000, description="Requests a second of one key; unset is no limit."
    )
    key_requests_burst: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Requests of one key at once, after a pause; unset is twice as many as in a second.",
    )
    key_episodes_per_day: int | None = Field(
        None, ge=1, description="Episodes a day (UTC) of one key; unset is no limit."
    )
    key_bytes_per_day: int | None = Field(
        None,
        ge=1,
        description="Bytes a day in the requests of one key that write something; unset is no limit.",
    )
    project_requests_per_s: float | None = Field(
        None,
        gt=0,
        le=1_000_000,
        description="Requests a second of all keys of a project together; unset is no limit.",
    )
    project_requests_burst: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Requests of a project at once, after a pause; unset is twice as many as in a second.",
    )
    project_episodes_per_day: int | None = Field(
        None, ge=1, description="Episodes a day (UTC) of a project; unset is no limit."
    )
    project_bytes_per_day: int | None = Field(
        None,
        ge=1,
        description="Bytes a day in the requests of a project that write something; unset is no limit.",
    )
    webhook_private: str = Field(
        "",
        description="Networks beside the public internet that webhooks may be in, with commas between, such "
        "as `127.0.0.1/32, 10.1.0.0/16`. Unset: none.",
    )
    webhook_timeout_s: float = Field(
        15.0, gt=0, le=60, description="Longest wait for the answer of a webhook."
    )
    webhook_attempts_max: int = Field(
        10, ge=1, le=100, description="Tries before a delivery to a webhook is given up."
    )
    webhook_backoff_first_s: float = Field(
        5.0,
        gt=0,
        le=3600,
        description="Pause before a delivery is tried a second time; it grows fourfold from there, up to "
        "six hours.",
    )
    expired_kept_days: int | None = Field(
        None,
        ge=0,
        le=36_500,
        description="Days for which the operator can look at what has expired, before it is forgotten for "
        "good; 0 keeps nothing. Unset: until its thread, user or graph is erased.",
    )
    workers: int = Field(
        2,
        ge=0,
        le=64,
        description="Workers inside `recollect serve`; 0 leaves the queue to `recollect worker`.",
    )
    extraction: Literal["on", "off"] = Field(
        "on",
        description="`off` stores episodes and makes them findable, and learns nothing from them.",
    )
    judge: Literal["on", "off"] = Field(
        "on",
        description="Whether a small model judges which known facts a new one makes untrue; `off` leaves "
        "that to readers and to the table of relations.",
    )
    answers: Literal["on", "off"] = Field(
        "on",
        description="Whether a small model reads the best facts of a search together with the question; "
        "`off` saves some tens of milliseconds of processor time a search and finds less.",
    )
    reader: Literal["embedded", "model", "agent"] | None = Field(
        None,
        description="Who reads episodes: `embedded`, the rules and models that come with the program; "
        "`model`, the language model at `llm_url`; `agent`, the embedded reader at once and then any "
        "agent that takes them. Unset: `model` where `llm_url` is set, else `embedded`.",
    )
    predicates: Path | None = Field(
        None, description="A file of relations that extends the built-in table of predicates."
    )
    readers: int = Field(4, ge=1, le=64, description="Connections that read the store.")
    job_attempts_max: int = Field(
        5, ge=1, le=100, description="Tries before a failing job is parked."
    )
    job_backoff_first_s: float = Field(
        1.0, gt=0, le=3600, description="Pause before the second try; it doubles from there."
    )
    segments_bytes_max: int = Field(
        256 * 1024 * 1024, ge=0, description="Memory for search segments before the oldest go."
    )
    context_chars_max: int = Field(
        6_000,
        ge=2_000,
        le=1_000_000,
        description="Longest context block, in characters; about four of them make a token. A "
        "request may say otherwise.",
    )
    injection_log: Literal["off", "lines", "questions"] = Field(
        "off",
        description="What is kept of each context that is given out: nothing; its lines and why each "
        "was there; or these and the question, too.",
    )
    injection_log_rows_max: int = Field(
        10_000, ge=1, description="Contexts that the injection log of a project keeps, the newest."
    )
    injection_log_days_max: int = Field(
        30, ge=1, le=3_650, description="Days after which the injection log forgets a context."
    )
    context_messages: int | None = Field(
        None,
        ge=1,
        le=20,
        description="How many of a thread's newest messages say what a context block is about. "
        "Unset: 4 on the routes of generation 2, 2 on those of generation 3.",
    )
    memory_window_episodes: int = Field(
        100,
        ge=1,
        le=10_000,
        description="How many of the newest episodes the short-term memory holds at most, where a "
        "memory client chose nothing else.",
    )
    memory_window_chars: int = Field(
        64_000,
        ge=1,
        le=4_000_000,
        description="How many characters those episodes have at most, all in all.",
    )
    memory_roles: Literal["any", "known"] = Field(
        "known",
        description="Which roles memory clients may give a message: `known` are user, assistant, "
        "system, tool and function, or none; `any` takes every name.",
    )
    memory_instances_max: int = Field(
        100,
        ge=1,
        le=1_000_000,
        description="Memories kept open at the same time; more only while all of them are in use.",
    )
    memory_life_s: float = Field(
        600.0, gt=0, le=86_400, description="How long a memory that nobody uses stays open."
    )
    memory_sweep_s: float = Field(
        2.0, gt=0, le=3600, description="Pause between looks for memories that nobody uses."
    )
    stop_grace_s: float = Field(
        20.0, ge=0, le=600, description="How long a stop waits for requests and jobs under way."
    )
    llm_url: str | None = Field(
        None,
        description="Base address of an OpenAI-compatible endpoint, such as "
        "`http://127.0.0.1:11434/v1`. When set, it reads the episodes.",
    )
    llm_model: str | None = Field(
        None, min_length=1, max_length=256, description="Name of the model at that endpoint."
    )
    llm_key: SecretStr | None = Field(
        None, min_length=1, max_length=4096, description="Key of that endpoint, if it wants one."
    )
    llm_timeout_s: float = Field(
        60.0, gt=0, le=600, description="Longest wait for one answer of the language model."
    )
    llm_tokens_per_hour_max: int | None = Field(
        None,
        ge=1,
        description="Tokens that may go in and come out within an hour; unset is no bound.",
    )
    llm_output_tokens_max: int = Field(
        8192, ge=64, le=1_000_000, description="Longest answer of the language model."
    )
    llm_concurrency_max: int = Field(
        4, ge=1, le=256, description="Calls of the language model at the same time."
    )
    llm_format: Literal["json_schema", "json_object"] = Field(
        "json_schema",
        description="How the endpoint is held to the form of the answer: `json_schema` (strict), "
        "or `json_object` where it knows no better.",
    )
    llm_output_tokens_name: Literal["max_completion_tokens", "max_tokens"] = Field(
        "max_completion_tokens", description="What the endpoint calls the longest answer."
    )
    llm_temperature: float | None = Field(
        None, ge=0, le=2, description="Sent when set; some models accept none but their own."
    )
    log_format: Literal["json", "console", "auto"] = Field(
        "auto", description="`json`, `console`, or `auto`: console on a terminal, else json."
    )
    metrics_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="A port of its own for `/metrics`, with `/health` and `/ready` beside it; the other "
        "port then has no metrics. 0 takes a free one. Unset: they are on `port`.",
    )
    metrics_host: str | None = Field(
        None, min_length=1, description="Address to listen on for `metrics_port`; unset: `host`."
    )
    metrics_key: SecretStr | None = Field(
        None,
        min_length=1,
        max_length=512,
        description="Key that `/metrics` wants as `Authorization: Bearer …`; unset: none.",
    )
    otel_url: str | None = Field(
        None,
        description="Base address of an OTLP receiver over HTTP, such as `http://127.0.0.1:4318`. When set, "
        "spans and metrics go there, without any text. Needs the extra `otel`.",
    )
    otel_metrics_s: float = Field(
        60.0, gt=0, le=3600, description="Pause between metrics that are sent to `otel_url`."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least severe log line that is written."
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
                    raise ValueError(f"{name}: does nothing without oauth_issuer")
        return self

    @model_validator(mode="after")
    def _a_rate_is_whole(self) -> Self:
        for whose in ("key", "project"):
            rate, burst = f"{whose}_requests_per_s", f"{whose}_requests_burst"
            if getattr(self, burst) is not None and getattr(self, rate) is None:
                raise ValueError(f"{burst}: does nothing without {rate}")
        return self

    @model_validator(mode="after")
    def _a_model_is_whole(self) -> Self:
        if (self.llm_url is None) != (self.llm_model is None):
            raise ValueError("llm_url and llm_model: give both, or neither")
        if self.llm_key is not None and self.llm_url is None:
            raise ValueError("llm_key: does nothing without llm_url and llm_model")
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
            raise ValueError("metrics_host: does nothing without metrics_port")
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
