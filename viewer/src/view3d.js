// The motion in space, with three.js: an orbiting camera, shaded shapes, walls as translucent planes.
import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, DirectionalLight,
  ExtrudeGeometry, GridHelper, Group, Line, LineBasicMaterial, Mesh, MeshStandardMaterial, PerspectiveCamera, PlaneGeometry,
  Quaternion, Scene, Shape, SphereGeometry, Vector3, WebGLRenderer, DoubleSide,
} from "three";
import { floorIndex } from "./data.js";
import { Frames } from "./frames.js";
import { color, onTheme, seriesColor } from "./theme.js";

const up = new Vector3(0, 0, 1);

export class View3d {
  constructor(canvas, motion, player) {
    this.canvas = canvas;
    this.player = player;
    this.motion = motion;
    this.frames = new Frames(motion);
    this.boundary = motion.boundary ?? { walls: [], hidden: [] };
    this.follow = false;
    this.trail = "short";
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(40, 1, 0.01, 1e5);
    this.camera.up.copy(up);
    const [x0, y0, z0, x1, y1, z1] = motion.bounds;
    this.middle = new Vector3((x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2);
    this.radius = Math.max(new Vector3(x1 - x0, y1 - y0, z1 - z0).length() / 2, 0.5);
    this.build();
    this.reset();
    new ResizeObserver(() => this.draw()).observe(canvas);
    onTheme(() => this.draw());
    player.on(() => this.draw());
    this.listen();
  }

  build() {
    const light = new DirectionalLight(0xffffff, 2.2);
    light.position.set(1, -2, 3);
    this.scene.add(light, new AmbientLight(0xffffff, 1.1));
    this.objects = this.frames.shapes.map((s, i) => this.object(s, s.color || seriesColor(i)));
    this.objects.forEach((o) => this.scene.add(o.group));
    this.planes = [];
    for (const { n, c } of this.boundary.walls) {
      const normal = new Vector3(...n);
      if (normal.length() < 1e-9) continue;
      const size = 2.2 * this.radius;
      const wall = new Group();
      const plane = new Mesh(new PlaneGeometry(size, size), new MeshStandardMaterial({ color: 0x8a93a5, transparent: true, opacity: 0.12, side: DoubleSide, depthWrite: false }));
      const lines = new GridHelper(size, 12, 0x8a93a5, 0x8a93a5);
      lines.material.transparent = true;
      lines.material.opacity = 0.35;
      lines.rotation.x = Math.PI / 2;
      wall.add(plane, lines);
      wall.quaternion.setFromUnitVectors(up, normal);
      this.planes.push({ wall, normal, c });
      this.scene.add(wall);
    }
  }

  object(s, tint) {
    const f = this.frames;
    const material = new MeshStandardMaterial({ color: new Color(tint), roughness: 0.5, metalness: 0.05 });
    const group = new Group();
    let mesh;
    if (s.type === "box") {
      const [a, b, c] = f.point(s.size);
      mesh = new Mesh(new BoxGeometry(a, b, c ?? Math.min(a, b) / 4), material);
    } else if (s.type === "polygon") {
      const outline = new Shape();
      s.vertices.forEach((v, k) => outline[k ? "lineTo" : "moveTo"](...f.point(v).slice(0, 2)));
      const depth = this.radius * 0.04;
      mesh = new Mesh(new ExtrudeGeometry(outline, { depth, bevelEnabled: false }).translate(0, 0, -depth / 2), material);
    } else if (s.type === "segment" || s.type === "capsule") {
      const r = s.type === "capsule" ? f.now(s.radius) : this.radius * 0.012;
      const rod = s.type === "capsule" ? new CapsuleGeometry(r, 1, 8, 24) : new CylinderGeometry(r, r, 1, 16);
      mesh = new Mesh(rod.rotateX(Math.PI / 2), material);
    } else {
      mesh = new Mesh(new SphereGeometry(s.radius === undefined ? this.radius * 0.03 : f.now(s.radius), 40, 24), material);
    }
    group.add(mesh);
    let trail = null;
    const refs = f.tracked(s);
    if (refs) {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(3 * 6000), 3));
      trail = new Line(geometry, new LineBasicMaterial({ color: new Color(tint) }));
      trail.frustumCulled = false;
      this.scene.add(trail);
    }
    return { shape: s, group, mesh, trail, refs };
  }

  place() {
    const f = this.frames;
    f.at(this.player.t);
    for (const o of this.objects) {
      const s = o.shape;
      if (s.from) {
        const a = new Vector3(...f.point(s.from));
        const b = new Vector3(...f.point(s.to));
        o.group.position.copy(a).add(b).multiplyScalar(0.5);
        const axis = b.clone().sub(a);
        const length = axis.length();
        o.group.quaternion.copy(new Quaternion().setFromUnitVectors(up, axis.normalize()));
        o.mesh.scale.set(1, 1, Math.max(length, 1e-9));
      } else {
        if (s.position) o.group.position.set(...[...f.point(s.position), 0].slice(0, 3));
        o.group.rotation.set(0, 0, f.now(s.angle));
      }
      if (o.trail) this.drawTrail(o);
    }
  }
  drawTrail(o) {
    const f = this.frames;
    o.trail.visible = this.trail !== "none";
    const length = this.trail === "all" ? Infinity : 3 * this.player.speed * (this.trail === "long" ? 6 : 1);
    const first = Math.max(floorIndex(f.t, this.player.t - length), 0);
    const stride = Math.max(Math.ceil((f.i - first + 1) / 5990), 1);
    const line = o.trail.geometry.attributes.position;
    let n = 0;
    for (let k = first; k <= f.i; k += stride) line.setXYZ(n++, f.then(o.refs[0], k), f.then(o.refs[1], k), f.then(o.refs[2] ?? 0, k));
    line.setXYZ(n++, ...[...f.point(o.refs), 0].slice(0, 3));
    line.needsUpdate = true;
    o.trail.geometry.setDrawRange(0, n);
  }

  reset() {
    this.azimuth = -1.1;
    this.height = 0.42;
    this.distance = this.radius * 3.4;
    this.draw();
  }
  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && document.activeElement !== canvas) return;
      e.preventDefault();
      this.distance *= Math.exp(e.deltaY / 400);
      this.draw();
    }, { passive: false });
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      let [x, y] = [e.clientX, e.clientY];
      const move = (m) => {
        this.azimuth -= (m.clientX - x) / 150;
        this.height = Math.min(Math.max(this.height + (m.clientY - y) / 150, -1.5), 1.5);
        [x, y] = [m.clientX, m.clientY];
        this.draw();
      };
      canvas.addEventListener("pointermove", move);
      canvas.addEventListener("pointerup", () => canvas.removeEventListener("pointermove", move), { once: true });
    });
    canvas.addEventListener("dblclick", () => this.reset());
  }

  /** Where the camera looks when it follows. */
  followed() {
    return this.objects.find((one) => one.refs)?.group.position;
  }

  draw() {
    const w = this.canvas.clientWidth;
    const h = this.canvas.clientHeight;
    if (!w || !h || !this.objects || !this.distance) return;
    this.renderer.setPixelRatio(window.devicePixelRatio || 1);
    this.renderer.setSize(w, h, false);
    this.scene.background = new Color(color("stage"));
    this.place();
    for (const { wall, normal, c } of this.planes)
      wall.position.copy(this.middle).addScaledVector(normal, -(normal.dot(this.middle) + this.frames.now(c)));
    const target = this.middle.clone();
    if (this.follow) target.copy(this.followed() ?? target);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.camera.position.set(
      target.x + this.distance * Math.cos(this.height) * Math.cos(this.azimuth),
      target.y + this.distance * Math.cos(this.height) * Math.sin(this.azimuth),
      target.z + this.distance * Math.sin(this.height));
    this.camera.lookAt(target);
    this.renderer.render(this.scene, this.camera);
  }
}
