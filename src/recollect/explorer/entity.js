// An entity: what is known of it, since when and until when, and who is around it.

import { each, part, read } from "./api.js";
import { append, h, replace } from "./dom.js";
import { card, empty, entityLink, factRow, failure, head, json, tag } from "./parts.js";
import { named, to } from "./place.js";
import { picture } from "./picture.js";
import { timeline } from "./timeline.js";
import { moment, stands, time } from "./when.js";

const FIRST = 60;
const NEAR_NODES = 40;

export async function entity({ owner, parts, at, known }) {
  const uuid = parts[1];
  const [node, facts] = await Promise.all([
    read(`/api/v2/graph/node/${part(uuid)}`), read(`/api/v2/graph/node/${part(uuid)}/entity-edges`)]);
  const place = { at, known };
  const heard = facts.filter((fact) => !known || Date.parse(fact.created_at) <= Date.parse(moment(known)));
  const standing = facts.filter((fact) => stands(fact, place));
  const labels = node.labels.filter((label) => label !== "Entity");
  return h("div", null,
    head(node.name, { kicker: ["Entity ", labels.map((label) => tag(label))],
      actions: h("a", { class: "button", href: to(owner, ["conflicts"], { merge: uuid }) }, "Same as another…") }),
    at || known
      ? h("p", { class: "summary" }, standing.length ? `${standing.length} of ${facts.length} facts stood then.` : "Nothing was known of it then.")
      : h("p", { class: "summary" }, node.summary || "No summary yet."),
    h("div", { class: "columns wide-left" },
      card("Timeline", heard.length ? await lines(owner, heard, place) : empty("No facts."),
        facts.cut && h("p", { class: "quiet" }, "Only the newest 1,000 facts are shown.")),
      h("div", null, around(owner, uuid, place), details(node), episodes(owner, uuid, known))));
}

async function lines(owner, facts, place) {
  const box = h("div");
  const show = (count) => {
    const shown = facts.slice(0, count);
    const made = timeline(owner, shown, place);
    replace(box, made.element, facts.length > count &&
      h("button", { type: "button", onclick: () => show(count * 3) }, `Show more of ${facts.length}`));
    // What closed each is asked for once the bars are there.
    each(shown.filter((fact) => fact.invalid_at), async (fact) => {
      const { endings } = await read(`/api/v1/facts/${part(fact.uuid)}`);
      made.closedBy(fact, endings[0]);
    }, 4).catch(() => {});
  };
  show(FIRST);
  return box;
}

// Who is one or two steps away, along facts that stand at the chosen time.
function around(owner, uuid, place) {
  const box = h("div", { class: "picture-frame" });
  const load = async (depth) => {
    try {
      const found = await read("/api/v2/graph/subgraph", { body: {
        seed_node_uuids: [uuid], ...named(owner), depth, max_nodes: NEAR_NODES, max_edges: 3 * NEAR_NODES,
        valid_at: moment(place.at), known_at: moment(place.known) } });
      replace(box, found.nodes.length > 1 ? picture(owner, found, uuid) : empty("No neighbours then."),
        found.truncated && h("p", { class: "quiet small" }, "Only the nearest are shown."));
    } catch (error) {
      replace(box, failure(error, () => load(depth)));
    }
  };
  const choice = (depth, text) => {
    const id = `steps-${depth}`;
    return [h("input", { type: "radio", name: "steps", id, checked: depth === 1, onchange: () => load(depth) }), h("label", { for: id }, text)];
  };
  load(1);
  return card("Neighbours", h("fieldset", { class: "segments" }, h("legend", { class: "hidden" }, "How far"), choice(1, "1 step"), choice(2, "2 steps")), box);
}

function details(node) {
  return card("Details", h("dl", { class: "pairs" },
    h("dt", null, "Known since"), h("dd", null, time(node.created_at)),
    h("dt", null, "Attributes"), h("dd", null, json(node.attributes)),
    h("dt", null, "Metadata"), h("dd", null, json(node.metadata)),
    h("dt", null, "Id"), h("dd", null, h("code", { class: "wrap" }, node.uuid))));
}

function episodes(owner, uuid, known) {
  const box = h("div");
  const open = async () => {
    try {
      const { episodes: said } = await read(`/api/v2/graph/node/${part(uuid)}/episodes`);
      const heard = said.filter((one) => !known || Date.parse(one.created_at) <= Date.parse(moment(known)));
      replace(box, heard.slice(0, 50).map((one) => h("blockquote", null, h("p", null, one.content.slice(0, 400)),
        h("footer", null, time(one.created_at), one.thread_id && [" · ", h("a", { href: to(owner, ["thread", one.thread_id]) }, one.thread_id)]))));
    } catch (error) {
      replace(box, failure(error, open));
    }
  };
  return h("details", { class: "card", ontoggle: (event) => { if (event.target.open && !box.childNodes.length) open(); } },
    h("summary", null, "Where it is mentioned"), box);
}
