import { StateError } from '../../core/errors.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { writeWords } from '../../game/updates/write-record.js';
import { registerCanvas } from '../../game/world/canvas-views.js';
import type { View, ViewRect } from '../../game/world/view.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { type CapturedFrame, unpackCapture } from '../../proxy/unpack-capture.js';
import { type RenderConnection, takeContext, transferControl } from '../../threads/connections/connection.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import type { Captures } from '../captures/capture.js';
import type { EngineEventDetails } from '../events/engine-events.js';
import type { FrameProducer } from '../frames/frame-producer.js';
import type { FrameScheduler } from '../frames/frame-scheduler.js';
import type { FrameSettings, SurfaceSize } from '../options/frame-settings.js';
import type { PointerEvents } from '../pointer/pointer-events.js';
import { FreshCanvas } from './fresh-canvas.js';
import { OffscreenSurface } from './offscreen-surface.js';
import { canvasInUseError, type EngineSurface } from './surface.js';

export interface ViewCanvasesHost {
  readonly surface: EngineSurface;
  readonly pipeline: Pipeline;
  readonly producer: FrameProducer;
  readonly scheduler: FrameScheduler;
  readonly settings: FrameSettings;
  readonly captures: Captures;
  readonly reportError: (error: unknown) => void;
  /** Returns the dispatcher of pointer events; null if no actor listens. */
  readonly pointer: () => PointerEvents | null;
  emit<K extends keyof EngineEventDetails>(type: K, detail: EngineEventDetails[K]): void;
  isDisposed(): boolean;
}

/** Owner of a canvas that the page's thread draws to. */
const PAGE = 'page';
/** Owner of a canvas that a thread failed to take. No thread can draw to the canvas any more. */
const LOST = 'lost';

interface ShownCanvas {
  /** Number of the canvas in commands to the threads. */
  readonly id: number;
  readonly view: View;
  readonly surface: EngineSurface | OffscreenSurface;
  /** The worker or thread that controls the canvas; null until a thread has taken it. */
  owner: Worker | typeof PAGE | typeof LOST | null;
  /** A fresh canvas that is drawn to, until it has a picture and replaces the canvas in the document; else null. */
  fresh: FreshCanvas | null;
  /** Width as last sent; -1 if not sent yet. */
  width: number;
  /** Height as last sent; -1 if not sent yet. */
  height: number;
  /** Resolves when the last change of owner has ended. Changes of owner run one after another. */
  turn: Promise<void>;
}

/**
 * The canvases of views, besides the engine's own canvas. Each canvas is stored with the thread that controls it and
 * the size in which it is drawn. If the threads that take over can't draw to a canvas, a fresh canvas replaces it. This
 * object is created with the first canvas of a view.
 *
 *   addView ─► add ─┬─ control over the canvas ── giveSurface ──► the thread that draws
 *                   └─ its size ── setCanvas ──► render thread       the frame waits for both
 *   other threads ─► the same worker: keeps the canvas │ another worker: a fresh canvas, shown after its first frame
 */
export class ViewCanvases {
  readonly #host: ViewCanvasesHost;
  readonly #shown = new Map<View, ShownCanvas>();

  constructor(host: ViewCanvasesHost) {
    this.#host = host;
    host.pipeline.takeovers.add((next) => this.#moveTo(next));
  }

  /**
   * Adds the canvas of a view. Resolves when the next frame can draw to it. On failure the view is disposed of.
   * @throws OptionError `option-out-of-range`; PlatformError `canvas-in-use`
   */
  async add(view: View): Promise<void> {
    const { pipeline, producer } = this.#host;
    if (!view.surface) return;
    if (this.#host.isDisposed()) {
      view.dispose();
      return;
    }
    try {
      const surface = this.#surfaceOf(view);
      const shown = { id: view.canvasId, view, surface, owner: null, fresh: null, width: -1, height: -1 };
      const canvas: ShownCanvas = { ...shown, turn: Promise.resolve() };
      view.surface = {
        get canvas() {
          return surface.canvas;
        },
        get layout() {
          return surface instanceof OffscreenSurface
            ? ([surface.width, surface.height] as const)
            : surface.layout;
        },
        dispose: () => this.#drop(canvas),
      };
      this.#shown.set(view, canvas);
      this.#host.pointer()?.listenTo(surface.canvas, view);
      await producer.held;
      const { connection } = pipeline;
      await this.#inTurn(canvas, connection).catch((error: unknown) => {
        // If the threads have ended, their replacement gets the canvas.
        if (pipeline.isConnected && pipeline.connection === connection) throw error;
      });
    } catch (error) {
      view.dispose();
      throw error;
    }
  }

  /** Sends the sizes that have changed, and applies the engine's pixel ratio. */
  follow(): void {
    const { scheduler, producer } = this.#host;
    const { pixelRatio } = this.#host.surface;
    let hasChanged = false;
    for (const canvas of this.#shown.values()) {
      const { surface } = canvas;
      if (!(surface instanceof OffscreenSurface) && surface.pixelRatio !== pixelRatio)
        surface.pixelRatio = pixelRatio;
      if (surface.width === canvas.width && surface.height === canvas.height) continue;
      this.#sendSize(canvas);
      hasChanged = true;
    }
    if (hasChanged && producer.frame > 0) scheduler.redraw();
  }

  /** Captures the view's canvas. @throws StateError `canvas-hidden`, `view-not-drawn`; RhiError `capture-failed` */
  async capture(view: View): Promise<CapturedFrame> {
    const { captures, settings, pipeline } = this.#host;
    const { id, surface } = this.#shown.get(view) ?? {};
    if (!id || !surface?.width || !surface.height) {
      throw new StateError(
        'canvas-hidden',
        'captureFrame found the canvas of a view without a size: the canvas or one of its ancestors is hidden. Show it first, or give it a size off-screen.',
      );
    }
    if (!view.enabled || !view.camera) {
      throw new StateError(
        'view-not-drawn',
        `captureFrame was called for a view that ${view.enabled ? 'has no camera' : 'is not enabled'}, so nothing is drawn to its canvas. ${view.enabled ? 'Assign a camera to view.camera.' : 'Set view.enabled first.'}`,
      );
    }
    let [width, height] = [0, 0];
    const bytes = await captures.askNextFrame(settings, (writer, request) => {
      ({ width, height } = surface);
      writeWords(writer, RenderOpcode.readView, 3, NO_ID, id, request);
    });
    return unpackCapture(bytes, width, height, pipeline.capabilities.surfaceFormat);
  }

  /** Returns the size of a view's canvas, in pixels. */
  sizeOf(view: View): SurfaceSize {
    const { width = 0, height = 0 } = this.#shown.get(view)?.surface ?? {};
    return { width, height };
  }

  /** Returns the part of a captured canvas that a view covers. */
  part({ width, height, data }: CapturedFrame, rect: ViewRect): CapturedFrame {
    const left = Math.round(rect.x * width);
    const top = Math.round(rect.y * height);
    const columns = Math.round((rect.x + rect.width) * width) - left;
    const rows = Math.round((rect.y + rect.height) * height) - top;
    const part = new Uint8ClampedArray(columns * rows * 4);
    for (let row = 0; row < rows; row++) {
      const from = ((top + row) * width + left) * 4;
      part.set(data.subarray(from, from + columns * 4), row * columns * 4);
    }
    return { width: columns, height: rows, data: part };
  }

  /** Lets the dispatcher of pointer events listen to the canvases of all views. */
  listenWith(pointer: PointerEvents): void {
    for (const [view, { surface }] of this.#shown) pointer.listenTo(surface.canvas, view);
  }

  /** Disposes of all surfaces. Called when the engine ends. */
  dispose(): void {
    for (const { surface } of this.#shown.values()) surface.dispose();
    this.#shown.clear();
  }

  #surfaceOf({ surface }: View): EngineSurface | OffscreenSurface {
    if (surface && 'dispose' in surface) return surface as EngineSurface;
    const limits = this.#host.pipeline.connection.capabilities?.limits;
    return new OffscreenSurface(
      surface?.canvas as OffscreenCanvas,
      limits?.maxTextureDimension2D ?? Infinity,
    );
  }

  /**
   * Moves all canvases to other threads. A canvas that can't be moved is reported. If it is an OffscreenCanvas, its
   * view is disposed of.
   */
  async #moveTo(next: RenderConnection): Promise<void> {
    for (const canvas of [...this.#shown.values()]) {
      await this.#inTurn(canvas, next).catch((error: unknown) => {
        if (canvas.surface instanceof OffscreenSurface) canvas.view.dispose();
        this.#host.reportError(error);
      });
    }
  }

  #inTurn(canvas: ShownCanvas, connection: RenderConnection): Promise<void> {
    const turn = canvas.turn.then(() => this.#giveTo(connection, canvas));
    canvas.turn = turn.catch(() => {});
    return turn;
  }

  /** Lets the threads of a connection draw to the canvas, or to a fresh copy of it. */
  async #giveTo(connection: RenderConnection, canvas: ShownCanvas): Promise<void> {
    const { pipeline } = this.#host;
    const { id, view, surface } = canvas;
    if (!this.#shown.has(view)) return;
    const { limits } = await connection.started;
    if (!this.#shown.has(view)) return;
    surface.limitSize(limits.maxTextureDimension2D);
    this.#sendSize(canvas);
    if (pipeline.options.backend === 'null') return;
    const owner = connection.workers.owner ?? PAGE;
    // A worker keeps its canvas. The page's thread may draw for several engines and keeps none, so pass the canvas
    // again.
    let given: HTMLCanvasElement | OffscreenCanvas | null =
      owner === PAGE ? (canvas.fresh ?? surface).canvas : null;
    if (owner !== canvas.owner) {
      given = this.#take(canvas, owner === PAGE);
      canvas.owner = owner;
    }
    try {
      await connection.control.giveSurface(id, given);
    } catch (error) {
      // Control over a canvas can be transferred only once, so the next thread gets a fresh canvas.
      canvas.owner = LOST;
      throw error;
    }
    if (canvas.fresh) this.#placeWhenDrawn(canvas, canvas.fresh, connection);
  }

  /** Takes control over the canvas, or over a fresh canvas if the canvas had an owner before. */
  #take(canvas: ShownCanvas, isForPage: boolean): HTMLCanvasElement | OffscreenCanvas {
    const { surface, owner } = canvas;
    if (surface instanceof OffscreenSurface) {
      if (owner !== null) surface.fresh();
      if (isForPage && !surface.canvas.getContext('webgpu')) throw canvasInUseError(surface.canvas);
      return surface.canvas;
    }
    canvas.fresh = owner === null ? null : new FreshCanvas(surface.canvas);
    const source = canvas.fresh ?? surface;
    return isForPage ? source.take(takeContext) : source.take(transferControl);
  }

  #placeWhenDrawn(canvas: ShownCanvas, fresh: FreshCanvas, { completed }: RenderConnection): void {
    const { surface, view } = canvas;
    if (surface instanceof OffscreenSurface) return;
    const place = (): void => {
      if (canvas.fresh !== fresh || !this.#shown.has(view)) return;
      canvas.fresh = null;
      const oldCanvas = surface.canvas;
      fresh.takePlaceOf(oldCanvas);
      surface.replaceCanvas(fresh.canvas);
      registerCanvas(view);
      this.#host.pointer()?.listenTo(fresh.canvas, view);
      this.#host.emit('surfacechange', { oldCanvas, newCanvas: fresh.canvas, view });
    };
    completed.whenReached(this.#host.producer.frame + 1).then(place, () => {});
  }

  /** Sends the size of the canvas with the next frame. */
  #sendSize(canvas: ShownCanvas): void {
    const { id, surface, view } = canvas;
    canvas.width = surface.width;
    canvas.height = surface.height;
    this.#host.settings.requests.push((writer: StreamWriter) => {
      if (!this.#shown.has(view)) return;
      const at = writer.reserve(RenderOpcode.setCanvas, 4);
      writer.words[at] = id;
      writer.words[at + 1] = surface.width;
      writer.words[at + 2] = surface.height;
      writer.floats[at + 3] = surface.pixelRatio ?? globalThis.devicePixelRatio ?? 1;
    });
  }

  #drop({ id, view, surface }: ShownCanvas): void {
    const { pipeline, settings } = this.#host;
    if (!this.#shown.delete(view)) return;
    this.#host.pointer()?.drop(view);
    surface.dispose();
    settings.requests.push((writer) => writeWords(writer, RenderOpcode.setCanvas, 4, id, 0, 0, 0));
    pipeline.connection.control.dropSurface(id).catch(() => {}); // ended threads hold no canvas
  }
}
