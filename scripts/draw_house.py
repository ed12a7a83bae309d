"""Draw the house: `docs/architecture.svg`, the packages in their layers and what imports what.

Layers come from the contract in `pyproject.toml`, imports from the code; nothing is drawn by hand.

    python scripts/draw_house.py
"""

import tomllib
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import grimp

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "architecture.svg"
PACKAGE = "recollect"

_ROW, _BOX, _GAP, _LEFT, _TOP = 58, 30, 14, 96, 64
_BREADTH = 620  # at least
_CHAR = 7.4  # of the box's text, which is monospaced
_STYLE = """
  .ground { fill: #ffffff } .row { fill: #f3f5f8 } .box { fill: #ffffff; stroke: #53657d }
  text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1c2733 }
  .small { font-size: 10px; fill: #5b6b7d } .arrow { fill: none; stroke: #2b6cb0 }
  .head { fill: #2b6cb0 } g.part:hover .box { stroke-width: 2.5 }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #12171d } .row { fill: #1a212a } .box { fill: #222c37; stroke: #8fa3ba }
    text { fill: #e3e9f0 } .small { fill: #93a2b3 }
    .arrow { stroke: #6cb2f5 } .head { fill: #6cb2f5 }
  }
"""


class Box(NamedTuple):
    """A part of the package, where it stands."""

    name: str
    layer: int
    x: float
    y: float
    width: float

    @property
    def middle(self) -> float:
        """Where arrows leave and arrive."""
        return self.x + self.width / 2


def layers() -> list[list[str]]:
    """The parts from the top to the bottom, as the import contract has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in project["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers" and PACKAGE in contract.get("containers", [PACKAGE]):
            rows = [row.replace(":", "|").split("|") for row in contract["layers"]]
            return [[part.strip(" ()") for part in row] for row in rows]
    raise SystemExit("pyproject.toml has no contract with layers")


def imports() -> tuple[set[str], Counter[tuple[str, str]]]:
    """The parts that there are, and how many imports go from one to another."""
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    parts: set[str] = set()
    links: Counter[tuple[str, str]] = Counter()
    for module in graph.modules:
        if part := _part(module):
            parts.add(part)
        for other in graph.find_modules_directly_imported_by(module):
            if (target := _part(other)) and part and target != part:
                links[part, target] += 1
    return parts, links


def _part(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def place(rows: list[list[str]], parts: set[str]) -> dict[str, Box]:
    """A box for each part that there is, each layer on a row of its own."""
    rows = [found for row in rows if (found := [part for part in row if part in parts])]
    widths = {part: len(part) * _CHAR + 20 for row in rows for part in row}
    broadest = max(_BREADTH, *(sum(widths[part] + _GAP for part in row) for row in rows))
    boxes = {}
    for layer, row in enumerate(rows):
        # Rows lean left and right in turn, so that arrows do not all run through the middle.
        free = broadest - sum(widths[part] + _GAP for part in row)
        x = _LEFT + free * (0.15, 0.5, 0.85, 0.5)[layer % 4]
        for part in row:
            y = _TOP + layer * _ROW
            boxes[part] = Box(part, layer, x, y, widths[part])
            x += widths[part] + _GAP
    return boxes


def direct(links: Counter[tuple[str, str]]) -> dict[tuple[str, str], int]:
    """The imports that no way round says already: of a to c not, where a to b and b to c are."""
    below: dict[str, set[str]] = {}
    for source, target in links:
        below.setdefault(source, set()).add(target)

    def reach(part: str, seen: set[str]) -> set[str]:
        for target in below.get(part, set()) - seen:
            seen.add(target)
            reach(target, seen)
        return seen

    return {
        (source, target): count
        for (source, target), count in links.items()
        if not any(target in reach(other, set()) for other in below[source] - {target})
    }


def draw() -> str:
    """The whole picture."""
    there, links = imports()
    boxes = place(layers(), there)
    rows = 1 + max(box.layer for box in boxes.values())
    width = max(box.x + box.width for box in boxes.values()) + 40
    height = _TOP + rows * _ROW + 8
    known = {pair: n for pair, n in links.items() if pair[0] in boxes and pair[1] in boxes}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}" role="img">',
        "<title>The packages of recollect in their layers, and what imports what</title>",
        f"<style>{_STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerUnits="userSpaceOnUse" markerWidth="9"'
        ' markerHeight="9" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>',
        f'<rect class="ground" width="{width:.0f}" height="{height:.0f}"/>',
        '<text x="16" y="24">recollect: every import goes downwards</text>',
        '<text class="small" x="16" y="42">An arrow is left out where a longer way says the same.</text>',
        *(
            f'<rect class="row" x="8" y="{_TOP + row * _ROW - 8}" width="{width - 16:.0f}"'
            f' height="{_BOX + 16}" rx="6"/>'
            f'<text class="small" x="18" y="{_TOP + row * _ROW + 19}">layer {rows - row}</text>'
            for row in range(rows)
        ),
        *(
            _arrow(boxes[a], boxes[b], count)
            for (a, b), count in sorted(direct(Counter(known)).items())
        ),
        *(_box(box, known) for box in boxes.values()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _arrow(source: Box, target: Box, count: int) -> str:
    """A bow from the bottom of one box to the top of another, stronger for many imports."""
    x, y, to, end = source.middle, source.y + _BOX, target.middle, target.y
    bend = (end - y) * 0.45
    strength = 1 + (count > 5) + (count > 30)  # in steps: not every import redraws the picture
    return (
        f'<path class="arrow" d="M{x:.0f} {y:.0f}C{x:.0f} {y + bend:.0f} {to:.0f} {end - bend:.0f}'
        f' {to:.0f} {end:.0f}" stroke-width="{strength}" marker-end="url(#head)"/>'
    )


def _box(box: Box, links: dict[tuple[str, str], int]) -> str:
    """A part; who points at it reads everything that it imports."""
    below = sorted(target for source, target in links if source == box.name)
    return (
        f'<g class="part"><title>{box.name} imports {", ".join(below) or "nothing"}</title>'
        f'<rect class="box" x="{box.x:.0f}" y="{box.y:.0f}" width="{box.width:.0f}"'
        f' height="{_BOX}" rx="5"/><text x="{box.x + 10:.0f}" y="{box.y + 19:.0f}">{box.name}</text></g>'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
