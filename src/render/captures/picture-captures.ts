import type { StreamReader } from '../../core/streams/stream.js';
import { NO_ID } from '../../proxy/commands.js';
import type { AddedView } from '../picture/added-views.js';
import { CaptureReadback } from '../picture/capture-readback.js';
import type { CaptureSource } from './captured-view.js';
import { type CapturesHost, DrawnCapture } from './drawn-capture.js';
import { type CaptureRequest, RunningCapture } from './running-capture.js';

const WHOLE = { x: 0, y: 0, width: 1, height: 1 };

/**
 * Draws pictures of any size, by tiles and samples. After the frame that carried the request, each command list draws
 * one sample of one tile, or the overview of all tiles. The commands of the next frame are executed after the last
 * list, so all tiles show the same scene. The lists do not draw to the canvas.
 *
 *   capturePicture ─► sources ─► CapturedView … ─┬─ per list: aim ─► scene ─► tone mapping ─► sample
 *                                                └─ per tile: average ─► answer
 */
export class PictureCaptures {
  readonly #host: CapturesHost;
  readonly #requests: CaptureRequest[] = [];
  #drawing: DrawnCapture | undefined;
  readonly #unanswered: CaptureReadback;

  constructor(host: CapturesHost) {
    this.#host = host;
    this.#unanswered = new CaptureReadback(host.rhi);
  }

  /** Executes the reader's current record, `capturePicture`. */
  execute({ words, fields: at }: StreamReader): void {
    this.#requests.push({
      request: words[at] as number,
      view: words[at + 1] as number,
      width: words[at + 2] as number,
      height: words[at + 3] as number,
      samples: words[at + 4] as number,
    });
  }

  /** Whether a request needs another command list before the next frame. */
  get isPending(): boolean {
    return this.#requests.length > 0;
  }

  /** Records the next list of the first request. The caller begins and ends the list around the call. */
  record(frame: number, timeSeconds: number): void {
    const [request] = this.#requests;
    if (!request) return;
    this.#drawing ??= this.#begin(request);
    if (!this.#drawing) {
      this.#requests.shift();
      return;
    }
    this.#drawing.record(frame, timeSeconds);
    if (!this.#drawing.isDone) return;
    this.#requests.shift();
    this.#drawing.dispose(frame);
    this.#drawing = undefined;
  }

  dispose(): void {
    this.#drawing?.dispose();
    this.#unanswered.dispose();
  }

  /**
   * Begins to draw a request.
   * @returns undefined if the view does not exist any more; the request's tiles are then answered with meaningless
   * bytes
   */
  #begin(request: CaptureRequest): DrawnCapture | undefined {
    const host = this.#host;
    const { surface, shownWorld, features } = host;
    if (request.view === NO_ID) {
      const { mainView, scene } = shownWorld;
      const main: CaptureSource = { picture: mainView, parameters: scene.view, rectangle: WHOLE };
      const others = features.views?.onSurfaceNow ?? [];
      const sources = [main, ...others.map((view) => sourceOf(view, view.rectangle))];
      return new DrawnCapture(host, request, sources, surface.height / surface.pixelRatio);
    }
    const view = features.views?.find(request.view);
    if (view)
      return new DrawnCapture(host, request, [sourceOf(view, WHOLE)], features.views?.heightOf(view) ?? 0);
    const { tiles } = new RunningCapture(request, 0);
    for (const index of tiles.keys()) this.#unanswered.recordEmpty(request.request + index);
    return undefined;
  }
}

const sourceOf = (
  { picture, parameters }: AddedView,
  rectangle: CaptureSource['rectangle'],
): CaptureSource => ({ picture, parameters, rectangle });
