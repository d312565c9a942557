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
 * Shows the frame graph over the page (SYSTEMS X5). While the view is open, the render thread is polled twice a second,
 * and changes are drawn.
 */
export class FrameGraphView {
  readonly #describe: () => Promise<GraphPicture>;
  readonly #disposed: AbortSignal;
  #view: GraphView | null = null;
  #shown: FrameDescription | null = null;

  /** @param disposed aborted when the engine is disposed of */
  constructor(describe: () => Promise<GraphPicture>, disposed: AbortSignal) {
    this.#describe = describe;
    this.#disposed = disposed;
  }

  /** Describes the last frame. */
  async describe(): Promise<FrameDescription> {
    return new FrameDescription(await this.#describe());
  }

  /**
   * Shows the view; later calls return a handle of the same view.
   * @throws OptionError `option-unknown`, `option-invalid`; PlatformError `document-missing`
   */
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
    // If the threads end meanwhile, the next poll asks their replacement.
    const frame = await this.describe().catch(() => null);
    if (!frame || !this.#view) return;
    const changes = this.#shown ? frame.changesSince(this.#shown) : [];
    this.#shown = frame;
    this.#view.update(frame.toSvg(), frame.toString(), changes);
  }
}
