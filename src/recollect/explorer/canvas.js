// Draws a laid-out graph on a canvas, and lets one move about in it.

import { h } from "./dom.js";

const NAMES_SHOWN = 24;
const MARGIN = 240;  // pixels drawn beyond each border while the whole is moved
const HUES = [226, 160, 28, 280, 340, 190, 60, 0];

// A worker may only be made from an address that this policy lets by: our own file.
const scripts = window.trustedTypes?.createPolicy("recollect-worker", { createScriptURL: () => "/explorer/layout_worker.js" });

export class Canvas {
  constructor({ nodes, edges }, { opened, pointed }) {
    this.nodes = nodes;
    this.edges = edges;
    this.opened = opened;
    this.pointed = pointed;
    this.x = new Float32Array(nodes.length);
    this.y = new Float32Array(nodes.length);
    this.scale = 1;
    this.left = 0;
    this.top = 0;
    this.free = true;  // follows the layout until somebody moves it
    this.near = -1;
    this.element = h("canvas", { tabindex: "0", role: "application", "aria-label": `Graph of ${nodes.length} nodes. Arrow keys move, plus and minus zoom.` });
    const names = [...new Set(nodes.map((node) => node.labels[0] || ""))].sort();
    this.hue = nodes.map((node) => HUES[names.indexOf(node.labels[0] || "") % HUES.length]);
    const crowd = Math.min(1, Math.sqrt(400 / nodes.length));  // the more there are, the smaller
    this.size = nodes.map((node) => crowd * Math.min(14, 2.5 + 1.1 * Math.sqrt(node.degree)));
    this.named = [...nodes.keys()].sort((a, b) => nodes[b].degree - nodes[a].degree).slice(0, NAMES_SHOWN);
    this.frames = [];
    this.tasks = [];
  }

  start(frame) {
    this.resizing = new ResizeObserver(() => { this.free ? this.fit(true) : this.draw(); });
    this.resizing.observe(frame);
    this.listen();
    this.pointed(null);
    this.worker = new Worker(scripts ? scripts.createScriptURL("") : "/explorer/layout_worker.js", { type: "module" });
    this.worker.onmessage = ({ data }) => {
      this.x = data.x;
      this.y = data.y;
      this.free ? this.fit(true) : this.draw();
      if (data.done) { this.worker.terminate(); this.element.dataset.settled = "true"; }
    };
    this.worker.postMessage({ count: this.nodes.length, links: this.edges.map(([source, target]) => [source, target]) });
  }

  close() {
    this.worker?.terminate();
    this.resizing?.disconnect();
    this.tasks.forEach((task) => task());
  }

  listen() {
    const canvas = this.element;
    let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.offsetX, y: event.offsetY, moved: false, node: this.at(event.offsetX, event.offsetY) };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return this.point(this.at(event.offsetX, event.offsetY));
      const [dx, dy] = [event.offsetX - held.x, event.offsetY - held.y];
      if (!held.moved && Math.hypot(dx, dy) < 4) return;
      Object.assign(held, { x: event.offsetX, y: event.offsetY, moved: true });
      this.free = false;
      if (held.node >= 0) { this.x[held.node] += dx / this.scale; this.y[held.node] += dy / this.scale; }
      else {
        if (!this.moving) { this.moving = true; this.hold(); }
        this.left += dx;
        this.top += dy;
      }
      this.draw();
    });
    const letGo = () => {
      held = null;
      if (this.moving) { this.moving = false; this.sheet = null; this.draw(); }
    };
    canvas.addEventListener("pointerup", () => {
      if (held && !held.moved && held.node >= 0) this.opened(this.nodes[held.node]);
      letGo();
    });
    canvas.addEventListener("pointercancel", letGo);
    canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(Math.exp(-event.deltaY / 500), event.offsetX, event.offsetY); }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    const theme = () => this.draw();
    addEventListener("recollect-theme", theme);
    this.tasks.push(() => removeEventListener("recollect-theme", theme));
  }

  key(event) {
    const moves = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (moves[event.key]) { this.free = false; this.left += moves[event.key][0]; this.top += moves[event.key][1]; this.draw(); }
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(1 / 1.25);
    else if (event.key === "0") this.fit();
    else if (event.key === "Enter" && this.near >= 0) this.opened(this.nodes[this.near]);
    else return;
    event.preventDefault();
  }

  zoom(factor, x = this.element.clientWidth / 2, y = this.element.clientHeight / 2) {
    const scale = Math.min(12, Math.max(0.02, this.scale * factor));
    this.left = x - ((x - this.left) * scale) / this.scale;
    this.top = y - ((y - this.top) * scale) / this.scale;
    this.scale = scale;
    this.free = false;
    this.draw();
  }

  fit(free = false) {
    const [w, t] = [this.element.clientWidth, this.element.clientHeight];
    const bounds = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
    const [[x0, x1], [y0, y1]] = [bounds(this.x), bounds(this.y)];
    this.scale = Math.min(3.5, (w - 70) / Math.max(1, x1 - x0), (t - 70) / Math.max(1, y1 - y0));
    this.left = w / 2 - (this.scale * (x0 + x1)) / 2;
    this.top = t / 2 - (this.scale * (y0 + y1)) / 2;
    this.free = free;
    this.draw();
  }

  show(node) {
    const number = this.nodes.indexOf(node);
    this.scale = Math.max(this.scale, 1.2);
    this.left = this.element.clientWidth / 2 - this.x[number] * this.scale;
    this.top = this.element.clientHeight / 2 - this.y[number] * this.scale;
    this.free = false;
    this.point(number);
    this.element.focus();
  }

  at(px, py) {
    const [x, y] = [(px - this.left) / this.scale, (py - this.top) / this.scale];
    let [best, least] = [-1, Infinity];
    for (let i = 0; i < this.nodes.length; i += 1) {
      const far = Math.hypot(this.x[i] - x, this.y[i] - y) - this.radius(i);
      if (far < least && far < 4 / this.scale) [best, least] = [i, far];
    }
    return best;
  }

  radius(i) { return this.size[i] / Math.max(0.55, Math.sqrt(this.scale)); }

  point(number) {
    if (number === this.near) return;
    this.near = number;
    this.element.style.cursor = number >= 0 ? "pointer" : "grab";
    this.pointed(this.nodes[number] || null);
    this.draw();
  }

  draw() {
    if (this.waiting) return;
    this.waiting = requestAnimationFrame(() => { this.waiting = 0; this.paint(); });
  }

  // While the whole is only moved, what was drawn is moved: lines are drawn anew when it ends.
  paint() {
    const began = performance.now();
    if (this.moving && this.sheet) this.shift(); else this.compose();
    this.frames.push(performance.now() - began);
    if (this.frames.length > 200) this.frames.shift();
    this.element.dataset.paintMs = (this.frames.reduce((a, b) => a + b, 0) / this.frames.length).toFixed(1);
  }

  // The picture as it was when the hand took hold of it, and how far the hand has come since.
  hold() {
    const { width, height } = this.element;
    this.sheet = { left: this.left, top: this.top, image: new OffscreenCanvas(width + 2 * MARGIN, height + 2 * MARGIN) };
    this.compose(this.sheet.image, MARGIN);
  }

  shift() {
    const dense = devicePixelRatio || 1;
    const pen = this.element.getContext("2d", { alpha: true });
    const [dx, dy] = [dense * (this.left - this.sheet.left), dense * (this.top - this.sheet.top)];
    if (Math.abs(dx) > MARGIN || Math.abs(dy) > MARGIN) return this.hold(), this.shift();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.element.width, this.element.height);
    pen.drawImage(this.sheet.image, Math.round(dx) - MARGIN, Math.round(dy) - MARGIN);
  }

  // One path for all lines and one for each hue of nodes: thousands in a few milliseconds.
  compose(canvas = this.element, margin = 0) {
    const dense = devicePixelRatio || 1;
    const [w, t] = [this.element.clientWidth, this.element.clientHeight];
    if (!margin && (canvas.width !== Math.round(w * dense) || canvas.height !== Math.round(t * dense))) { canvas.width = Math.round(w * dense); canvas.height = Math.round(t * dense); }
    const style = getComputedStyle(this.element);
    const [ink, line, card] = ["--ink", "--line-strong", "--card"].map((name) => style.getPropertyValue(name).trim());
    const dark = matchMedia("(prefers-color-scheme: dark)").matches ? document.documentElement.dataset.theme !== "light" : document.documentElement.dataset.theme === "dark";
    const pen = canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(dense * this.scale, 0, 0, dense * this.scale, dense * this.left + margin, dense * this.top + margin);
    this.lines(pen, line, this.edges.length > 2500 ? 0.35 : 0.7, () => true);
    for (const hue of new Set(this.hue)) {
      pen.fillStyle = `hsl(${hue} ${dark ? "60% 68%" : "55% 45%"})`;
      pen.beginPath();
      for (let i = 0; i < this.nodes.length; i += 1) {
        if (this.hue[i] !== hue) continue;
        pen.moveTo(this.x[i] + this.radius(i), this.y[i]);
        pen.arc(this.x[i], this.y[i], this.radius(i), 0, 7);
      }
      pen.fill();
    }
    if (this.near >= 0) this.lines(pen, ink, 0.9, ([source, target]) => source === this.near || target === this.near);
    this.names(pen, ink, card, dense, margin);
  }

  lines(pen, colour, strength, wanted) {
    pen.strokeStyle = colour;
    pen.globalAlpha = strength;
    pen.lineWidth = 0.8 / this.scale;
    pen.beginPath();
    for (const edge of this.edges) {
      if (!wanted(edge)) continue;
      pen.moveTo(this.x[edge[0]], this.y[edge[0]]);
      pen.lineTo(this.x[edge[1]], this.y[edge[1]]);
    }
    pen.stroke();
    pen.globalAlpha = 1;
  }

  // Names of the best-connected, and of what is pointed at; more of them when there is room.
  names(pen, ink, card, dense, margin) {
    pen.setTransform(dense, 0, 0, dense, margin, margin);
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.lineWidth = 3;
    pen.strokeStyle = card;
    pen.fillStyle = ink;
    const taken = [];
    const chosen = this.scale > 1.1 ? [...this.nodes.keys()] : this.named;
    for (const i of this.near >= 0 ? [this.near, ...chosen] : chosen) {
      const [x, y] = [this.x[i] * this.scale + this.left, this.y[i] * this.scale + this.top - this.radius(i) * this.scale - 4];
      if (x < -50 || y < -20 || x > this.element.clientWidth + 50 || y > this.element.clientHeight + 20) continue;
      const text = this.nodes[i].name.length > 24 ? `${this.nodes[i].name.slice(0, 23)}…` : this.nodes[i].name;
      const half = Math.max(48, pen.measureText(text).width / 2 + 4);
      if (taken.length > 120 || taken.some(([a, b, other]) => Math.abs(a - x) < half + other && Math.abs(b - y) < 18)) continue;
      taken.push([x, y, half]);
      pen.strokeText(text, x, y);
      pen.fillText(text, x, y);
    }
  }
}
