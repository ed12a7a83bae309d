// Two entities that are one: which may be, which are by hand, and taking that back.

import { part, read, write } from "./api.js";
import { h, toast } from "./dom.js";
import { button, card, doing, entityLink } from "./parts.js";
import { ending } from "./place.js";
import { minute } from "./when.js";

const LOOKED_AT = 100;
const SUGGESTED = 8;
const listOf = (owner) => `/api/v1/${owner.kind === "u" ? "users" : "graphs"}/${part(owner.id)}/merges`;

export async function merges(owner, chosen, again) {
  const [nodes, done] = await Promise.all([
    read(`/api/v2/graph/node/${ending(owner)}`, { body: { limit: LOOKED_AT, order_by: "degree", direction: "desc" } }),
    read(listOf(owner), { query: { limit: LOOKED_AT } })]);
  if (chosen && !nodes.some((node) => node.uuid === chosen)) nodes.unshift(await read(`/api/v2/graph/node/${part(chosen)}`));
  const pairs = alike(nodes);
  return [
    card("The same twice?",
      h("p", { class: "quiet" }, "Two entities that are one: facts, messages and names of the second go over to the first. Nothing is closed by it, and it can be taken back."),
      pairs.map(([kept, other]) => h("div", { class: "twins" },
        h("p", null, who(owner, kept), " and ", who(owner, other)),
        doing("Merge", () => merge(kept, other, again)))),
      nodes.length > 1 ? choice(nodes, chosen, again) : h("p", { class: "quiet" }, "There is nobody to merge yet.")),
    done.merges.length > 0 && card("Merged by hand", done.merges.map((one) => h("div", { class: "twins" },
      h("p", null, one.name || "an entity", " is ", entityLink(owner, one.into.uuid, one.into.name), h("span", { class: "quiet" }, ` since ${minute(one.merged_at)}`)),
      doing("Undo", () => unmerge(one.uuid, again))))),
  ];
}

// With what tells those of one name apart.
function who(owner, node) {
  const carried = Object.entries(node.metadata || {}).map(([name, value]) => `${name}: ${[value].flat().join(", ")}`);
  return [entityLink(owner, node.uuid, node.name), h("span", { class: "quiet small" }, ` (${[facts(node), ...carried].join("; ")})`)];
}

const facts = (node) => (node.degree === 1 ? "1 fact" : `${node.degree ?? 0} facts`);

// Names of which one is the beginning or the end of the other, or that differ in case and signs only.
function alike(nodes) {
  const words = nodes.map((node) => node.name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim());
  const pairs = [];
  for (let i = 0; i < nodes.length && pairs.length < SUGGESTED; i += 1) {
    for (let j = i + 1; j < nodes.length && pairs.length < SUGGESTED; j += 1) {
      const [one, two] = [words[i], words[j]].sort((a, b) => a.length - b.length);
      if (one.length > 2 && (one === two || two.startsWith(`${one} `) || two.endsWith(` ${one}`))) pairs.push([nodes[i], nodes[j]]);
    }
  }
  return pairs;
}

function choice(nodes, chosen, again) {
  const pick = (id, label, value) => {
    const select = h("select", { id }, nodes.map((node) => h("option", { value: node.uuid }, `${node.name} (${facts(node)})`)));
    select.value = value;
    return [h("div", null, h("label", { for: id }, label), select), select];
  };
  const [kept, first] = pick("merge-kept", "Keep", chosen || nodes[0].uuid);
  const [other, second] = pick("merge-other", "and merge into it", nodes.find((node) => node.uuid !== first.value).uuid);
  const named = (select) => nodes.find((node) => node.uuid === select.value);
  return h("div", { class: "filters" }, kept, other, doing("Merge these two", () => merge(named(first), named(second), again)));
}

async function merge(kept, other, again) {
  const made = await write("POST", `/api/v1/entities/${part(kept.uuid)}/merge`, { body: { other: other.uuid } });
  const gone = made.uuid === kept.uuid ? other : kept;  // the user's own node always stays
  again();
  toast(`${gone.name} is ${made.name} now.`, button("Undo", () => unmerge(gone.uuid, again)));
}

async function unmerge(uuid, again) {
  try {
    await write("POST", `/api/v1/entities/${part(uuid)}/unmerge`, {});
    toast("They are two again.");
  } catch (error) {
    toast(error.message);
  }
  again();
}
