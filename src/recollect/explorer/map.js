// A graph as a whole, up to 2,000 nodes: zoom, drag, and narrow by label, relation and time.

import { read } from "./api.js";
import { h, replace } from "./dom.js";
import { button, empty, head } from "./parts.js";
import { named, requery, to } from "./place.js";
import { Canvas } from "./canvas.js";
import { moment } from "./when.js";

const NODES = 2000;
const EDGES = 6000;

export async function map({ owner, query, at, known, again, leaving }) {
  const [label, relation] = [query.get("label") || "", query.get("relation") || ""];
  const found = await read("/api/v1/graph/map", { body: {
    ...named(owner), max_nodes: NODES, max_edges: EDGES, valid_at: moment(at), known_at: moment(known),
    node_labels: label ? [label] : [], search_filters: relation ? { edge_types: [relation] } : null } });
  const labels = [...new Set([label, ...found.nodes.flatMap((node) => node.labels)])].filter(Boolean).sort();
  const relations = [...new Set([relation, ...found.relations.map((one) => one.name)])].filter(Boolean);
  const choose = (name, text, options, chosen) => h("div", null, h("label", { for: `map-${name}` }, text),
    h("select", { id: `map-${name}`, onchange: (event) => { requery({ [name]: event.target.value }); again(); } },
      h("option", { value: "" }, "all"), options.map((one) => h("option", { value: one, selected: one === chosen }, one))));
  const frame = h("div", { class: "map-frame" });
  const note = h("p", { class: "map-note", role: "status" });
  const page = h("div", null,
    head("Graph", { kicker: owner.id, lead: told(found) }),
    h("div", { class: "filters" }, choose("label", "Label", labels, label), choose("relation", "Relation", relations, relation), finder()),
    found.nodes.length ? frame : empty("Nothing to draw.", at || known ? "No fact stood at that time." : "No two entities are joined by a fact yet."));
  if (!found.nodes.length) return page;

  const canvas = new Canvas(found, {
    opened: (node) => { location.hash = to(owner, ["entity", node.uuid]); },
    pointed: (node) => { note.textContent = node ? `${node.name} · ${node.degree} facts` : "Drag to move, scroll to zoom, click to open. Arrow keys, + and − work as well."; },
  });
  leaving(() => canvas.close());
  replace(frame, canvas.element, note, h("div", { class: "map-tools" },
    ...[["+", "Zoom in", () => canvas.zoom(1.4)], ["−", "Zoom out", () => canvas.zoom(1 / 1.4)], ["⤢", "Show all", () => canvas.fit()]].map(([sign, text, task]) => {
      const made = button(sign, task);
      made.setAttribute("aria-label", text);
      return made;
    })));
  canvas.start(frame);
  return page;

  function finder() {
    const input = h("input", { id: "map-find", list: "map-names", placeholder: "Name", "data-search": true, autocomplete: "off" });
    const go = () => { const node = found.nodes.find((one) => one.name.toLowerCase() === input.value.trim().toLowerCase()); if (node) canvas.show(node); };
    input.addEventListener("change", go);
    return h("div", null, h("label", { for: "map-find" }, "Find a node"), input,
      h("datalist", { id: "map-names" }, found.nodes.slice(0, 500).map((node) => h("option", { value: node.name }))));
  }
}

function told({ nodes, edges, nodes_total, edges_total, truncated }) {
  const count = (value) => value.toLocaleString("en");
  return truncated
    ? `The ${count(nodes.length)} best-connected of ${count(nodes_total)} nodes, with ${count(edges.length)} of ${count(edges_total)} facts.`
    : `${count(nodes.length)} nodes, ${count(edges.length)} facts.`;
}
