/**
 * The log of the engine's events and of the visitor's actions, newest entry first. The entry of a recovery includes the
 * recovery's duration.
 */
import type { Engine } from '../src/index.js';

/** Kind of an entry. `deed` is an action of the visitor. The other kinds are events of the engine, by colour. */
type Kind = 'deed' | 'bad' | 'good' | 'plain';

const MOST_ENTRIES = 40;

export class EventLog {
  readonly #list: HTMLElement;
  /** Time of the failure in milliseconds, by the page's clock. */
  #failedAt = 0;

  constructor(list: HTMLElement) {
    this.#list = list;
  }

  watch(engine: Engine): void {
    const took = (): string => `${((performance.now() - this.#failedAt) / 1000).toFixed(1)} s`;
    engine.addEventListener('error', ({ detail }) => this.add('bad', `error ${detail.code}`, detail.message));
    engine.addEventListener('devicelost', ({ detail }) => {
      this.#failedAt = performance.now();
      this.add('bad', 'devicelost', `${detail.reason}: ${detail.message}`);
    });
    engine.addEventListener('devicerestored', ({ detail }) =>
      this.add(
        'good',
        'devicerestored',
        `Frame ${detail.frame} was drawn by another device, ${took()} after the loss.`,
      ),
    );
    engine.addEventListener('threadrestarted', ({ detail: { thread, frame } }) =>
      this.add(
        'good',
        'threadrestarted',
        `Another ${thread} worker has drawn frame ${frame}, after ${took()}.`,
      ),
    );
    engine.addEventListener('surfacechange', ({ detail: { newCanvas } }) =>
      this.add(
        'plain',
        'surfacechange',
        `A fresh canvas of ${newCanvas.width} × ${newCanvas.height} has replaced the old one.`,
      ),
    );
    engine.addEventListener('resize', ({ detail: { width, height } }) =>
      this.add('plain', 'resize', `${width} × ${height} pixels`),
    );
  }

  /** Adds an action of the visitor, and starts the measured time. */
  begin(what: string): void {
    this.#failedAt = performance.now();
    this.add('deed', 'you', what);
  }

  add(kind: Kind, name: string, text: string): void {
    const entry = document.createElement('li');
    entry.className = kind;
    entry.dataset.event = name;
    const time = document.createElement('time');
    time.textContent = `${(performance.now() / 1000).toFixed(1)} s`;
    const title = document.createElement('b');
    title.textContent = name;
    entry.append(time, title, ` ${text}`);
    this.#list.prepend(entry);
    while (this.#list.childElementCount > MOST_ENTRIES) this.#list.lastElementChild?.remove();
  }
}
