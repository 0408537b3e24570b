// The clock of the page: where in the run we are, whether it moves, how fast.
export class Player {
  constructor(end, impactTimes) {
    this.end = end > 0 ? end : 1;
    this.impacts = impactTimes;
    this.t = 0;
    this.playing = false;
    this.speed = Player.pleasantSpeed(this.end, impactTimes);
    this.listeners = new Set();
  }

  /** One impact every second or so; a run without impacts takes half a minute. 1, 2, 5, 10, … times real time. */
  static pleasantSpeed(end, impacts) {
    const scale = impacts.length > 3 ? impacts[Math.min(impacts.length - 1, 40)] / Math.min(impacts.length, 41) : end / 30;
    if (scale > 0.15 && scale < 3 && end > 3) return 1;
    const wanted = Math.min(scale / 0.9, end / 4);
    const power = 10 ** Math.floor(Math.log10(wanted || 1));
    return [5, 2, 1].map((m) => m * power).find((s) => s <= wanted * 1.001) ?? power;
  }

  on(f) {
    this.listeners.add(f);
    f(this);
  }
  changed() {
    this.listeners.forEach((f) => f(this));
  }
  seek(t) {
    this.t = Math.min(Math.max(t, 0), this.end);
    this.changed();
  }
  toggle() {
    this.playing ? this.pause() : this.play();
  }
  play() {
    if (this.t >= this.end) this.t = 0;
    this.playing = true;
    this.last = undefined;
    this.changed();
    requestAnimationFrame((now) => this.tick(now));
  }
  pause() {
    this.playing = false;
    this.changed();
  }
  tick(now) {
    if (!this.playing) return;
    const seconds = this.last === undefined ? 0 : Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    this.t += seconds * this.speed;
    if (this.t >= this.end) {
      this.t = this.end;
      this.playing = false;
    }
    this.changed();
    requestAnimationFrame((next) => this.tick(next));
  }
  /** The next rung of 1, 2, 5, 10, … up or down. */
  changeSpeed(direction) {
    const exponent = Math.floor(Math.log10(this.speed) + 1e-9);
    const mantissa = Math.round(this.speed / 10 ** exponent);
    const rungs = [0.5, 1, 2, 5, 10];
    const next = rungs[Math.max(rungs.indexOf(mantissa), 1) + direction];
    this.speed = Number((next * 10 ** exponent).toPrecision(2));
    this.changed();
  }
}
