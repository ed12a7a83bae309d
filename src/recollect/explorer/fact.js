// A fact: the sentence, both clocks, the words behind it, what closed it and what it closed.

import { part, read, write } from "./api.js";
import { append, dialog, h, toast } from "./dom.js";
import { bar, button, card, doing, empty, entityLink, factLink, head, json, over, tag } from "./parts.js";
import { here, named, to } from "./place.js";
import { judge } from "./timeline.js";
import { day, minute, moment, stands, time } from "./when.js";

const ROLES = { states: "says it", restates: "says it again", closes: "ended it" };

export async function fact({ owner, parts, at, known, again }) {
  const told = await read(`/api/v1/facts/${part(parts[1])}`);
  const shown = told.fact;
  const stood = stands(shown, { at, known });
  return h("div", null,
    head(shown.fact, {
      kicker: ["Fact ", tag(shown.name), " ", state(shown, told, stood, at || known)],
      actions: [button("Correct", () => correct(shown, again)),
        (shown.invalid_at || told.doubts.length > 0) && doing(shown.invalid_at ? "Reopen" : "It still holds", () => reopen(shown, again)),
        told.reopened_at && doing("Undo the reopening", () => undo(shown, again)),
        button("Forget", () => forget(owner, told), "danger")],
    }),
    h("div", { class: "columns wide-left" },
      h("div", null,
        evidence(owner, told, known),
        told.endings.length > 0 && card("What closed it", told.endings.map((one) => ending(owner, one))),
        told.closed.length > 0 && card("What it closed", told.closed.map((one) => reason(owner, one.fact, one, "Ended"))),
        told.doubts.length > 0 && card("What casts doubt on it", told.doubts.map((one) => reason(owner, one.by_fact, one, "May have ended it")))),
      h("div", null, times(owner, shown, told), card("Effective metadata", json(shown.metadata)),
        shown.attributes && card("Attributes", json(shown.attributes)))));
}

function state(shown, told, stood, asOf) {
  if (asOf) return stood ? tag("stood then", "good") : tag("not then", "warn");
  if (over(shown)) return tag("ended", "warn");
  return told.doubts.length ? tag("in doubt", "warn") : tag("holds", "good");
}

function times(owner, shown, told) {
  const row = (name, value) => [h("dt", null, name), h("dd", null, value)];
  return card("Both clocks", h("dl", { class: "pairs" },
    row("From", entityLink(owner, shown.source_node_uuid, shown.source_node_name)),
    row("To", entityLink(owner, shown.target_node_uuid, shown.target_node_name)),
    row("True from", time(shown.valid_at)),
    row("True until", time(shown.invalid_at, "open")),
    shown.event_at && row("Happens", time(shown.event_at)),
    row("Known since", h("span", null, minute(shown.created_at))),
    row("Known to be over since", shown.expired_at ? minute(shown.expired_at) : h("span", { class: "quiet" }, "not")),
    told.reopened_at && row("Reopened", minute(told.reopened_at)),
    row("Rating", shown.rating === null ? h("span", { class: "quiet" }, "none") : bar(shown.rating)),
    row("Id", h("code", { class: "wrap" }, shown.uuid))));
}

function evidence(owner, told, known) {
  const heard = told.evidence.filter((one) => !known || Date.parse(one.episode.created_at) <= Date.parse(moment(known)));
  return card("The words behind it", heard.length
    ? heard.map((one) => quote(owner, one.episode, one.span, ROLES[one.role] || one.role))
    : empty("No message behind it can be shown.", "It was written directly, comes from a record, or your key may not read it."));
}

function quote(owner, episode, marked, note) {
  const who = episode.name || episode.role || episode.kind;
  return h("blockquote", null, h("p", { class: "said" }, highlighted(episode.content, marked)),
    h("footer", null, h("strong", null, who), " · ", minute(episode.created_at), " · ", note,
      episode.thread_id && [" · ", h("a", { href: to(owner, ["thread", episode.thread_id], { m: episode.uuid }) }, episode.thread_id)]));
}

// The server counts characters, JavaScript counts halves of some of them.
export function highlighted(text, marked) {
  if (!marked) return text;
  const letters = Array.from(text);
  const [start, end] = marked;
  return [letters.slice(0, start).join(""), h("mark", null, letters.slice(start, end).join("")), letters.slice(end).join("")];
}

function sure(one) {
  return [h("span", null, "on the word of ", judge(one.judge)), one.sure !== null && one.sure !== undefined && h("span", { class: "nowrap" }, "certainty ", bar(one.sure))];
}

function ending(owner, one) {
  return h("div", { class: "reason" },
    h("p", { class: "sentence" }, one.by_fact ? factLink(owner, one.by_fact) : one.by_episode ? "What was said below" : "An end set by hand"),
    h("p", { class: "meta" }, h("span", null, "ended ", time(one.ended_at), ", learned ", time(one.expired_at)), sure(one)),
    one.by_episode && quote(owner, one.by_episode, null, "what brought it"));
}

function reason(owner, other, one, verb) {
  return h("div", { class: "reason" }, h("p", { class: "sentence" }, factLink(owner, other)),
    h("p", { class: "meta" }, h("span", null, verb, one.ended_at && [" ", time(one.ended_at)]), sure(one)),
    one.by_episode && quote(owner, one.by_episode, null, "what brought it"));
}

async function undo(shown, again) {
  await write("POST", `/api/v1/facts/${part(shown.uuid)}/undo`, {});
  again();
  toast("Taken back: what had ended it or cast doubt on it counts again.");
}

async function reopen(shown, again) {
  await write("POST", `/api/v1/facts/${part(shown.uuid)}/reopen`, {});
  toast("The fact holds again.");
  again();
}

async function correct(shown, again) {
  const sentence = h("textarea", { id: "c-fact", rows: 3, required: true }, shown.fact);
  const relation = h("input", { id: "c-name", value: shown.name });
  const from = h("input", { id: "c-from", type: "date", value: day(shown.valid_at) });
  const until = h("input", { id: "c-until", type: "date", value: day(shown.invalid_at) });
  const done = await dialog("Correct this fact", (finish) => h("form", { class: "form", onsubmit: (event) => { event.preventDefault(); finish(true); } },
    h("label", { for: "c-fact" }, "Sentence"), sentence, h("label", { for: "c-name" }, "Relation"), relation,
    h("div", { class: "pair" }, h("div", null, h("label", { for: "c-from" }, "True from"), from), h("div", null, h("label", { for: "c-until" }, "True until"), until)),
    h("div", { class: "actions" }, button("Cancel", () => finish(null)), h("button", { type: "submit", class: "primary" }, "Save"))));
  if (!done) return;
  const change = {};
  if (sentence.value.trim() !== shown.fact) change.fact = sentence.value.trim();
  if (relation.value.trim() !== shown.name) change.name = relation.value.trim();
  if (from.value !== day(shown.valid_at)) change.valid_at = from.value ? `${from.value}T00:00:00Z` : null;
  if (until.value !== day(shown.invalid_at)) change.invalid_at = until.value ? `${until.value}T00:00:00Z` : null;
  if (!Object.keys(change).length) return;
  try {
    await write("PATCH", `/api/v2/graph/edge/${part(shown.uuid)}`, { body: change });
    toast("Corrected.");
  } catch (error) {
    toast(error.message);
  }
  again();
}

// Forgetting the fact, or the message it came from, which leaves a receipt of what went with it.
async function forget(owner, told) {
  const episodes = told.evidence.map((one) => one.episode);
  const choice = await dialog("Forget", (done) => [
    h("p", null, "Nobody can take this back."),
    h("div", { class: "choices" },
      button("This fact alone", () => done({ fact: told.fact.uuid }), "danger"),
      episodes.slice(0, 5).map((one) => button(`The message “${one.content.slice(0, 60)}”, and all that rests on it alone`, () => done({ episode: one.uuid }), "danger")),
      button("Cancel", () => done(null)))]);
  if (!choice) return;
  try {
    const receipt = choice.fact
      ? await write("DELETE", `/api/v1/facts/${part(choice.fact)}`)
      : await write("DELETE", `/api/v1/episodes/${part(choice.episode)}`, { query: { mode: "forget" } });
    await dialog("Receipt", (done) => receiptShown(receipt, done));
    location.hash = to(owner);
  } catch (error) {
    toast(error.message);
  }
}

function receiptShown(receipt, done) {
  return [h("dl", { class: "pairs" },
    h("dt", null, "Erased"), h("dd", null, Object.entries(receipt.removed).map(([what, count]) => tag(`${count} ${what}`))),
    h("dt", null, "When"), h("dd", null, minute(receipt.at)),
    h("dt", null, "Receipt"), h("dd", null, h("code", { class: "wrap" }, receipt.uuid)),
    h("dt", null, "Wiped from the file"), h("dd", null, receipt.scrubbed ? "yes" : "not yet"),
    h("dt", null, "Not touched"), h("dd", null, h("ul", { class: "plain-list" }, receipt.kept.map((one) => h("li", null, h("strong", null, one.what), `: ${one.why}`))))),
  h("div", { class: "actions" }, button("Close", () => done(true), "primary"))];
}
