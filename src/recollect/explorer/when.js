// Moments, as people read them, and which facts stand at which of the two clocks.

import { h } from "./dom.js";

const DAY = 86_400_000;

export function day(moment) {
  return moment ? new Date(moment).toISOString().slice(0, 10) : "";
}

export function minute(moment) {
  return moment ? new Date(moment).toISOString().slice(0, 16).replace("T", " ") : "";
}

export function time(moment, otherwise = "unknown") {
  if (!moment) return h("span", { class: "quiet" }, otherwise);
  return h("time", { datetime: moment, title: `${minute(moment)} UTC` }, day(moment));
}

export function span(fact) {
  return [time(fact.valid_at, "…"), " → ", fact.invalid_at ? time(fact.invalid_at) : h("span", { class: "holds" }, "now")];
}

// The end of a day that a slider or a date field names, as the server reads it.
export function moment(date) {
  return date ? `${date}T23:59:59Z` : null;
}

const within = (at, start, end) => (!start || Date.parse(start) <= at) && (!end || at < Date.parse(end));

// The rule of the server, for lists that are here already: was it true then, and known by then?
export function stands(fact, place) {
  const at = place.at ? Date.parse(moment(place.at)) : null;
  const known = place.known ? Date.parse(moment(place.known)) : null;
  if (known === null) return at === null || within(at, fact.valid_at, fact.invalid_at);
  if (at === null) return within(known, fact.created_at, fact.expired_at);
  const learned = !fact.expired_at || Date.parse(fact.expired_at) <= known;
  return Date.parse(fact.created_at) <= known && within(at, fact.valid_at, learned ? fact.invalid_at : null);
}

export function ago(moment) {
  const seconds = Math.max(0, (Date.now() - Date.parse(moment)) / 1000);
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 2 * 86400) return `${Math.round(seconds / 3600)} h ago`;
  return day(moment);
}

export { DAY };
