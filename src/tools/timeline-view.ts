import type { TimelineModel } from './timeline-model.js';
import type { TimelineOptions } from './timeline-options.js';

/** The timeline over the page. */
export class TimelineView {
  readonly #onClose: () => void;

  constructor(_model: TimelineModel, _options: TimelineOptions, onClose: () => void) {
    this.#onClose = onClose;
  }

  close(): void {
    this.#onClose();
  }
}
