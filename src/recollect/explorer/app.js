// The frame around every page: signing in, the way around, the two clocks, and which page is shown.

import { Failure, forget, read, session, whenRefused, write } from "./api.js";
import { append, dialog, h, replace } from "./dom.js";
import { failure, head } from "./parts.js";
import { here, named, to } from "./place.js";
import { clocks } from "./clocks.js";

const PAGES = {
  users: ["home.js", "users"], graphs: ["home.js", "graphs"], threads: ["home.js", "threads"],
  activity: ["activity.js", "activity"], ingestion: ["ingestion.js", "ingestion"],
};
const OF_A_MEMORY = {
  "": ["memory.js", "facts"], entities: ["memory.js", "entities"], conversations: ["memory.js", "conversations"],
  episodes: ["memory.js", "episodes"], entity: ["entity.js", "entity"], fact: ["fact.js", "fact"],
  thread: ["thread.js", "thread"], search: ["search.js", "search"], context: ["context.js", "context"],
  conflicts: ["conflicts.js", "conflicts"], map: ["map.js", "map"],
};
const AROUND = [["users", "Users"], ["graphs", "Graphs"], ["threads", "Threads"], ["activity", "Activity"], ["ingestion", "Ingestion"]];
const INSIDE = [["", "Facts"], ["entities", "Entities"], ["conversations", "Conversations"], ["episodes", "Episodes"],
  ["search", "Search workbench"], ["context", "Context"], ["conflicts", "Conflicts"], ["map", "Graph"]];
const SHORTCUTS = [["/", "search"], ["g u", "users"], ["g g", "graphs"], ["g t", "threads"], ["g i", "ingestion"],
  ["arrows, + and −", "move and zoom a graph"], ["Esc", "close"], ["?", "this list"]];

const frame = {};
let shown = 0;
let keys = null;
let leave = null;

async function show({ quiet = false } = {}) {
  const turn = ++shown;
  const place = here();
  if (!session.key) return signIn();
  build();
  if (!quiet) forget();
  mark(place);
  const [file, name] = page(place);
  if (!quiet) main(h("div", { class: "loading", role: "status" }, "Loading…"));
  let content;
  try {
    if (!file) throw new Failure(404, "There is no such page.");
    const module = await import(`/explorer/${file}`);
    content = await module[name]({ ...place, again: () => show({ quiet: true }), leaving: (task) => { onLeave = task; } });
  } catch (error) {
    if (!(error instanceof Failure)) console.error(error);
    content = failure(error instanceof Failure ? error : new Failure(0, String(error)), () => show());
  }
  if (turn !== shown) return;
  leave?.();
  leave = onLeave;
  onLeave = null;
  main(content);
  if (!quiet) arrive();
}

let onLeave = null;

function page(place) {
  if (place.owner) return OF_A_MEMORY[place.parts[0] || ""] || [];
  return PAGES[place.parts[0] || "users"] || [];
}

function main(...content) {
  replace(frame.main, content);
}

function arrive() {
  const title = frame.main.querySelector("h1");
  document.title = title ? `${title.textContent.slice(0, 80)} · Recollect` : "Recollect";
  title?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function build() {
  if (frame.main?.isConnected) return;
  frame.nav = h("nav", { class: "side", "aria-label": "Main" });
  frame.clocks = h("div", { class: "clocks-frame" });
  frame.main = h("main", { id: "main", tabindex: "-1" });
  frame.as = h("span", { class: "as" });
  document.body.replaceChildren(
    h("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); frame.main.focus(); } }, "Skip to content"),
    h("header", { class: "top" },
      h("a", { class: "brand", href: "#/users" }, h("img", { src: "/explorer/icon.svg", alt: "", width: 22, height: 22 }), "Recollect"),
      h("div", { class: "top-right" }, frame.as,
        h("button", { type: "button", class: "plain", "aria-label": "Keyboard shortcuts", onclick: help }, "?"),
        h("button", { type: "button", class: "plain", "aria-label": "Dark or light", onclick: turnTheme }, "◐"),
        h("button", { type: "button", class: "plain", onclick: signOut }, "Sign out"))),
    h("div", { class: "body" }, frame.nav, h("div", { class: "content" }, frame.clocks, frame.main)));
  seeAs();
}

function mark(place) {
  const link = (href, text, current) => h("a", { href, "aria-current": current ? "page" : null }, text);
  const groups = [h("div", { class: "nav-group" }, AROUND.map(([name, text]) =>
    link(`#/${name}`, text, !place.owner && (place.parts[0] || "users") === name)))];
  if (place.owner) {
    const items = INSIDE.filter(([name]) => name !== "conversations" || place.owner.kind === "u");
    groups.push(h("div", { class: "nav-group" },
      h("p", { class: "nav-title", title: place.owner.id }, place.owner.id),
      items.map(([name, text]) => link(to(place.owner, name ? [name] : []), text, (place.parts[0] || "") === name))));
  }
  replace(frame.nav, groups);
  const name = place.owner && `${place.owner.kind}/${place.owner.id}`;
  if (frame.owner !== name) {
    frame.moments = place.owner && clocks(place.owner, () => show({ quiet: true }));
    replace(frame.clocks, frame.moments?.element);
  } else frame.moments?.follow();
  frame.owner = name;
}

// An administrator may look through the eyes of any key of the project.
async function seeAs() {
  if (session.as) return asBanner();
  try {
    const own = await read("/api/v1/key", { own: true });
    keys ??= own.is_admin ? (await read("/api/v1/keys", { own: true })).keys.filter((key) => !key.revoked_at) : [];
  } catch {
    keys = [];
  }
  if (!keys.length) return replace(frame.as);
  const choice = h("select", { "aria-label": "See as this key", onchange: () => {
    session.as = keys.find((key) => key.uuid === choice.value) || null;
    asBanner();
    show();
  } }, h("option", { value: "" }, "See as…"), keys.map((key) => h("option", { value: key.uuid },
    `${key.name}${key.policy_sets.length ? ` (${key.policy_sets.join(", ")})` : ""}`)));
  replace(frame.as, choice);
}

function asBanner() {
  const key = session.as;
  if (!key) return seeAs();
  replace(frame.as, h("span", { class: "as-banner" }, `Seen as ${key.name}`,
    h("button", { type: "button", class: "plain", onclick: () => { session.as = null; seeAs(); show(); } }, "Stop")));
}

function signIn(message) {
  frame.owner = null;
  const input = h("input", { type: "password", id: "key", autocomplete: "off", required: true, spellcheck: "false" });
  const error = h("p", { class: "inline-error", role: "alert" }, message);
  const go = h("button", { type: "submit", class: "primary" }, "Sign in");
  const enter = async (event) => {
    event.preventDefault();
    go.disabled = true;
    try {
      await write("GET", "/api/v1/project", { key: input.value.trim(), own: true });
      begin(input.value.trim());
    } catch (problem) {
      // A narrowed key may not see its project, and is a key all the same.
      if (problem.status === 403) begin(input.value.trim());
      else error.textContent = problem.status === 401 ? "The server does not know this key." : problem.message;
    } finally {
      go.disabled = false;
    }
  };
  document.body.replaceChildren(h("main", { class: "sign-in" },
    h("form", { class: "card", onsubmit: enter },
      h("img", { src: "/explorer/icon.svg", alt: "", width: 44, height: 44 }),
      h("h1", null, "Recollect"),
      h("p", { class: "quiet" }, "See what the memory knows, why, and since when."),
      h("label", { for: "key" }, "API key"), input, go, error,
      h("p", { class: "quiet small" }, "The key stays in this tab and is gone when you close it. ",
        h("a", { href: "/docs" }, "API documentation")))));
  input.focus();
}

function begin(key) {
  session.begin(key);
  keys = null;
  show();
}

function signOut() {
  session.end();
  keys = null;
  leave?.();
  leave = null;
  location.hash = "#/users";
  signIn();
}

function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("recollect-theme", root.dataset.theme);
  dispatchEvent(new Event("recollect-theme"));
}

function help() {
  dialog("Keyboard", (done) => [
    h("dl", { class: "pairs" }, SHORTCUTS.map(([key, text]) => [h("dt", null, h("kbd", null, key)), h("dd", null, text)])),
    h("div", { class: "actions" }, h("button", { type: "button", onclick: () => done() }, "Close"))]);
}

let leader = 0;
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  const then = Date.now() - leader < 1000;
  leader = event.key === "g" && !then ? Date.now() : 0;
  const goal = { u: "users", g: "graphs", t: "threads", i: "ingestion" }[event.key];
  if (then && goal) location.hash = `#/${goal}`;
  else if (event.key === "/") {
    event.preventDefault();
    document.querySelector("[data-search]")?.focus();
  } else if (event.key === "?") help();
});

whenRefused(() => { session.end(); signIn("The server no longer knows this key."); });
addEventListener("hashchange", () => show());
show();
