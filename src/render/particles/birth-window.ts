import { birthsUntil, birthTick, type Emission, TICKS_PER_SECOND } from '../../proxy/particles.js';

/** Seconds by which births are kept longer than needed, because ticks are rounded. */
const MARGIN = 1e-3;
/** From this age on, in ticks modulo 2^32, a birth lies in the future. */
const FUTURE = 2 ** 31;

/**
 * The particles of a system that may live: a window of successive births over a ring of slots.
 *
 *   births   … 7 8 9 │ 10 11 12 13 14 15 │ 16 …        slot = birth modulo capacity
 *              ended   ▲ first            ▲ next       newborn: those of the last update
 */
export class BirthWindow {
  first = 0;
  next = 0;
  /** Number of particles that the last update added. They are the newest ones. */
  newborn = 0;
  /** Tick of birth of each slot, modulo 2^32. */
  readonly ticks: Uint32Array<ArrayBuffer>;
  readonly #pending: Emission[] = [];
  #emission: Emission | undefined;

  constructor(capacity: number) {
    this.ticks = new Uint32Array(capacity);
  }

  get count(): number {
    return this.next - this.first;
  }

  /** Changes the births from `emission.start` on. Called in the order of the starts. */
  add(emission: Emission): void {
    this.#pending.push(emission);
  }

  /**
   * Per frame: adds the births up to a moment, and removes particles that have ended.
   * @param seconds scene time
   * @param life maximum life of a particle, in seconds
   */
  update(seconds: number, life: number): void {
    const before = this.next;
    const oldest = seconds - life - MARGIN;
    for (const emission of this.#pending) {
      if (this.#emission) this.#bear(this.#emission, emission.births, oldest);
      else this.first = this.next = emission.births;
      this.#emission = emission;
    }
    this.#pending.length = 0;
    if (this.#emission) this.#bear(this.#emission, birthsUntil(this.#emission, seconds), oldest);
    this.#removeEnded(Math.floor(seconds * TICKS_PER_SECOND) >>> 0, Math.ceil(life * TICKS_PER_SECOND));
    this.newborn = Math.min(this.next - before, this.count);
  }

  /** @param oldest scene time of births that end now */
  #bear(emission: Emission, end: number, oldest: number): void {
    const { ticks } = this;
    let from = Math.max(this.next, end - ticks.length);
    // All births up to `oldest` have ended.
    if (emission.start < oldest) from = Math.max(from, Math.min(birthsUntil(emission, oldest), end));
    if (end <= this.next) return;
    if (from > this.next) this.first = from;
    for (let birth = from; birth < end; birth++) {
      ticks[birth % ticks.length] = birthTick(emission, birth);
    }
    this.next = end;
    this.first = Math.max(this.first, end - ticks.length);
  }

  #removeEnded(now: number, life: number): void {
    const { ticks } = this;
    while (this.first < this.next) {
      const age = (now - (ticks[this.first % ticks.length] as number)) >>> 0;
      if (age < life || age >= FUTURE) return;
      this.first++;
    }
  }
}
