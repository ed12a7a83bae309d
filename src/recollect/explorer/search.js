// The search workbench: one question, two settings side by side, the parts of scores, and "why not".

import { read } from "./api.js";
import { append, h, replace } from "./dom.js";
import { card, empty, failure, head, factLink, tag } from "./parts.js";
import { named, requery, to } from "./place.js";
import { moment, span } from "./when.js";

const SCOPES = [["edges", "Facts"], ["nodes", "Entities"], ["episodes", "Episodes"], ["observations", "Observations"], ["thread_summaries", "Thread summaries"]];
const RERANKERS = [["", "Best fusion"], ["rrf", "Reciprocal ranks"], ["mmr", "Diverse (MMR)"], ["episode_mentions", "Most mentioned"], ["cross_encoder", "Cross-encoder"]];
const PARTS = { words: "words", meaning: "meaning", told: "the episode behind it", answer: "read with the question", known: "who and when", turn: "the turn itself", facts: "facts in it" };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export async function search({ owner, query, at, known }) {
  const question = h("input", { type: "search", id: "question", value: query.get("q") || "", "data-search": true, placeholder: "Where does she live?" });
  const missed = h("input", { id: "missed", value: query.get("missed") || "", placeholder: "Paste a fact’s id", spellcheck: "false" });
  const benches = [bench("A", {}, query), bench("B", { reranker: "cross_encoder" }, query)];
  const run = async () => {
    requery({ q: question.value.trim(), missed: missed.value.trim(), ...Object.assign({}, ...benches.map((one) => one.address())) });
    await Promise.all(benches.map((one) => one.run(owner, question.value.trim(), missed.value.trim(), { at, known })));
  };
  const form = h("form", { class: "card", onsubmit: (event) => { event.preventDefault(); run(); } },
    h("div", { class: "filters" },
      h("div", { class: "grow" }, h("label", { for: "question" }, "Question"), question),
      h("div", { class: "grow" }, h("label", { for: "missed" }, "Why not this fact?"), missed),
      h("button", { type: "submit", class: "primary" }, "Run both")),
    h("div", { class: "bench" }, benches.map((one) => one.settings)));
  const page = h("div", null,
    head("Search workbench", { kicker: owner.id, lead: "One question, two settings. The numbers are what each opinion adds to a score." }),
    form, h("div", { class: "bench" }, benches.map((one) => one.results)));
  if (question.value) await run();
  return page;
}

function bench(name, preset, query) {
  const id = (field) => `${name}-${field}`;
  const chosen = (field) => query.get(id(field)) ?? preset[field] ?? "";
  const choice = (field, options) => h("select", { id: id(field) }, options.map(([value, text]) => h("option", { value, selected: value === chosen(field) }, text)));
  const given = (field, props) => h("input", { id: id(field), value: chosen(field), ...props });
  const fields = {
    scope: choice("scope", SCOPES), reranker: choice("reranker", RERANKERS),
    limit: given("limit", { type: "number", min: 1, max: 50, placeholder: "10" }), score: given("score", { type: "number", min: 0, max: 1, step: 0.05, placeholder: "none" }),
    relations: given("relations", { placeholder: "any, e.g. LIVES_IN" }), labels: given("labels", { placeholder: "any, e.g. Person" }),
    rating: given("rating", { type: "number", min: 0, max: 1, step: 0.1, placeholder: "none" }),
  };
  const texts = { scope: "Scope", reranker: "Reranker", limit: "Limit", score: "Least score", relations: "Relations", labels: "Labels", rating: "Least rating" };
  const settings = h("fieldset", null, h("legend", null, `Setting ${name}`), h("div", { class: "settings" },
    Object.entries(fields).map(([field, input]) => h("div", null, h("label", { for: id(field) }, texts[field]), input))));
  const results = h("section", { class: "card", "aria-label": `Results ${name}` }, h("h2", null, `Setting ${name}`), empty("Ask something."));
  const list = (field) => fields[field].value.split(",").map((one) => one.trim()).filter(Boolean);
  const number = (field) => (fields[field].value === "" ? null : Number(fields[field].value));
  return {
    settings, results,
    address: () => Object.fromEntries(Object.keys(fields).map((field) => [id(field), fields[field].value === (preset[field] ?? "") || (field === "scope" && fields[field].value === "edges" && !preset.scope) ? null : fields[field].value])),
    async run(owner, text, missed, { at, known }) {
      const scope = fields.scope.value;
      const filters = {};
      if (list("relations").length) filters.edge_types = list("relations");
      if (list("labels").length) filters.node_labels = list("labels");
      if (!text) return replace(results, h("h2", null, `Setting ${name}`), empty("Ask something."));
      if (missed && !UUID.test(missed)) return replace(results, h("h2", null, `Setting ${name}`), empty("That is no id of a fact.", "An id is 36 characters; a fact’s page shows it."));
      const body = { query: text, ...named(owner), scope, limit: number("limit"), reranker: fields.reranker.value || null, min_score: number("score"),
        min_fact_rating: number("rating"), search_filters: filters, valid_at: moment(at), known_at: moment(known), fact_uuid: missed && scope === "edges" ? missed : null };
      try {
        const found = await read("/api/v1/search/explain", { body });
        replace(results, h("h2", null, `Setting ${name}`), found.missed && missedShown(found.missed),
          found.hits.length ? h("ol", { class: "plain-list" }, found.hits.map((hit, place) => hitShown(owner, scope, hit, place + 1))) : empty("Nothing found."));
      } catch (error) {
        replace(results, h("h2", null, `Setting ${name}`), failure(error));
      }
    },
  };
}

function hitShown(owner, scope, hit, place) {
  const text = scope === "nodes" ? h("a", { href: to(owner, ["entity", hit.uuid]) }, hit.text)
    : hit.fact ? factLink(owner, hit.fact) : h("span", null, hit.text.slice(0, 400));
  return h("li", { class: "hit" }, h("span", { class: "rank" }, place),
    h("div", null, h("p", { class: "sentence" }, text),
      hit.fact && h("p", { class: "meta" }, tag(hit.fact.name), h("span", null, span(hit.fact))),
      scores(hit)));
}

function scores({ score, relevance, weighed }) {
  const one = (name, value) => h("span", null, name, " ", h("b", null, signed(value)));
  return h("p", { class: "scores" }, h("span", { class: "tag accent" }, `score ${score.toFixed(3)}`),
    relevance !== null && relevance !== undefined && h("span", { class: "tag" }, `cross-encoder ${relevance.toFixed(3)}`),
    weighed && [Object.entries(weighed.parts).map(([name, value]) => one(PARTS[name] || name, value)), Math.abs(weighed.fresh) > 0.005 && one("newer or in doubt", weighed.fresh)]);
}

const signed = (value) => `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(2)}`;

function missedShown(missed) {
  return h("div", { class: "why-not" },
    h("p", null, h("strong", null, missed.found ? "It is among the results: " : "It fell out: "), missed.fact ? missed.fact.fact : "unknown fact"),
    h("ol", { class: "steps" }, missed.steps.map((step) => h("li", null, h("span", { class: step.passed ? "yes" : "no", "aria-label": step.passed ? "passed" : "failed", role: "img" }), h("span", null, h("strong", null, step.name), `: ${step.why}`)))),
    missed.weighed && scores({ score: missed.weighed.score, weighed: missed.weighed }));
}
