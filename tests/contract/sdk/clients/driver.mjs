// Drives one released npm client: one JSON command per line in, one JSON answer per line out.
//
// Started as `node driver.mjs ENTRY`, where ENTRY exports `connect` and `entityFields` of one
// generation. Commands and answers are those of driver.py, in snake_case; this file is the only
// place that knows the camelCase spelling. Free-form maps pass through untouched both ways.

import readline from "node:readline";
import { pathToFileURL } from "node:url";

const FREE_FORM = new Set([
  "metadata", "attributes", "params", "details", "error", "classifications",
  "edge_attributes", "source_node_attributes", "target_node_attributes", "property_value",
  "edgeAttributes", "sourceNodeAttributes", "targetNodeAttributes", "propertyValue",
]);
// Three methods take their body apart from their query: the names listed stay outside `body`.
const BODY_APART = {
  "project.set_observation_steering": ["user_id", "graph_id"],
  "user_group.add_members": ["project_id"],
  "user_group.remove_members": ["project_id"],
};
const FIELD_MAKERS = { text: "text", int: "integer", float: "float", boolean: "boolean" };

const loaded = await import(pathToFileURL(process.argv[2]));
const { connect, entityFields } = loaded.default ?? loaded;
const clients = new Map();

const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function renamed(value, rename) {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "$type")
      .map(([name, item]) => [rename(name), FREE_FORM.has(name) ? item : renamed(item, rename)]),
  );
}

// A client that meets a wrongly typed field hands the whole answer back as it came. Such an answer
// has names with an underscore and none in camelCase; one with a field the client does not know has
// both. Single-word names say nothing either way.
function untranslated(value) {
  const names = new Set();
  const collect = (item) => {
    if (Array.isArray(item)) item.forEach(collect);
    else if (item !== null && typeof item === "object")
      for (const [name, inner] of Object.entries(item)) {
        names.add(name);
        if (!FREE_FORM.has(name)) collect(inner);
      }
  };
  collect(value);
  const some = (pattern) => [...names].some((name) => pattern.test(name));
  return some(/[a-z]_[a-z]/) && !some(/[a-z][A-Z]/);
}

function client({ base_url: baseUrl, api_key: apiKey }) {
  const name = `${baseUrl} ${apiKey}`;
  if (!clients.has(name)) clients.set(name, connect({ baseUrl, apiKey }));
  return clients.get(name);
}

function described(type) {
  const fields = Object.entries(type.fields ?? {}).map(([name, field]) => [
    name,
    entityFields[FIELD_MAKERS[field.type]](field.description ?? ""),
  ]);
  return {
    description: type.description ?? "",
    fields: Object.fromEntries(fields),
    sourceTargets: type.source_targets,
  };
}

function setOntology(zep, { entities, edges, user_ids: userIds, graph_ids: graphIds }) {
  const all = (types) =>
    Object.fromEntries(Object.entries(types ?? {}).map(([name, type]) => [name, described(type)]));
  const scoped = userIds !== undefined || graphIds !== undefined;
  return zep.graph.setOntology(all(entities), all(edges), ...(scoped ? [{ userIds, graphIds }] : []));
}

// Path parameters are positional, the rest is one request object, or `request` is the whole body.
async function run(command) {
  const zep = client(command);
  if (command.call === "graph.set_ontology")
    return { ok: renamed(await setOntology(zep, command.kwargs), snake) ?? null };
  const path = command.call.split(".").map(camel);
  const verb = path.pop();
  const noun = path.reduce((object, name) => object[name], zep);
  const promise = noun[verb](...command.args, renamed(requestOf(command), camel));
  if (!command.raw) return answered(await promise);
  const { data, rawResponse } = await promise.withRawResponse();
  return { ...answered(data), headers: Object.fromEntries(rawResponse.headers.entries()) };
}

function requestOf({ call, kwargs }) {
  if (!(call in BODY_APART)) return kwargs.request ?? kwargs;
  const split = (inside) =>
    Object.fromEntries(
      Object.entries(kwargs).filter(([name]) => BODY_APART[call].includes(name) !== inside),
    );
  return { ...split(false), body: split(true) };
}

function answered(data) {
  if (untranslated(data))
    throw Object.assign(new Error(JSON.stringify(data)), { name: "UntranslatedAnswer" });
  return { ok: renamed(data, snake) ?? null };
}

function explain(error) {
  const named = error.constructor?.name;
  return {
    type: named === undefined || named === "Error" ? error.name : named,
    status: error.statusCode ?? null,
    body: error.body ?? null,
    message: String(error.message),
  };
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const command = JSON.parse(line);
  let answer;
  try {
    answer = await run(command);
  } catch (error) {
    answer = { error: explain(error) };
  }
  process.stdout.write(`${JSON.stringify({ id: command.id, ...answer })}\n`);
}
