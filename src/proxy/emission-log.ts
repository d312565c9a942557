import { birthsUntil, type Emission, fractionAt } from './particles.js';

/** Seconds for which the log keeps an emission after the death of its last particle. */
const MARGIN = 1;

/**
 * The emissions of a particle system whose particles may still live. A new stream receives all of them. The new render
 * side then computes the particles that the old render side showed.
 */
export class EmissionLog {
  /** Emissions in the order of their starts; the last one is in effect. */
  entries: Emission[] = [];

  /**
   * Ends the emission in effect and begins another one. Drops emissions whose particles have died.
   * @param seconds scene time
   * @param rate births per second
   * @param burst number of births at once
   * @param life maximum life of a particle, in seconds
   */
  begin(seconds: number, rate: number, burst: number, life: number): Emission {
    const before = this.entries.at(-1);
    const entry = {
      start: seconds,
      births: before ? birthsUntil(before, seconds) : 0,
      fraction: before ? fractionAt(before, seconds) : 0,
      rate,
      burst,
    };
    this.entries.push(entry);
    const oldest = seconds - life - MARGIN;
    const first = this.entries.findIndex(
      (_, index) => (this.entries[index + 1]?.start ?? Infinity) >= oldest,
    );
    this.entries.splice(0, first);
    return entry;
  }

  clear(): void {
    this.entries = [];
  }
}
