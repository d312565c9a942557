/**
 * Keeps further surfaces by number, for frames that draw to several canvases. Number 0 is the executor's own surface.
 * It is selected again at the end of each frame.
 *
 *   useSurface 3 │ beginDrawingViewport … endDrawingViewport │ useSurface 0 │ beginDrawingViewport … │ endFrame ─► 0
 *
 * A list that has acquired the texture of any surface must not be held before its submission. So each
 * selected viewport takes over `isAcquired` from the viewport selected before.
 */

import type { WebGpuBackend } from '../webgpu-backend.js';
import { type Surface, Viewport } from './viewport.js';

export class Surfaces {
  readonly #backend: WebGpuBackend;
  readonly #own: Viewport;
  readonly #viewports = new Map<number, Viewport>();
  /** Invisible viewport that replaces unknown surfaces. */
  #invisible: Viewport | null = null;

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
    this.#own = backend.viewport;
  }

  /** Adds, replaces or removes a surface. @param surface null removes the surface */
  set(number: number, surface: Surface | null): void {
    this.#viewports.get(number)?.dispose(false);
    this.#viewports.delete(number);
    if (surface !== null) this.#viewports.set(number, this.#create(surface));
  }

  /** Selects a surface for the next viewports. An unknown number selects an invisible texture. */
  use(number: number): void {
    const { viewport } = this.#backend;
    const own = this.#own;
    const next = number === 0 ? own : (this.#viewports.get(number) ?? this.#standIn());
    next.isTranslucent = own.isTranslucent;
    next.isAcquired = viewport.isAcquired;
    this.#backend.viewport = next;
  }

  /**
   * Selects the executor's own surface again, and releases the textures of all other surfaces. Called after the
   * submission, in the same task.
   */
  frameSubmitted(): void {
    this.#backend.viewport = this.#own;
    for (const viewport of this.#viewports.values()) viewport.release();
    this.#invisible?.release();
  }

  dispose(keepsSurfaces: boolean): void {
    for (const viewport of this.#viewports.values()) viewport.dispose(keepsSurfaces);
    this.#invisible?.dispose(false);
  }

  #standIn(): Viewport {
    this.#invisible ??= this.#create(null);
    return this.#invisible;
  }

  #create(surface: Surface | null): Viewport {
    const { device, resources } = this.#backend;
    return new Viewport(device, surface, this.#own.format, resources.memory);
  }
}
