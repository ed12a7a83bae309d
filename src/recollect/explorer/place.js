// Where we are: the address behind the hash, as values, and addresses for links.
// #/u/jane/fact/<uuid>?at=2024-05-01&known=2024-06-01

import { part } from "./api.js";

export function here() {
  const [path, query] = location.hash.replace(/^#/, "").split("?");
  let parts;
  try {
    parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    parts = ["?"];
  }
  const asked = new URLSearchParams(query || "");
  const owner = parts[0] === "u" || parts[0] === "g" ? { kind: parts[0], id: parts[1] || "" } : null;
  return { parts: owner ? parts.slice(2) : parts, owner, query: asked, at: asked.get("at"), known: asked.get("known") };
}

// An address; the two moments stay as they are while one looks at the same memory.
export function to(owner, parts = [], query = {}) {
  const place = here();
  const same = owner && place.owner && owner.kind === place.owner.kind && owner.id === place.owner.id;
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...(same ? { at: place.at, known: place.known } : {}), ...query })) {
    if (value !== null && value !== undefined && value !== "") asked.set(name, value);
  }
  const path = [...(owner ? [owner.kind, owner.id] : []), ...parts].map(part).join("/");
  return `#/${path}${[...asked].length ? `?${asked}` : ""}`;
}

// The body fields that name a memory, and the end of a path that does.
export const named = (owner) => (owner.kind === "u" ? { user_id: owner.id } : { graph_id: owner.id });
export const ending = (owner) => `${owner.kind === "u" ? "user" : "graph"}/${part(owner.id)}`;

// Changes the query without a step in the history.
export function requery(changes) {
  const place = here();
  for (const [name, value] of Object.entries(changes)) {
    if (value) place.query.set(name, value); else place.query.delete(name);
  }
  const path = location.hash.split("?")[0] || "#/";
  history.replaceState(null, "", `${path}${[...place.query].length ? `?${place.query}` : ""}`);
}
