// The only place that talks to the server. The key stays in this tab.

const KEY = "recollect-key";
const AS = "recollect-as";
const known = new Map();
let refused = () => {};
let waiting = 0;

export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const session = {
  get key() { return sessionStorage.getItem(KEY); },
  get as() { return JSON.parse(sessionStorage.getItem(AS) || "null"); },
  set as(key) {
    if (key) sessionStorage.setItem(AS, JSON.stringify(key)); else sessionStorage.removeItem(AS);
    forget();
  },
  begin(key) { sessionStorage.setItem(KEY, key); forget(); },
  end() { sessionStorage.removeItem(KEY); sessionStorage.removeItem(AS); forget(); },
};

export function whenRefused(callback) { refused = callback; }

// What was read is asked for once per page; a write or a new page asks anew.
export function forget() { known.clear(); }

export const part = encodeURIComponent;

export function read(path, options = {}) {
  const name = JSON.stringify([path, options.query, options.body]);
  if (!known.has(name)) {
    const asked = send(options.body === undefined ? "GET" : "POST", path, options);
    known.set(name, asked);
    asked.catch(() => known.delete(name));
  }
  return known.get(name);
}

export async function write(method, path, options = {}) {
  try {
    return await send(method, path, options);
  } finally {
    forget();
  }
}

// Answers what the server sent; lists also carry `next`, the cursor, and `cut`, if some were left out.
async function send(method, path, { query, body, key, own } = {}) {
  const url = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query || {})) {
    if (value !== null && value !== undefined && value !== "") url.searchParams.set(name, value);
  }
  const headers = { Authorization: `Api-Key ${key ?? session.key}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (session.as && !own) headers["Recollect-As"] = session.as.uuid;
  const { reply, text } = await fetched(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const answer = text ? parse(text) : null;
  if (!reply.ok) {
    if (reply.status === 401 && !key) refused();
    throw new Failure(reply.status, answer?.message || `The server answered ${reply.status}.`);
  }
  if (Array.isArray(answer)) {
    answer.next = reply.headers.get("Zep-Next-Cursor") || null;
    answer.cut = reply.headers.get("Zep-Truncated") === "true";
  }
  return answer;
}

// While anything is asked, the document says so.
async function fetched(url, options) {
  waiting += 1;
  document.documentElement.toggleAttribute("data-asking", true);
  try {
    const reply = await fetch(url, options);
    return { reply, text: await reply.text() };
  } catch {
    throw new Failure(0, "The server did not answer. Is it running?");
  } finally {
    waiting -= 1;
    document.documentElement.toggleAttribute("data-asking", waiting > 0);
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 200) };
  }
}

// Runs tasks over items, a few at a time, in order.
export async function each(items, task, together = 6) {
  const waiting = [...items];
  const worker = async () => { while (waiting.length) await task(waiting.shift()); };
  await Promise.all(Array.from({ length: together }, worker));
}
