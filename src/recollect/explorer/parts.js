// Pieces that several pages are made of.

import { append, h, replace } from "./dom.js";
import { span, stands } from "./when.js";
import { here, to } from "./place.js";

export function head(title, { kicker, actions, lead } = {}) {
  return h("header", { class: "head" },
    h("div", null,
      kicker && h("p", { class: "kicker" }, kicker),
      h("h1", { tabindex: "-1" }, title),
      lead && h("p", { class: "lead" }, lead)),
    actions && h("div", { class: "actions" }, actions));
}

export function card(title, ...children) {
  return h("section", { class: "card" }, title && h("h2", null, title), children);
}

export function empty(text, hint) {
  return h("div", { class: "empty" }, h("p", null, text), hint && h("p", { class: "quiet" }, hint));
}

export function failure(error, again) {
  return h("div", { class: "failure", role: "alert" },
    h("p", null, h("strong", null, error.status ? `${error.status} ` : ""), error.message),
    again && h("button", { type: "button", onclick: again }, "Try again"));
}

export const tag = (text, kind = "") => h("span", { class: `tag ${kind}` }, text);

export function button(text, onclick, kind = "") {
  return h("button", { type: "button", class: kind, onclick }, text);
}

// A button that does something on the server: busy meanwhile, and says what went wrong.
export function doing(text, task, kind = "") {
  const made = button(text, async () => {
    made.disabled = true;
    try {
      await task();
    } catch (error) {
      made.after(h("span", { class: "inline-error", role: "alert" }, error.message));
    } finally {
      made.disabled = false;
    }
  }, kind);
  return made;
}

export function tabs(label, items) {
  return h("nav", { class: "tabs", "aria-label": label },
    items.map(([text, href, current]) => h("a", { href, "aria-current": current ? "page" : null }, text)));
}

// Rows of a table; on narrow screens each becomes a block, and cells name their column.
export function table(columns, rows, { caption } = {}) {
  const cells = (row) => row.map((cell, place) => h("td", { "data-label": columns[place] }, cell));
  return h("div", { class: "table-frame" }, h("table", null,
    caption && h("caption", { class: "hidden" }, caption),
    h("thead", null, h("tr", null, columns.map((name) => h("th", { scope: "col" }, name)))),
    h("tbody", null, rows.map((row) => h("tr", null, cells(row))))));
}

export function searchBox(label, value, found) {
  const input = h("input", { type: "search", placeholder: label, "aria-label": label, value: value || "", "data-search": true });
  return h("form", { class: "search", role: "search", onsubmit: (event) => { event.preventDefault(); found(input.value.trim()); } },
    input, h("button", { type: "submit" }, "Search"));
}

export function pager(page, size, total, link) {
  const last = Math.max(1, Math.ceil(total / size));
  if (last === 1) return h("p", { class: "pager quiet" }, `${total} in all`);
  return h("nav", { class: "pager", "aria-label": "Pages" },
    page > 1 ? h("a", { href: link(page - 1), rel: "prev" }, "← Newer") : h("span"),
    h("span", { class: "quiet" }, `Page ${page} of ${last} · ${total} in all`),
    page < last ? h("a", { href: link(page + 1), rel: "next" }, "Older →") : h("span"));
}

// A list that grows by a page at a time, for lists that have cursors.
export async function growing(load, show, nothing) {
  const list = h("div", { class: "rows" });
  const more = h("div", { class: "more" });
  const grow = async (cursor) => {
    const found = await load(cursor);
    append(list, found.map(show));
    replace(more, found.next && doing("Load more", () => grow(found.next)));
    return found.length;
  };
  return (await grow(null)) ? h("div", null, list, more) : nothing;
}

export function entityLink(owner, uuid, name) {
  return uuid ? h("a", { href: to(owner, ["entity", uuid]) }, name || "unnamed") : h("span", null, name || "");
}

export const factLink = (owner, fact) => h("a", { href: to(owner, ["fact", fact.uuid]) }, fact.fact);

export const over = (fact) => Boolean(fact.invalid_at && Date.parse(fact.invalid_at) <= Date.now());

// One fact as a line: the sentence, its relation and its time.
export function factRow(owner, fact, ...more) {
  const stood = stands(fact, here());
  return h("article", { class: `fact-row ${over(fact) ? "ended" : ""} ${stood ? "" : "outside"}` },
    h("p", { class: "sentence" }, factLink(owner, fact)),
    h("p", { class: "meta" }, tag(fact.name), h("span", null, span(fact)),
      fact.rating !== null && fact.rating !== undefined && h("span", null, `rated ${Number(fact.rating).toFixed(2)}`), more));
}

export function json(value) {
  const entries = Object.entries(value || {});
  if (!entries.length) return h("span", { class: "quiet" }, "none");
  return h("dl", { class: "pairs" }, entries.map(([name, each]) => [h("dt", null, name),
    h("dd", null, Array.isArray(each) ? each.map((one) => [tag(String(one)), " "]) : typeof each === "object" ? JSON.stringify(each) : String(each))]));
}

export function copyable(text, label = "Copy") {
  const made = button(label, async () => {
    await navigator.clipboard.writeText(text);
    made.textContent = "Copied";
    setTimeout(() => { made.textContent = label; }, 2000);
  });
  return made;
}

// A share from 0 to 1 as a small bar with its number.
export function bar(share, text) {
  return h("span", { class: "bar" }, h("span", { class: "bar-fill", style: { width: `${Math.round(100 * Math.min(1, Math.max(0, share)))}%` } }),
    h("span", { class: "bar-text" }, text ?? share.toFixed(2)));
}

export function initials(name) {
  return h("span", { class: "avatar", "aria-hidden": "true" }, (name || "?").trim().slice(0, 1).toUpperCase() || "?");
}
