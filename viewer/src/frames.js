// The motion: channels at frames, anything between by straight lines. Impacts are frames, so corners stay corners.
import { floorIndex, numbers } from "./data.js";

export class Frames {
  constructor(motion) {
    this.t = numbers(motion.t);
    this.channels = motion.channels.map(numbers);
    this.shapes = motion.shapes;
    this.at(0);
  }
  at(time) {
    const i = Math.min(Math.max(floorIndex(this.t, time), 0), Math.max(this.t.length - 2, 0));
    this.i = i;
    const span = this.t.length > 1 ? this.t[i + 1] - this.t[i] : 0;
    this.f = span > 0 ? Math.min(Math.max((time - this.t[i]) / span, 0), 1) : 0;
  }
  /** A number of a shape now. */
  now(ref, otherwise = 0) {
    if (ref === undefined) return otherwise;
    if (typeof ref === "number") return ref;
    const c = this.channels[ref.c];
    return this.f === 0 ? c[this.i] : c[this.i] + this.f * (c[this.i + 1] - c[this.i]);
  }
  /** A number of a shape at frame k. */
  then(ref, k) {
    return typeof ref === "number" ? ref : this.channels[ref.c][k];
  }
  point(refs) {
    return refs.map((r) => this.now(r));
  }
  /** The point whose path is drawn: the centre, or the far end of what hangs. Fixed ones have none. */
  tracked(shape) {
    const refs = shape.position ?? shape.to ?? shape.vertices?.[0];
    return refs && refs.some((r) => typeof r !== "number") ? refs : null;
  }
}
