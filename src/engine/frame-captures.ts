import { OptionError } from '../core/errors.js';
import { View } from '../game/world/view.js';
import type { World } from '../game/world/world.js';
import { RenderFrameFlag } from '../proxy/commands.js';
import type { CapturedFrame } from '../proxy/unpack-capture.js';
import type { Pipeline } from '../threads/connections/pipeline.js';
import type { Captures } from './captures/capture.js';
import {
  type CaptureOptions,
  type CheckedCapture,
  capturePicture,
  checkCapture,
} from './captures/capture-picture.js';
import { captureTexture } from './captures/capture-texture.js';
import type { FrameProducer } from './frames/frame-producer.js';
import type { FrameSettings, SurfaceSize } from './options/frame-settings.js';
import type { ViewCanvases } from './surfaces/view-canvases.js';

/** Parts of an engine that captures need. */
interface FrameCapturesHost {
  readonly captures: Captures;
  readonly settings: FrameSettings;
  readonly pipeline: Pipeline;
  readonly producer: Pick<FrameProducer, 'frame'>;
  readonly world: World;
  readonly surface: { readonly shown: SurfaceSize };
  canvases(): ViewCanvases;
  /** Resolves once the drawing thread has taken the view's canvas; undefined if the view has none. */
  canvasTaken(view: View): Promise<void> | undefined;
}

/**
 * Dispatches the captures of an engine.
 *
 *   captureFrame() ──────────────────────────────► the canvas
 *   captureFrame(view), view.captureFrame() ─────► the view's texture, its canvas or its part of the canvas
 *   captureFrame({ … }), view.captureFrame({ … }) ► a picture of any size
 */
export class FrameCaptures {
  readonly #host: FrameCapturesHost;

  constructor(host: FrameCapturesHost) {
    this.#host = host;
  }

  /**
   * Captures the canvas, a view, or a picture of any size.
   * @param given a view or options; undefined: the canvas
   * @param ofView the view whose method was called; undefined: the engine's method was called
   */
  capture(given?: View | CaptureOptions, ofView?: View): Promise<CapturedFrame> {
    if (given instanceof View) return this.#captureView(given, () => this.#captureShown(given));
    if (given !== undefined) return this.#capturePicture(checkCapture(given, ofView));
    const { captures, producer } = this.#host;
    return captures.capture(producer.frame, RenderFrameFlag.step | RenderFrameFlag.capture);
  }

  /** Captures the texture, the canvas or the part of the canvas that a view draws to. */
  async #captureShown(view: View): Promise<CapturedFrame> {
    const { target, rect, surface } = view;
    if (target) return captureTexture(view, this.#host);
    const canvases = this.#host.canvases();
    return surface ? canvases.capture(view) : canvases.part(await this.capture(), rect);
  }

  /** Captures a picture of any size. */
  #capturePicture(options: CheckedCapture): Promise<CapturedFrame> {
    const { captures, settings } = this.#host;
    const { view } = options;
    const capture = (): Promise<CapturedFrame> =>
      capturePicture(options, { captures, settings, shownSize: this.#shownSize });
    return view ? this.#captureView(view, capture) : capture();
  }

  /**
   * Checks the view, waits until its canvas has been taken, and runs `capture`.
   * @throws OptionError `option-invalid` if the view is not one of this engine, or was disposed of
   */
  async #captureView(view: View, capture: () => Promise<CapturedFrame>): Promise<CapturedFrame> {
    this.#checkView(view);
    await this.#host.canvasTaken(view)?.catch(() => {});
    this.#checkView(view);
    try {
      return await capture();
    } catch (error) {
      // If the view was disposed of during the capture, report that as the cause of the failure.
      this.#checkView(view);
      throw error;
    }
  }

  /** Returns the size in which the canvas or a view is shown, in pixels. */
  readonly #shownSize = (view: View | undefined): SurfaceSize => {
    const { shown } = this.#host.surface;
    if (!view) return shown;
    const { width, height } = view.surface ? this.#host.canvases().sizeOf(view) : (view.target ?? shown);
    return { width: Math.round(view.rect.width * width), height: Math.round(view.rect.height * height) };
  };

  #checkView(view: View): void {
    if (this.#host.world.updates.views?.views.has(view)) return;
    throw new OptionError(
      'option-invalid',
      'captureFrame takes a view of this engine that has not been disposed of. Create one with engine.addView().',
    );
  }
}
