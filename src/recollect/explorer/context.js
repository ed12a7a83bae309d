// What an agent is told: the exact text, and what was left out of it and why.

import { part, read } from "./api.js";
import { h, replace } from "./dom.js";
import { card, copyable, empty, failure, head, tag } from "./parts.js";
import { named, requery, to } from "./place.js";
import { moment } from "./when.js";

const PAGES = { FACTS: "fact", ENTITIES: "entity" };

export async function context({ owner, query, at, known }) {
  return owner.kind === "u" ? ofThread({ owner, query, at, known }) : ofQuestion({ owner, query, at, known });
}

const asOf = (at, known) => (at || known) && h("p", { class: "notice" }, "An agent is always told what holds now; the two clocks do not change this page.");

async function ofThread({ owner, query, at, known }) {
  const threads = await read(`/api/v2/users/${part(owner.id)}/threads`);
  const wanted = query.get("thread");
  const box = h("div");
  const choice = h("select", { id: "thread" }, threads.map((one) => h("option", { value: one.thread_id, selected: one.thread_id === wanted }, one.thread_id)));
  const room = h("input", { id: "room", type: "number", min: 1, max: 50000, placeholder: "as usual", value: query.get("room") || "" });
  const show = async () => {
    requery({ thread: choice.value, room: room.value });
    try {
      const told = await read(`/api/v1/threads/${part(choice.value)}/context`, { query: { max_characters: room.value } });
      replace(box, shown(owner, told.context, told.left_out, told.asked));
    } catch (error) {
      replace(box, failure(error, show));
    }
  };
  if (threads.length) await show();
  return h("div", null, head("Context", { kicker: owner.id, lead: "The exact text that an agent gets before its next turn." }), asOf(at, known),
    threads.length ? h("form", { class: "filters", onsubmit: (event) => { event.preventDefault(); show(); } },
      h("div", null, h("label", { for: "thread" }, "Thread"), choice), h("div", null, h("label", { for: "room" }, "Characters at most"), room),
      h("button", { type: "submit", class: "primary" }, "Show")) : empty("No conversations yet.", "A context belongs to a thread."), box);
}

// A graph has no threads: the text for a question instead.
async function ofQuestion({ owner, query, at, known }) {
  const question = h("input", { id: "question", type: "search", value: query.get("q") || "", "data-search": true });
  const box = h("div");
  const show = async () => {
    requery({ q: question.value.trim() });
    if (!question.value.trim()) return replace(box, empty("Ask something, as an agent would."));
    try {
      const told = await read("/api/v2/graph/search", { body: { query: question.value.trim(), ...named(owner), scope: "auto", valid_at: moment(at), known_at: moment(known) } });
      replace(box, shown(owner, told.context || "", null));
    } catch (error) {
      replace(box, failure(error, show));
    }
  };
  await show();
  return h("div", null, head("Context", { kicker: owner.id, lead: "What a search over everything tells an agent." }),
    h("form", { class: "filters", onsubmit: (event) => { event.preventDefault(); show(); } },
      h("div", { class: "grow" }, h("label", { for: "question" }, "Question"), question), h("button", { type: "submit", class: "primary" }, "Show")), box);
}

const plain = (line) => line.replace(/^\s*- /, "") || "…";

function shown(owner, text, left, asked) {
  const whole = h("section", { class: "card" },
    h("div", { class: "card-head" }, h("h2", null, `${text.length.toLocaleString("en")} characters`), copyable(text)),
    asked && h("p", { class: "quiet small" }, "Looked up with: ", h("q", null, asked.slice(0, 300))),
    text ? h("pre", { class: "prompt", tabindex: "0", "aria-label": "Context" }, text) : empty("Nothing is told."));
  if (!left) return whole;
  return h("div", { class: "columns wide-left" }, whole, card(`Left out (${left.length})`,
    left.length ? left.slice(0, 100).map((one) => h("div", { class: "reason" },
      h("p", { class: "sentence" }, PAGES[one.section] ? h("a", { href: to(owner, [PAGES[one.section], one.uuid]) }, plain(one.line)) : plain(one.line)),
      h("p", { class: "meta" }, tag(one.section.toLowerCase().replace("_", " ")), tag(one.why, "warn")))) : empty("Everything that was found is told.")));
}
