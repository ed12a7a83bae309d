// What happened last: for administrators the audit log, for everybody the latest conversations.

import { read } from "./api.js";
import { h } from "./dom.js";
import { card, doing, empty, head, table, tag } from "./parts.js";
import { to } from "./place.js";
import { ago, minute } from "./when.js";

export async function activity({ query }) {
  const cursor = query.get("cursor");
  const [threads, log] = await Promise.all([
    read("/api/v2/threads", { query: { page_number: 1, page_size: 10, order_by: "updated_at" } }).catch(() => ({ threads: [] })),
    audit(cursor)]);
  return h("div", null, head("Activity", { lead: "The latest conversations, and what was done to the memory." }),
    card("Latest conversations", threads.threads.length
      ? table(["Thread", "User", "Last change"], threads.threads.map((one) => {
        const owner = { kind: "u", id: one.user_id };
        return [h("a", { href: to(owner, ["thread", one.thread_id]) }, one.thread_id), h("a", { href: to(owner) }, one.user_id), ago(one.updated_at)];
      }), { caption: "Latest conversations" })
      : empty("No conversations yet.")),
    card("Audit log", log.closed ? empty("The audit log is for admin keys.", "Sign in with an admin key to see who did what.")
      : log.entries.length ? [table(["When", "What", "On", "By", "Outcome"], log.entries.map(entry), { caption: "Audit log" }),
        log.next_cursor && h("p", { class: "more" }, h("a", { href: `#/activity?cursor=${log.next_cursor}` }, "Older →"))]
        : empty("Nothing was done yet.")));
}

async function audit(cursor) {
  const own = await read("/api/v1/key");
  return own.is_admin ? read("/api/v1/audit", { query: { limit: 50, cursor } }) : { entries: [], closed: true };
}

function entry(one) {
  return [h("span", { title: one.at, class: "nowrap" }, minute(one.at)), h("code", null, one.action), one.erased ? h("span", { class: "quiet" }, "erased since") : h("span", { class: "wrap" }, one.target || ""),
    h("span", { class: "nowrap quiet", title: one.actor }, one.actor.length > 20 ? `key …${one.actor.slice(-6)}` : one.actor), tag(one.outcome, one.outcome === "done" ? "good" : "warn")];
}
