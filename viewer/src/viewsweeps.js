// Lines of nodes in space: the section swept along the nodes, coloured by the strain of its fibres (blue stretched, red pressed).
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, Line, LineBasicMaterial, Mesh, MeshStandardMaterial, SphereGeometry, Vector3,
} from "three";
import { floorIndex, numbers } from "./data.js";
import { isDark, seriesColor } from "./theme.js";
import { View3d } from "./view3d.js";

const stretched = new Color(0x285faf);
const pressed = new Color(0xc83c28);
const trailPoints = 2000;

/** Corners of a section and the sides between them; corners of edges are listed once per side, so that edges stay sharp. */
function outline(section) {
  if (section.shape === "circle") {
    const n = 24;
    const at = Array.from({ length: n }, (_, i) => (2 * Math.PI * i) / n);
    return { points: at.map((a) => [section.radius * Math.cos(a), section.radius * Math.sin(a)]), sides: at.map((_, i) => [i, (i + 1) % n]) };
  }
  const [a, b] = [section.width / 2, section.height / 2];
  const corners = [[a, b], [-a, b], [-a, -b], [a, -b]];
  return {
    points: corners.flatMap((c, i) => [c, corners[(i + 1) % 4]]),
    sides: corners.map((_, i) => [2 * i, 2 * i + 1]),
  };
}

/** The surface of one line: a ring of points per node, and the two ends with points of their own. */
class Sweep {
  constructor(line, first) {
    this.first = first;
    this.nodes = line.nodes;
    this.outline = outline(line.section);
    const ring = this.outline.points.length;
    const count = ring * (line.nodes + 2);
    this.geometry = new BufferGeometry();
    for (const name of ["position", "color"]) this.geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * count), 3));
    const index = [];
    for (let a = 0; a + 1 < line.nodes; a++)
      for (const [i, j] of this.outline.sides) {
        const [p, q, r, s] = [a * ring + i, a * ring + j, (a + 1) * ring + i, (a + 1) * ring + j];
        index.push(p, q, s, p, s, r);
      }
    for (const [cap, turn] of [[line.nodes, true], [line.nodes + 1, false]])
      for (let i = 1; i + 1 < ring; i++) index.push(cap * ring, cap * ring + (turn ? i + 1 : i), cap * ring + (turn ? i : i + 1));
    this.geometry.setIndex(index);
    this.mesh = new Mesh(this.geometry, new MeshStandardMaterial({ vertexColors: true, roughness: 0.55, metalness: 0.05, side: DoubleSide }));
    this.mesh.frustumCulled = false;
  }
  /** Every point anew, from `frame(node)` = { x, e1, e2, strain }; `tint(strain, color)` fills a colour. */
  place(frame, tint) {
    const { points } = this.outline;
    const position = this.geometry.attributes.position;
    const paint = this.geometry.attributes.color;
    const color = new Color();
    let n = 0;
    for (const a of [...Array(this.nodes).keys(), 0, this.nodes - 1]) {
      const { x, e1, e2, strain } = frame(this.first + a);
      for (const [u, v] of points) {
        position.setXYZ(n, x[0] + u * e1[0] + v * e2[0], x[1] + u * e1[1] + v * e2[1], x[2] + u * e1[2] + v * e2[2]);
        tint(strain[2] + strain[0] * v - strain[1] * u, color);
        paint.setXYZ(n++, color.r, color.g, color.b);
      }
    }
    position.needsUpdate = paint.needsUpdate = true;
    this.geometry.computeVertexNormals();
  }
}

export class ViewSweeps extends View3d {
  build() {
    super.build();
    const { motion } = this;
    this.x = numbers(motion.position);
    this.q = numbers(motion.rotation);
    this.strain = numbers(motion.strain);
    this.width = motion.sweeps.reduce((sum, line) => sum + line.nodes, 0);
    this.largest = this.largestStrain();
    let first = 0;
    this.sweeps = motion.sweeps.map((line, b) => {
      const sweep = new Sweep(line, first);
      first += line.nodes;
      sweep.trails = [sweep.first, first - 1].map((node) => this.tipTrail(node, seriesColor(b)));
      this.scene.add(sweep.mesh);
      return sweep;
    });
    for (const { centre, radius } of motion.spheres) {
      const ball = new Mesh(new SphereGeometry(radius, 48, 32), new MeshStandardMaterial({ color: 0x8a93a5, roughness: 0.8 }));
      ball.position.set(...centre);
      this.scene.add(ball);
    }
    // A line that flies far is looked at from near.
    this.length = Math.max(...motion.sweeps.map((line) => line.length));
    this.follow = this.radius > 3 * this.length;
  }
  reset() {
    super.reset();
    if (this.follow) this.distance = 3.4 * this.length;
    this.draw();
  }
  /** Fibre strains of all sections at all frames: the scale of the colours. */
  largestStrain() {
    let largest = 0;
    let n = 0;
    for (let k = 0; k < this.frames.t.length; k++)
      for (const { nodes, section } of this.motion.sweeps) {
        const [a, b] = section.shape === "circle" ? [section.radius, section.radius] : [section.width / 2, section.height / 2];
        for (let i = 0; i < nodes; i++, n += 3)
          largest = Math.max(largest, Math.abs(this.strain[n + 2]) + b * Math.abs(this.strain[n]) + a * Math.abs(this.strain[n + 1]));
      }
    return largest > 1e-9 ? largest : 1;
  }
  tipTrail(node, tint) {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * trailPoints), 3));
    const line = new Line(geometry, new LineBasicMaterial({ color: new Color(tint) }));
    line.frustumCulled = false;
    this.scene.add(line);
    return { node, line };
  }

  /** The frame of a node at the time of `this.frames`: straight between recorded positions, the shorter way between rotations. */
  frameOf(node) {
    const { i, f, t } = this.frames;
    const next = Math.min(i + 1, t.length - 1);
    const [a, b] = [i * this.width + node, next * this.width + node];
    const mix = (list, n, k) => list[n * a + k] * (1 - f) + list[n * b + k] * f;
    const x = [0, 1, 2].map((k) => mix(this.x, 3, k));
    const strain = [0, 1, 2].map((k) => mix(this.strain, 3, k));
    const dot = [0, 1, 2, 3].reduce((sum, k) => sum + this.q[4 * a + k] * this.q[4 * b + k], 0);
    const turn = [0, 1, 2, 3].map((k) => this.q[4 * a + k] * (1 - f) + (dot < 0 ? -f : f) * this.q[4 * b + k]);
    const size = Math.hypot(...turn) || 1;
    const [w, p, q, r] = turn.map((c) => c / size);
    return {
      x, strain,
      e1: [1 - 2 * (q * q + r * r), 2 * (p * q + w * r), 2 * (p * r - w * q)],
      e2: [2 * (p * q - w * r), 1 - 2 * (p * p + r * r), 2 * (q * r + w * p)],
    };
  }
  place() {
    super.place();
    if (!this.sweeps) return;
    const base = new Color(isDark() ? 0x6a7280 : 0xdfe3e8);
    const tint = (strain, color) => {
      const s = Math.max(-1, Math.min(1, strain / this.largest));
      color.copy(base).lerp(s < 0 ? pressed : stretched, Math.abs(s) ** 0.7);
    };
    for (const sweep of this.sweeps) {
      sweep.place((node) => this.frameOf(node), tint);
      sweep.trails.forEach((trail) => this.drawTip(trail));
    }
  }
  drawTip({ node, line }) {
    const { t, i } = this.frames;
    line.visible = this.trail !== "none";
    const length = this.trail === "all" ? Infinity : 3 * this.player.speed * (this.trail === "long" ? 6 : 1);
    const first = Math.max(floorIndex(t, this.player.t - length), 0);
    const stride = Math.max(Math.ceil((i - first + 1) / (trailPoints - 2)), 1);
    const points = line.geometry.attributes.position;
    let n = 0;
    for (let k = first; k <= i; k += stride) points.setXYZ(n++, ...this.x.subarray(3 * (k * this.width + node), 3 * (k * this.width + node) + 3));
    points.setXYZ(n++, ...this.frameOf(node).x);
    points.needsUpdate = true;
    line.geometry.setDrawRange(0, n);
  }
  followed() {
    const { first, nodes } = this.sweeps[0];
    const middle = new Vector3();
    for (let a = 0; a < nodes; a++) middle.add(new Vector3(...this.frameOf(first + a).x));
    return middle.divideScalar(nodes);
  }
}
