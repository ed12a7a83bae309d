// Facts that may contradict each other and were not closed, and entities that are one: someone decides.

import { part, read, write } from "./api.js";
import { h, toast } from "./dom.js";
import { merges } from "./merges.js";
import { bar, button, doing, empty, factLink, head } from "./parts.js";
import { stands, span, time } from "./when.js";
import { judge } from "./timeline.js";

export async function conflicts({ owner, at, known, query, again }) {
  const found = await read(`/api/v1/${owner.kind === "u" ? "users" : "graphs"}/${part(owner.id)}/doubts`, { query: { limit: 100 } });
  const place = { at, known };
  const shown = found.doubts.filter((one) => stands(one.fact, place) || !(at || known));
  return h("div", null,
    head("Conflicts", { kicker: owner.id, lead: "A newer fact may have ended an older one, and the judge was not sure enough to do it." }),
    shown.length ? shown.map((one) => conflict(owner, one, again)) : empty("No open conflicts.", "What the judge is sure of is closed already, and shown on each fact."),
    found.truncated && h("p", { class: "quiet" }, "There are more; the surest come first."),
    await merges(owner, query.get("merge"), again));
}

function conflict(owner, { fact, doubt }, again) {
  const newer = doubt.by_fact;
  const undo = (text, changed) => toast(text, button("Undo", async () => {
    try { await write("POST", `/api/v1/facts/${part(changed.uuid)}/undo`, {}); toast("Taken back."); } catch (error) { toast(error.message); }
    again();
  }));
  const close = async (moment) => {
    await write("PATCH", `/api/v2/graph/edge/${part(fact.uuid)}`, { body: { invalid_at: moment } });
    again();
  };
  const ends = newer.valid_at || newer.created_at;
  return h("section", { class: "card" },
    h("div", { class: "conflict" },
      side(owner, "Held so far", fact),
      h("div", { class: "versus" }, h("p", null, "may be over"), bar(doubt.sure), h("p", { class: "small" }, judge(doubt.judge))),
      side(owner, "Newer", newer)),
    doubt.by_episode && h("blockquote", null, h("p", { class: "said" }, doubt.by_episode.content.slice(0, 400)), h("footer", null, time(doubt.by_episode.created_at))),
    h("div", { class: "actions" },
      doing("Close the older one", async () => {
        await close(ends);
        undo("The older fact is closed.", fact);
      }, "primary"),
      doing("Keep both", async () => {
        await write("POST", `/api/v1/facts/${part(fact.uuid)}/reopen`, {});
        again();
        undo("Both hold; the same words cast no doubt again.", fact);
      }),
      doing("The newer one is wrong", async () => {
        await write("PATCH", `/api/v2/graph/edge/${part(newer.uuid)}`, { body: { invalid_at: newer.valid_at || newer.created_at } });
        again();
        undo("The newer fact is closed.", newer);
      })));
}

function side(owner, title, fact) {
  return h("div", null, h("p", { class: "kicker" }, title), h("p", { class: "sentence" }, factLink(owner, fact)), h("p", { class: "meta" }, h("span", null, span(fact))));
}
