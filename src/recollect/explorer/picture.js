// A small graph as a picture of links, laid out at once; the page works without looking at it.

import { h, svg } from "./dom.js";
import { settle } from "./layout.js";
import { to } from "./place.js";

const WIDTH = 420;
const HEIGHT = 340;

export function picture(owner, { nodes, edges }, center) {
  const places = new Map(nodes.map((node, number) => [node.uuid, number]));
  const pairs = edges.map((edge) => [places.get(edge.source_node_uuid), places.get(edge.target_node_uuid)]).filter(([a, b]) => a !== b);
  const at = fitted(settle(nodes.length, pairs, 300));
  const lines = pairs.map(([a, b], number) => svg("line", { x1: at[a][0], y1: at[a][1], x2: at[b][0], y2: at[b][1], class: "edge" },
    svg("title", null, edges[number].fact)));
  const dots = nodes.map((node, number) => svg("a", { href: to(owner, ["entity", node.uuid]), "aria-label": node.name, class: node.uuid === center ? "node center" : "node" },
    svg("circle", { cx: at[number][0], cy: at[number][1], r: node.uuid === center ? 8 : 5.5 }),
    svg("text", { x: at[number][0], y: at[number][1] - 10, "text-anchor": "middle" }, short(node.name)),
    svg("title", null, node.name)));
  return h("figure", null, svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "picture", role: "group", "aria-label": "Neighbours" }, lines, dots));
}

const short = (name) => (name.length > 18 ? `${name.slice(0, 17)}…` : name);

// Into the frame, with room for names at the edges.
function fitted(positions) {
  const xs = positions.map(([x]) => x);
  const ys = positions.map(([, y]) => y);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const scale = Math.min((WIDTH - 110) / Math.max(1, Math.max(...xs) - left), (HEIGHT - 60) / Math.max(1, Math.max(...ys) - top));
  const [w, t] = [(Math.max(...xs) - left) * scale, (Math.max(...ys) - top) * scale];
  return positions.map(([x, y]) => [(WIDTH - w) / 2 + (x - left) * scale, (HEIGHT - t) / 2 + 8 + (y - top) * scale]);
}
