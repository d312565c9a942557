/**
 * Lanes of the page's own figures: measures of `performance.measure`, and values of `engine.counter`.
 *
 *   main · measures    ├── load ──┤   ├─ parse ─┤      a further lane for measures that overlap
 *   counter enemies    │ 12    │ 13         │ 9 …      a value lasts until the next
 */
import type { Measure } from './measure-watch.js';
import type { TimelineModel } from './timeline-model.js';

const PREFIX = 'counter ';

export class PageLanes {
  readonly #model: TimelineModel;

  constructor(model: TimelineModel) {
    this.#model = model;
  }

  addMeasures(measures: readonly Measure[]): void {
    const model = this.#model;
    for (const { name, begin, end } of measures) {
      if (begin < model.from) continue;
      const lane = model.freeLane('main · measures', 'passing', 'main', begin);
      model.bar(lane, 'span', 0, begin, end, 0, null, name);
    }
  }

  /** @param time milliseconds since the epoch */
  count(name: string, time: number, value: number): void {
    const lane = this.#model.lane(PREFIX + name, 'counter', 'main');
    const before = lane.bars.at(-1);
    if (before) before.end = Math.max(before.begin, time);
    this.#model.bar(lane, 'counter', 0, time, time, value, null, `${name} ${value}`);
  }
}

/** Returns the name of the counter that a lane of kind `counter` shows. */
export const counterOf = (lane: { readonly name: string }): string => lane.name.slice(PREFIX.length);
