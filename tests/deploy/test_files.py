"""What `deploy/` and the Dockerfile say is true of this program: settings, ports, users, limits, schemas."""

import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from recollect import __version__
from recollect.limits import BODY_BYTES_MAX
from recollect.settings import Settings, variable
from tests.deploy import dockerfile

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
KNOWN = {"RECOLLECT_CONFIG", *map(variable, Settings.model_fields)}
NAME = re.compile(r"\bRECOLLECT_[A-Z_]+")
STAGES = dockerfile.read(ROOT / "Dockerfile")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
MANIFESTS: list[dict[str, Any]] = list(
    yaml.safe_load_all((DEPLOY / "kubernetes" / "recollect.yaml").read_text(encoding="utf-8"))
)
(SET,) = [one for one in MANIFESTS if one["kind"] == "StatefulSet"]
POD = SET["spec"]["template"]["spec"]
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
UID = "10001"


@pytest.mark.parametrize(
    "path",
    [ROOT / "Dockerfile", *(p for p in sorted(DEPLOY.rglob("*")) if p.is_file())],
    ids=lambda path: path.name,
)
def test_every_variable_is_a_setting(path: Path) -> None:
    named = set(NAME.findall(path.read_text(encoding="utf-8")))
    if path.name == "compose.yaml":
        named.discard("RECOLLECT_STORE")  # of the profile with PostgreSQL
    assert named <= KNOWN


@pytest.mark.parametrize(
    "text",
    [
        (DEPLOY / "systemd" / "recollect.toml").read_text(encoding="utf-8"),
        next(one for one in MANIFESTS if one["kind"] == "ConfigMap")["data"]["recollect.toml"],
    ],
)
def test_every_configuration_file_is_one(text: str) -> None:
    assert Settings.model_validate(tomllib.loads(text)).metrics_port == 9100


# The image.


def test_the_image_is_built_apart_from_what_runs() -> None:
    assert [stage.name for stage in STAGES] == ["guide", "build", ""]
    assert {stage.image for stage in STAGES} == {"${PYTHON_IMAGE}"}
    copied = STAGES[-1].of("COPY")
    assert copied == ["--from=build /opt/recollect /opt/recollect"]


def test_the_image_runs_as_nobody_in_particular_and_can_be_asked_for_its_health() -> None:
    last = STAGES[-1]
    assert last.of("USER") == [f"{UID}:{UID}"]
    kinds = [kind for kind, _ in last.steps]
    assert "RUN" not in kinds[kinds.index("USER") :], "nothing is made as that user"
    (health,) = last.of("HEALTHCHECK")
    command = dockerfile.words(health)
    compile(command[-1], "health", "exec")
    assert "127.0.0.1:8000/ready" in command[-1]
    assert dockerfile.words(last.of("ENTRYPOINT")[0]) == ["recollect"]
    assert dockerfile.words(last.of("CMD")[0]) == ["serve"]


def test_the_image_has_the_weights_where_it_looks_for_them() -> None:
    _, build, last = STAGES
    assert any("recollect models install" in said for said in build.of("RUN"))
    folder = build.environment()["RECOLLECT_MODELS"]
    assert folder == last.environment()["RECOLLECT_MODELS"]
    assert folder.startswith("/opt/recollect/"), "what is copied"
    assert last.environment()["RECOLLECT_DATA"] == last.of("VOLUME")[0]


def test_what_is_installed_into_the_image_is_locked() -> None:
    for stage in STAGES:
        for said in stage.of("RUN"):
            for command in said.split("&&"):
                if "pip install" in command:
                    assert "--require-hashes" in command or "--no-deps" in command
                    assert "--no-cache-dir" in command


def test_what_is_copied_into_the_image_is_there_and_not_ignored() -> None:
    allowed = [
        line[1:]
        for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    ]
    for stage in STAGES:
        for said in stage.of("COPY"):
            if said.startswith("--from="):
                assert said.split()[0].removeprefix("--from=") in {one.name for one in STAGES}
                continue
            for source in said.split()[:-1]:
                assert (ROOT / source).exists(), source
                assert any(fnmatch(source.split("/")[0], name) for name in allowed), source


# Compose.


def test_compose_runs_containers_that_can_do_little() -> None:
    for name, service in COMPOSE["services"].items():
        if name == "postgres":
            continue
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert "no-new-privileges:true" in service["security_opt"]
        assert any(place.startswith("/tmp:") for place in service["tmpfs"])  # noqa: S108
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:"), "nothing is open without TLS"


def test_compose_has_a_profile_with_postgresql_and_two_workers() -> None:
    services = COMPOSE["services"]
    profile = {name for name, one in services.items() if one.get("profiles") == ["postgres"]}
    assert profile == {"postgres", "recollect-postgres", "worker"}
    assert services["worker"]["deploy"]["replicas"] == 2
    assert services["worker"]["command"] == ["worker"]
    named = {v.split(":")[0] for one in services.values() for v in one.get("volumes", [])}
    assert named == set(COMPOSE["volumes"])


# Kubernetes.


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: one["kind"])
def test_a_manifest_fits_the_schema_of_its_kind(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, "1.33", strict=True)


def test_a_manifest_that_does_not_fit_is_found() -> None:
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(
            {**SET, "spec": {**SET["spec"], "replica": 1}}, "1.33", strict=True
        )


def test_the_pod_keeps_to_the_restricted_standard() -> None:
    (container,) = POD["containers"]
    pod, own = POD["securityContext"], container["securityContext"]
    assert pod["runAsNonRoot"] is True
    assert str(pod["runAsUser"]) == UID
    assert pod["seccompProfile"] == {"type": "RuntimeDefault"}
    assert own["allowPrivilegeEscalation"] is False
    assert own["readOnlyRootFilesystem"] is True
    assert own["capabilities"] == {"drop": ["ALL"]}


def test_the_parts_of_the_manifests_know_each_other() -> None:
    (container,) = POD["containers"]
    by_kind = {one["kind"]: one for one in MANIFESTS}
    ports = {port["name"] for port in container["ports"]}
    assert {port["targetPort"] for port in by_kind["Service"]["spec"]["ports"]} == ports
    labels = SET["spec"]["template"]["metadata"]["labels"]
    assert by_kind["Service"]["spec"]["selector"] == labels
    assert SET["spec"]["selector"]["matchLabels"] == labels
    assert SET["spec"]["replicas"] == 1, "a file has one owner"
    made = {one["name"] for one in POD["volumes"]}
    made |= {one["metadata"]["name"] for one in SET["spec"]["volumeClaimTemplates"]}
    assert {mount["name"] for mount in container["volumeMounts"]} == made
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container[probe]["httpGet"]["port"] in ports
    listed = yaml.safe_load(
        (DEPLOY / "kubernetes" / "kustomization.yaml").read_text(encoding="utf-8")
    )
    assert listed["images"][0]["newTag"] == __version__


# systemd.


def installed(unit: Path, folder: Path) -> Path:
    """A unit that runs the program of this environment."""
    program = Path(sys.executable).parent / "recollect"
    text = unit.read_text(encoding="utf-8")
    assert "/opt/recollect/bin/recollect " in text
    copy = folder / unit.name
    copy.write_text(text.replace("/opt/recollect/bin/recollect", str(program)), encoding="utf-8")
    return copy


def analyze(*words: str) -> "subprocess.CompletedProcess[str]":
    """What systemd's own checker says."""
    command = shutil.which("systemd-analyze")
    if command is None:
        pytest.skip("systemd-analyze is not installed")
    return subprocess.run(
        [command, *words], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_is_one_that_systemd_takes(unit: Path, tmp_path: Path) -> None:
    done = analyze("verify", "--man=no", str(installed(unit, tmp_path)))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_may_do_little(unit: Path) -> None:
    """At most 2.5 of 10, as systemd counts the ways out."""
    done = analyze("security", "--offline=true", "--threshold=25", "--no-pager", str(unit))
    assert done.returncode == 0, done.stdout[-300:]


def test_the_server_tells_systemd_when_it_is_ready() -> None:
    text = (DEPLOY / "systemd" / "recollect.service").read_text(encoding="utf-8")
    assert "\nType=notify\n" in text
    stop = int(re.search(r"TimeoutStopSec=(\d+)", text)[1])  # type: ignore[index]
    assert stop > 2 * Settings.model_fields["stop_grace_s"].default, "requests, then jobs"


# Proxies.


def test_proxies_take_what_the_server_takes_and_keep_metrics_in() -> None:
    nginx = (DEPLOY / "proxy" / "nginx.conf").read_text(encoding="utf-8")
    caddy = (DEPLOY / "proxy" / "Caddyfile").read_text(encoding="utf-8")
    assert BODY_BYTES_MAX == 16 * 1024 * 1024
    assert "client_max_body_size 16m;" in nginx
    assert "max_size 16MiB" in caddy
    for path in ("/metrics", "/api/v2/metrics"):
        assert f"location = {path} {{ return 404; }}" in nginx
        assert f" {path}" in caddy
