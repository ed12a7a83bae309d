// Lays a large graph out beside the page, so that the page never waits.

import { Layout } from "./layout.js";

const STEPS = 320;
const SHOWN_EVERY_MS = 60;

onmessage = ({ data: { count, links } }) => {
  const layout = new Layout(count, links);
  let step = 0;
  const tell = () => postMessage({ x: layout.x.slice(), y: layout.y.slice(), done: step >= STEPS });
  const work = () => {
    const until = performance.now() + SHOWN_EVERY_MS;
    while (step < STEPS && performance.now() < until) { layout.step(); step += 1; }
    tell();
    if (step < STEPS) setTimeout(work, 0);
  };
  work();
};
