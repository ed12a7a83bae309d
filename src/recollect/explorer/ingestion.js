// How reading goes: what waits, what failed, and trying again.

import { each, part, read, write } from "./api.js";
import { h, toast } from "./dom.js";
import { card, doing, empty, head, tag } from "./parts.js";
import { to } from "./place.js";
import { ago, minute } from "./when.js";

export async function ingestion({ again }) {
  const [state, parked, readings] = await Promise.all([
    read("/api/v1/jobs"), read("/api/v1/jobs/parked"),
    read("/api/v1/readings", { query: { limit: 20 } }).catch(() => null)]);
  const wait = state.oldest_wait_s;
  return h("div", null,
    head("Ingestion", { lead: "Episodes are stored at once and read in their turn.", actions: doing("Refresh", async () => again()) }),
    h("div", { class: "figures" },
      figure(state.pending, state.pending === 1 ? "episode waits to be read" : "episodes wait to be read", state.pending ? "warn" : "good"),
      figure(state.parked, "parked after failing", state.parked ? "bad" : "good"),
      figure(wait ? `${Math.round(wait)} s` : "0 s", "the oldest has waited", wait > 60 ? "warn" : "good")),
    state.graphs.length > 0 && card("Backlog", h("ul", { class: "plain-list" }, state.graphs.map((one) => h("li", null,
      h("a", { href: to({ kind: one.graph_kind === "user" ? "u" : "g", id: one.graph }) }, one.graph), " ", tag(`${one.pending} waiting`, "warn"))))),
    card("Parked jobs", parked.jobs.length
      ? [parked.jobs.length > 1 && doing("Retry all", () => retryAll(parked.jobs, again)), parked.jobs.map((job) => parkedJob(job, again))]
      : empty("Nothing is parked.", "A job that keeps failing waits here for someone to look at it.")),
    readings && card("Second readings", readings.readings.length
      ? h("ul", { class: "plain-list" }, readings.readings.map((one) => h("li", null, h("code", null, one.episode_uuid), " ", tag(one.reader), " ", tag(one.status, one.status === "parked" ? "bad" : "warn"))))
      : empty("No episode waits for another reading.")));
}

const figure = (value, text, kind) => h("div", { class: `figure ${kind}` }, h("strong", null, value), h("span", null, text));

function parkedJob(job, again) {
  const owner = { kind: job.graph_kind === "user" ? "u" : "g", id: job.graph };
  return h("article", { class: "fact-row" },
    h("p", { class: "said" }, job.error),
    h("p", { class: "meta" }, h("a", { href: to(owner) }, job.graph), h("span", null, `${job.attempts} attempts`), h("span", null, "parked ", ago(job.parked_at)), h("code", null, job.episode_uuid)),
    doing("Retry", async () => { await retry(job); again(); }));
}

async function retry(job) {
  const done = await write("POST", `/api/v1/jobs/${part(job.episode_uuid)}/retry`, {});
  toast(done.message);
}

async function retryAll(jobs, again) {
  await each(jobs, retry, 4);
  again();
}
