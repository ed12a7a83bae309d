// Elements from plain values. Text only ever becomes text nodes: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props || {})) set(element, name, value);
  append(element, children);
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "style") for (const [k, v] of Object.entries(value)) element.style.setProperty(k, v);
  else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}

export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// Asks something in a modal dialog; resolves to what `done` was called with, or null.
export function dialog(title, build) {
  return new Promise((resolve) => {
    let answer = null;
    const done = (value) => { answer = value ?? null; box.close(); };
    const box = h("dialog", { "aria-label": title, class: "dialog" }, h("h2", null, title));
    append(box, build(done));
    box.addEventListener("close", () => { box.remove(); resolve(answer); });
    document.body.append(box);
    box.showModal();
  });
}

let region = null;

// Says something for a few seconds, also to those who listen.
export function toast(text, ...actions) {
  region ??= document.body.appendChild(h("div", { class: "toasts", role: "status", "aria-live": "polite" }));
  const box = h("div", { class: "toast" }, h("span", null, text), actions);
  region.append(box);
  setTimeout(() => box.remove(), actions.length ? 15000 : 5000);
}
