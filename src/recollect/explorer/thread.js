// A thread: what was said, and beside each message what it taught.

import { each, part, read } from "./api.js";
import { append, h, replace } from "./dom.js";
import { doing, empty, entityLink, factRow, head, tag } from "./parts.js";
import { to } from "./place.js";
import { minute, moment, stands } from "./when.js";

const SIZE = 20;

export async function thread({ owner, parts, query, at, known }) {
  const id = parts[1];
  const list = h("ol", { class: "messages" });
  const more = h("div", { class: "more" });
  const grow = async (cursor) => {
    const found = await read(`/api/v2/threads/${part(id)}/messages`, { query: { limit: SIZE, cursor: cursor || null } });
    const heard = found.messages.filter((one) => !known || Date.parse(one.created_at) <= Date.parse(moment(known)));
    const rows = heard.map((one) => message(owner, one, query.get("m")));
    append(list, rows.map((row) => row.element));
    const next = cursor + found.messages.length;
    replace(more, next < found.total_count && found.messages.length > 0 && doing("Load more", () => grow(next)));
    await each(rows, (row) => row.learn({ at, known }), 4);
    return found;
  };
  const waiting = grow(0);
  const first = await read(`/api/v2/threads/${part(id)}/messages`, { query: { limit: SIZE, cursor: null } });
  waiting.catch(() => {});
  return h("div", null,
    head(id, { kicker: "Thread", lead: `${first.total_count} messages`, actions: h("a", { class: "button", href: to(owner, ["context"], { thread: id }) }, "What an agent is told") }),
    first.total_count ? null : empty("Nothing was said yet."), list, more);
}

function message(owner, one, wanted) {
  const taught = h("div", { class: "taught" }, h("p", { class: "quiet small" }, "…"));
  const element = h("li", { id: `m-${one.uuid}`, class: one.uuid === wanted ? "message wanted" : "message" },
    h("div", { class: `bubble ${one.role}` },
      h("p", { class: "meta" }, h("strong", null, one.name || one.role), h("span", null, minute(one.created_at)), one.processed === false && tag("waiting", "warn")),
      h("p", { class: "said" }, one.content)), taught);
  return {
    element,
    async learn(place) {
      try {
        const { edges } = await read(`/api/v2/graph/episodes/${part(one.uuid)}/mentions`);
        const own = edges.filter((fact) => fact.episodes[0] === one.uuid);
        const others = edges.filter((fact) => fact.episodes[0] !== one.uuid);
        const some = (facts, text) => facts.length > 0 && [h("p", { class: "small quiet" }, text), facts.map((fact) => factRow(owner, fact))];
        replace(taught, edges.length
          ? [some(own, own.length === 1 ? "taught one fact" : `taught ${own.length} facts`), some(others, "bears on what was known before")]
          : h("p", { class: "quiet small" }, one.processed === false ? "Not read yet." : "Taught nothing new."));
      } catch (error) {
        replace(taught, h("p", { class: "quiet small" }, error.message));
      }
    },
  };
}
