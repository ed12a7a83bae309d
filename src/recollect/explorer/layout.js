// A force-directed layout: links pull, nodes push each other away, by a quadtree so that thousands work.

const PUSH = 900;
const PULL = 0.04;
const LENGTH = 36;
const CENTER = 0.012;
const WIDE = 0.9;  // how coarse far groups of nodes are seen

export class Layout {
  constructor(count, links) {
    this.count = count;
    this.links = links;
    this.x = new Float32Array(count);
    this.y = new Float32Array(count);
    this.dx = new Float32Array(count);
    this.dy = new Float32Array(count);
    this.degree = new Float32Array(count);
    this.heat = 1;
    for (const [a, b] of links) { this.degree[a] += 1; this.degree[b] += 1; }
    // A spiral, the same every time: equal graphs look equal.
    for (let i = 0; i < count; i += 1) {
      const radius = 14 * Math.sqrt(i + 0.5);
      this.x[i] = radius * Math.cos(i * 2.399963);
      this.y[i] = radius * Math.sin(i * 2.399963);
    }
  }

  step() {
    const { x, y, dx, dy, count, heat } = this;
    const tree = new Quadtree(x, y, count);
    for (let i = 0; i < count; i += 1) tree.push(i, dx, dy, heat);
    for (const [a, b] of this.links) {
      const vx = x[b] - x[a];
      const vy = y[b] - y[a];
      const far = Math.sqrt(vx * vx + vy * vy) || 1;
      const least = Math.min(this.degree[a], this.degree[b]) || 1;
      const pull = (heat * PULL * 4 * (far - LENGTH)) / far / Math.sqrt(least);
      const lean = this.degree[a] / (this.degree[a] + this.degree[b]);
      dx[a] += vx * pull * (1 - lean); dy[a] += vy * pull * (1 - lean);
      dx[b] -= vx * pull * lean; dy[b] -= vy * pull * lean;
    }
    for (let i = 0; i < count; i += 1) {
      dx[i] = (dx[i] - x[i] * CENTER * heat) * 0.6;
      dy[i] = (dy[i] - y[i] * CENTER * heat) * 0.6;
      const speed = Math.hypot(dx[i], dy[i]);
      const slow = speed > 60 ? 60 / speed : 1;
      x[i] += dx[i] * slow;
      y[i] += dy[i] * slow;
    }
    this.heat *= 0.988;
  }
}

class Quadtree {
  constructor(x, y, count) {
    let size = 1;
    for (let i = 0; i < count; i += 1) size = Math.max(size, Math.abs(x[i]), Math.abs(y[i]));
    this.x = x;
    this.y = y;
    this.root = cell(-size, -size, 2 * size);
    for (let i = 0; i < count; i += 1) this.add(i);
    sum(this.root, x, y);
  }

  add(i) {
    let at = this.root;
    for (let depth = 0; depth < 24; depth += 1) {
      if (!at.parts) {
        if (at.node === -1) { at.node = i; return; }
        const other = at.node;
        at.parts = [null, null, null, null];
        at.node = -1;
        this.into(at, other).node = other;
      }
      at = this.into(at, i);
    }
    at.more = (at.more || 0) + 1;  // on the same spot as another
  }

  into(at, i) {
    const half = at.size / 2;
    const right = this.x[i] >= at.left + half ? 1 : 0;
    const low = this.y[i] >= at.top + half ? 1 : 0;
    const part = right + 2 * low;
    at.parts[part] ??= cell(at.left + right * half, at.top + low * half, half);
    return at.parts[part];
  }

  push(i, dx, dy, heat) {
    const waiting = [this.root];
    while (waiting.length) {
      const at = waiting.pop();
      if (!at || !at.mass || at.node === i) continue;
      let vx = this.x[i] - at.cx;
      let vy = this.y[i] - at.cy;
      let far = vx * vx + vy * vy;
      if (at.parts && at.size * at.size > WIDE * WIDE * far) {
        for (const each of at.parts) if (each) waiting.push(each);
        continue;
      }
      if (far < 1) { vx = ((i % 7) - 3) / 3 || 0.5; vy = ((i % 5) - 2) / 2 || 0.5; far = 1; }
      const force = (heat * PUSH * at.mass) / far / Math.sqrt(far) / 6;
      dx[i] += vx * force;
      dy[i] += vy * force;
    }
  }
}

const cell = (left, top, size) => ({ left, top, size, parts: null, node: -1, mass: 0, cx: 0, cy: 0 });

function sum(at, x, y) {
  if (!at.parts) {
    at.mass = at.node === -1 ? 0 : 1 + (at.more || 0);
    if (at.node !== -1) { at.cx = x[at.node]; at.cy = y[at.node]; }
    return;
  }
  for (const each of at.parts) {
    if (!each) continue;
    sum(each, x, y);
    at.mass += each.mass;
    at.cx += each.cx * each.mass;
    at.cy += each.cy * each.mass;
  }
  if (at.mass) { at.cx /= at.mass; at.cy /= at.mass; }
}

// Where the nodes of a small graph come to rest.
export function settle(count, links, steps) {
  const layout = new Layout(count, links);
  for (let step = 0; step < steps; step += 1) layout.step();
  return Array.from({ length: count }, (_, i) => [layout.x[i], layout.y[i]]);
}
