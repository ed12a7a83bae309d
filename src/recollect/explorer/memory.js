// One memory, of a user or a graph: its facts, entities, conversations and episodes.

import { part, read } from "./api.js";
import { h } from "./dom.js";
import { empty, entityLink, factRow, growing, head, searchBox, table, tag } from "./parts.js";
import { ending, to } from "./place.js";
import { ago, minute, moment, stands, time } from "./when.js";

const SIZE = 50;

async function about(owner) {
  if (owner.kind === "g") {
    const graph = await read(`/api/v2/graph/${part(owner.id)}`);
    return { name: graph.name || graph.graph_id, kicker: "Graph", lead: graph.description };
  }
  const user = await read(`/api/v2/users/${part(owner.id)}`);
  return { name: [user.first_name, user.last_name].filter(Boolean).join(" ") || user.user_id, kicker: "User", user };
}

async function summary(owner) {
  if (owner.kind !== "u") return null;
  // A key may see facts and not the user: whether it does is asked in a way that is no error.
  const seen = await read(`/api/v2/graph/node/${ending(owner)}`, { body: { limit: 1, filters: { node_labels: ["User"] } } });
  if (!seen.length) return null;
  const { node } = await read(`/api/v2/users/${part(owner.id)}/node`);
  return h("p", { class: "summary" }, node.summary || "Nothing is known yet.", " ", entityLink(owner, node.uuid, "Open as an entity"));
}

// The facts of a memory, newest first, as of both clocks.
export async function facts({ owner, at, known }) {
  const { name, kicker, lead } = await about(owner);
  const load = (cursor) => read(`/api/v2/graph/edge/${ending(owner)}`, { body: {
    limit: SIZE, order_by: "uuid", direction: "desc", cursor, valid_at: moment(at), known_at: moment(known) } });
  const unheard = known && "“Known at” asks what had been told to this memory by then, whenever it was true. For what was true then, set “True at” alone.";
  const nothing = at || known ? empty("Nothing stood at that time.", unheard) : empty("No facts yet.", "They come with the first messages.");
  return h("div", null,
    head(name, { kicker, lead, actions: searchBox("Search this memory", "", (q) => { location.hash = to(owner, ["search"], { q }); }) }),
    at || known ? null : await summary(owner),
    h("h2", null, at || known ? "Facts that stood then" : "Facts, newest first"),
    await growing(load, (fact) => factRow(owner, fact, ends(owner, fact)), nothing));
}

// A key that sees only a part is not told the names at both ends of a fact; the sentence has them.
function ends(owner, fact) {
  if (!fact.source_node_name && !fact.target_node_name) return null;
  return h("span", null, entityLink(owner, fact.source_node_uuid, fact.source_node_name), " → ",
    entityLink(owner, fact.target_node_uuid, fact.target_node_name));
}

export async function entities({ owner }) {
  const { name } = await about(owner);
  const load = (cursor) => read(`/api/v2/graph/node/${ending(owner)}`, { body: {
    limit: SIZE, order_by: "degree", direction: "desc", cursor } });
  const show = (node) => h("article", { class: "fact-row" },
    h("p", { class: "sentence" }, entityLink(owner, node.uuid, node.name), " ", node.labels.filter((label) => label !== "Entity").map((label) => tag(label))),
    h("p", { class: "meta" }, node.degree === 1 ? "1 fact" : `${node.degree ?? 0} facts`, h("span", { class: "clip" }, node.summary)));
  return h("div", null, head("Entities", { kicker: name, lead: "Those that most facts are about come first." }),
    await growing(load, show, empty("No entities yet.")));
}

export async function conversations({ owner }) {
  const { name } = await about(owner);
  const threads = await read(`/api/v2/users/${part(owner.id)}/threads`);
  const rows = threads.map((thread) => [h("a", { href: to(owner, ["thread", thread.thread_id]) }, thread.thread_id),
    time(thread.created_at), ago(thread.updated_at)]);
  return h("div", null, head("Conversations", { kicker: name }),
    rows.length ? table(["Thread", "Since", "Last change"], rows, { caption: "Conversations" }) : empty("No conversations yet."));
}

export async function episodes({ owner, known }) {
  const { name } = await about(owner);
  const load = (cursor) => read(`/api/v2/graph/episodes/${ending(owner)}`, { body: { limit: SIZE, order_by: "created_at", direction: "desc", cursor } });
  const heard = (episode) => !known || stands({ created_at: episode.created_at }, { known });
  return h("div", null, head("Episodes", { kicker: name, lead: "Everything that was told, as it came." }),
    await growing(load, (episode) => heard(episode) && episodeRow(owner, episode), empty("No episodes yet.")));
}

function episodeRow(owner, episode) {
  return h("article", { class: "fact-row" },
    h("p", { class: "said" }, episode.content.slice(0, 600), episode.content.length > 600 ? "…" : ""),
    h("p", { class: "meta" }, tag(episode.source), episode.role && h("span", null, episode.role), h("span", null, minute(episode.created_at)),
      episode.thread_id && h("a", { href: to(owner, ["thread", episode.thread_id]) }, episode.thread_id),
      episode.error ? tag("failed", "bad") : episode.processed ? null : tag("waiting", "warn")));
}
