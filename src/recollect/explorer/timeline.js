// Facts as bars from when they became true to when they stopped.

import { h, replace } from "./dom.js";
import { factLink, over, tag } from "./parts.js";
import { day, moment, span, stands } from "./when.js";

const ENDS = { table: "the table of relations", episode: "its own words", hand: "someone by hand" };

export const judge = (name) => ENDS[name] || (name?.startsWith("judge.") ? `the judge (version ${name.slice(6)})` : name) || "nobody knows whom";

export function timeline(owner, facts, place) {
  const starts = facts.map((fact) => Date.parse(fact.valid_at || fact.created_at));
  const now = Math.max(Date.now(), ...facts.map((fact) => (fact.invalid_at ? Date.parse(fact.invalid_at) : 0)));
  const from = Math.min(...starts);
  const wide = Math.max(now - from, 86_400_000);
  const share = (at) => `${Math.min(100, Math.max(0, (100 * (at - from)) / wide)).toFixed(2)}%`;
  const notes = new Map();
  const rows = [...facts].sort((a, b) => Date.parse(a.valid_at || a.created_at) - Date.parse(b.valid_at || b.created_at)).map((fact) => {
    const begin = Date.parse(fact.valid_at || fact.created_at);
    const end = fact.invalid_at ? Date.parse(fact.invalid_at) : now;
    const note = h("span", { class: "closed-by" });
    notes.set(fact.uuid, note);
    return h("li", { class: `${over(fact) ? "ended" : ""} ${stands(fact, place) ? "" : "outside"}` },
      h("p", { class: "sentence" }, factLink(owner, fact)),
      h("div", { class: "track", "aria-hidden": "true" },
        place.at && h("span", { class: "cursor", style: { left: share(Date.parse(moment(place.at))) } }),
        h("span", { class: `span ${fact.valid_at ? "" : "since-unknown"} ${fact.invalid_at ? "" : "open"}`,
          style: { left: `min(${share(begin)}, calc(100% - 4px))`, width: `${Math.max(0.6, (100 * (end - begin)) / wide).toFixed(2)}%` } })),
      h("p", { class: "meta" }, tag(fact.name), h("span", null, span(fact)), note));
  });
  const ticks = [0, 0.5, 1].map((place) => h("span", null, day(from + place * wide)));
  return {
    element: h("div", { class: "timeline" }, h("div", { class: "axis", "aria-hidden": "true" }, ticks), h("ol", null, rows)),
    closedBy(fact, ending) {
      const note = notes.get(fact.uuid);
      if (!note || !ending) return;
      replace(note, "closed by ", ending.by_fact ? factLink(owner, ending.by_fact) : judge(ending.judge));
    },
  };
}
