// Users, graphs and threads: the lists that one starts from.

import { read } from "./api.js";
import { h } from "./dom.js";
import { empty, head, initials, pager, searchBox, table } from "./parts.js";
import { to } from "./place.js";
import { ago, day, time } from "./when.js";

const SIZE = 25;

function asked(query) {
  return { page: Math.max(1, Number(query.get("page")) || 1), search: query.get("q") || "" };
}

function listed(name, title, lead, { page, search }, total, rows, nothing) {
  const link = (number) => `#/${name}?${new URLSearchParams({ ...(search ? { q: search } : {}), page: number })}`;
  const found = (text) => { location.hash = text ? `#/${name}?${new URLSearchParams({ q: text })}` : `#/${name}`; };
  return h("div", null,
    head(title, { lead, actions: searchBox(`Search ${name}`, search, found) }),
    total || search ? null : nothing,
    total ? rows() : search ? empty(`Nothing matches “${search}”.`) : null,
    total ? pager(page, SIZE, total, link) : null);
}

const called = (user) => [user.first_name, user.last_name].filter(Boolean).join(" ");

export async function users({ query }) {
  const wanted = asked(query);
  const answer = await read("/api/v2/users-ordered", { query: { pageNumber: wanted.page, pageSize: SIZE, search: wanted.search } });
  const row = (user) => [
    h("a", { class: "who", href: to({ kind: "u", id: user.user_id }) }, initials(called(user) || user.user_id), called(user) || user.user_id),
    h("code", null, user.user_id), user.email || "", time(user.created_at)];
  return listed("users", "Users", "Everyone the memory knows something about.", wanted, answer.total_count,
    () => table(["Name", "Id", "E-mail", "Since"], answer.users.map(row), { caption: "Users" }),
    empty("No users yet.", "A client adds them with its first message."));
}

export async function graphs({ query }) {
  const wanted = asked(query);
  const answer = await read("/api/v2/graph/list-all", { query: { pageNumber: wanted.page, pageSize: SIZE, search: wanted.search } });
  const row = (graph) => [
    h("a", { class: "who", href: to({ kind: "g", id: graph.graph_id }) }, initials(graph.name || graph.graph_id), graph.name || graph.graph_id),
    h("code", null, graph.graph_id), graph.description || "", time(graph.created_at)];
  return listed("graphs", "Graphs", "Knowledge that belongs to no single user.", wanted, answer.total_count,
    () => table(["Name", "Id", "Description", "Since"], answer.graphs.map(row), { caption: "Graphs" }),
    empty("No standalone graphs yet.", "POST /api/v2/graph/create makes one."));
}

export async function threads({ query }) {
  const wanted = asked(query);
  const answer = await read("/api/v2/threads", { query: {
    page_number: wanted.page, page_size: SIZE, order_by: "updated_at", search: wanted.search } });
  const row = (thread) => {
    const owner = { kind: "u", id: thread.user_id };
    return [h("a", { href: to(owner, ["thread", thread.thread_id]) }, thread.thread_id),
      h("a", { href: to(owner) }, thread.user_id), h("span", { title: day(thread.updated_at) }, ago(thread.updated_at))];
  };
  return listed("threads", "Threads", "Conversations, the latest first.", wanted, answer.total_count,
    () => table(["Thread", "User", "Last change"], answer.threads.map(row), { caption: "Threads" }),
    empty("No threads yet.", "A thread is a conversation of one user."));
}
