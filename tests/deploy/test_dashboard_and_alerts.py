"""The dashboard and the alert rules name metrics that /metrics really has, with labels they really have."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from tests.support.asgi import program

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana" / "recollect.json").read_text(encoding="utf-8"))
(GROUP,) = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))[
    "groups"
]
RULES: list[dict[str, Any]] = GROUP["rules"]
PARTS = {"histogram": ("_bucket", "_count", "_sum"), "summary": ("_count", "_sum")}
GIVEN = {"instance", "job", "le"}  # by whoever scrapes, or by buckets
METRIC = re.compile(r"\b(?:recollect|process)_[a-z_]+\b")
USED = re.compile(r"((?:recollect|process)_[a-z_]+)(?:\{([^}]*)\})?")
SCRAPED = {"up"}  # Prometheus makes it
SECONDS = re.compile(r"\d+[smh]")


def expressions() -> Iterator[tuple[str, str]]:
    """Every expression there is, by where it stands."""
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield f"panel {panel['title']}", target["expr"]
    for rule in RULES:
        yield f"alert {rule['alert']}", rule["expr"]


EXPRESSIONS = list(expressions())


def labels_of(name: str) -> set[str]:
    """The labels that a metric of ours is counted by."""
    for collector, names in REGISTRY._collector_to_names.items():
        if name in names:
            return set(getattr(collector, "_labelnames", ()))
    raise AssertionError(name)


async def told(folder: Path) -> set[str]:
    """The names of all samples that the page has, or will have once something is counted."""
    async with program(folder) as running:
        text = (await running.send("GET", "/metrics", anonymous=True)).body.decode()
    names = set()
    for family in text_string_to_metric_families(text):
        # The parser takes the end of a counter's name off.
        own = f"{family.name}_total" if family.type == "counter" else family.name
        names |= {own} | {f"{own}{part}" for part in PARTS.get(family.type, ())}
    return names


async def test_every_metric_is_one_that_is_told(tmp_path: Path) -> None:
    there = await told(tmp_path / "data")
    for place, expression in EXPRESSIONS:
        named = set(METRIC.findall(expression))
        assert named or any(word in expression for word in SCRAPED), place
        assert named <= there, f"{place}: {named - there}"


@pytest.mark.parametrize(
    ("place", "expression"), EXPRESSIONS, ids=[place for place, _ in EXPRESSIONS]
)
def test_every_label_is_one_of_its_metric(place: str, expression: str) -> None:
    assert expression.count("(") == expression.count(")")
    grouped = {
        label.strip()
        for labels in re.findall(r"by \(([^)]*)\)", expression)
        for label in labels.split(",")
    }
    allowed = set(GIVEN)
    for name, chosen in USED.findall(expression):
        own = labels_of(name) if name.startswith("recollect_") else set()
        allowed |= own
        used = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", chosen))
        assert used <= own | GIVEN, f"{place}: {used - own - GIVEN}"
    assert grouped <= allowed, f"{place}: {grouped - allowed}"


def test_every_alert_says_how_bad_it_is_and_what_to_do() -> None:
    names = [rule["alert"] for rule in RULES]
    assert len(names) == len(set(names))
    for rule in RULES:
        assert rule["labels"]["severity"] in {"warning", "critical"}
        assert SECONDS.fullmatch(rule["for"])
        assert rule["annotations"].keys() == {"summary", "description"}


def test_every_alert_is_explained_to_the_operator() -> None:
    page = (DEPLOY.parent / "docs" / "operating" / "watching.md").read_text(encoding="utf-8")
    assert {rule["alert"] for rule in RULES} == set(re.findall(r"`(Recollect[A-Z]\w+)`", page))


def test_the_panels_stand_side_by_side() -> None:
    """Each with an id of its own, none over another, none wider than the page."""
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
        assert {target["datasource"]["uid"] for target in panel["targets"]} == {"${datasource}"}
