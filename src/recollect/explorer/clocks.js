// The two sliders: true at, and known at. They change the address, and every page follows it.

import { read } from "./api.js";
import { h, replace } from "./dom.js";
import { ending, here, requery } from "./place.js";
import { DAY, day } from "./when.js";

const WAIT_MS = 150;

// The sliders of a memory, and `follow`, which sets them to what the address says.
export function clocks(owner, changed) {
  const box = h("section", { class: "clocks", "aria-label": "As of" });
  let controls = [];
  range(owner).then((first) => {
    controls = sliders(first, changed);
    replace(box, controls.map((each) => each.element), now(controls, changed));
  }).catch(() => box.remove());
  return { element: box, follow: () => controls.forEach((each) => each.follow()) };
}

// From the oldest thing that is known to have been true until today.
async function range(owner) {
  const dated = { valid_at: [[{ comparison_operator: "IS NOT NULL" }]] };  // else those of unknown age come first
  const oldest = (by, filters) => read(`/api/v2/graph/edge/${ending(owner)}`, { body: { limit: 1, order_by: by, direction: "asc", filters } });
  const found = [await oldest("valid_at", dated), await oldest("uuid")].flat();
  const moments = found.flatMap((fact) => [fact.valid_at, fact.created_at]).filter(Boolean).map(Date.parse);
  return Math.floor(Math.min(Date.now() - 30 * DAY, ...moments) / DAY);
}

function sliders(first, changed) {
  const today = Math.floor(Date.now() / DAY);
  return [["at", "True at", "What was so at this time"], ["known", "Known at", "What the memory had heard by then"]]
    .map(([name, text, hint]) => slider(name, text, hint, first, today, changed));
}

function now(controls, changed) {
  return h("button", { type: "button", class: "plain", onclick: () => {
    requery({ at: null, known: null });
    controls.forEach((each) => each.follow());
    changed();
  } }, "Now");
}

function slider(name, text, hint, first, today, changed) {
  const id = `clock-${name}`;
  const input = h("input", { type: "range", id, min: first, max: today, step: 1, title: hint });
  const date = h("input", { type: "date", "aria-label": `${text}, as a date` });
  const element = h("div", { class: "clock", title: hint }, h("label", { for: id }, text), input, date);
  let timer = 0;
  const follow = () => {
    const chosen = here()[name];
    input.value = chosen ? Math.floor(Date.parse(chosen) / DAY) : today;
    date.value = chosen || "";
    input.setAttribute("aria-valuetext", chosen || "now");
    element.classList.toggle("on", Boolean(chosen));
  };
  const set = (value) => {
    requery({ [name]: value });
    follow();
    clearTimeout(timer);
    timer = setTimeout(changed, WAIT_MS);
  };
  input.addEventListener("input", () => set(Number(input.value) >= today ? null : day(Number(input.value) * DAY)));
  date.addEventListener("change", () => set(date.value || null));
  follow();
  return { element, follow };
}
