import { checkOptions } from '../../core/options/check-options.js';
import type { GraphPicture } from '../../graph/description/graph-picture.js';
import { needDocument } from '../../tools/dom.js';
import {
  GRAPH_VIEW_OPTIONS,
  GraphView,
  type GraphViewHandle,
  type GraphViewOptions,
} from '../../tools/graph-view.js';
import { FrameDescription } from './frame-description.js';

export type { GraphViewHandle, GraphViewOptions };

const POLL_MILLISECONDS = 500;

/**
 * The frame graph over the page (SYSTEMS X5): while it is open, the render thread is asked twice a second, and what has
 * changed is drawn.
 */
export class FrameGraphView {
  readonly #describe: () => Promise<GraphPicture>;
  readonly #disposed: AbortSignal;
  #view: GraphView | null = null;
  #shown: FrameDescription | null = null;

  /** @param disposed aborted with the engine */
  constructor(describe: () => Promise<GraphPicture>, disposed: AbortSignal) {
    this.#describe = describe;
    this.#disposed = disposed;
  }

  /** What the last frame was made of. */
  async describe(): Promise<FrameDescription> {
    return new FrameDescription(await this.#describe());
  }

  /** Asked again, the same one. @throws OptionError `option-unknown`, `option-invalid`; PlatformError `document-missing` */
  async show(options: GraphViewOptions = {}): Promise<GraphViewHandle> {
    checkOptions('showFrameGraph', options, GRAPH_VIEW_OPTIONS);
    this.#disposed.throwIfAborted();
    needDocument('showFrameGraph');
    if (!this.#view) {
      let timer: ReturnType<typeof setInterval> | undefined;
      const view = new GraphView(options, () => {
        clearInterval(timer);
        this.#disposed.removeEventListener('abort', close);
        this.#view = this.#shown = null;
      });
      const close = (): void => view.close();
      this.#disposed.addEventListener('abort', close);
      timer = setInterval(() => void this.#update(), POLL_MILLISECONDS);
      this.#view = view;
    }
    const view = this.#view;
    await this.#update();
    return { close: () => view.close() };
  }

  async #update(): Promise<void> {
    // Threads that end meanwhile are asked again, by the next turn.
    const frame = await this.describe().catch(() => null);
    if (!frame || !this.#view) return;
    const changes = this.#shown ? frame.changesSince(this.#shown) : [];
    this.#shown = frame;
    this.#view.update(frame.toSvg(), frame.toString(), changes);
  }
}
