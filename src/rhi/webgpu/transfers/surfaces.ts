/**
 * Surfaces besides the executor's own, by number, for frames that draw to several canvases.
 *
 *   useSurface 3 │ beginDrawingViewport … endDrawingViewport │ useSurface 0 │ beginDrawingViewport … │ endFrame ─► 0
 *
 * A list must not wait from its first acquired texture, of any surface, to the end of its submission. So `isAcquired`
 * is passed from one viewport to the next.
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

  /** @param surface null: removes the surface */
  set(number: number, surface: Surface | null): void {
    this.#viewports.get(number)?.dispose(false);
    this.#viewports.delete(number);
    if (surface !== null) this.#viewports.set(number, this.#create(surface));
  }

  use(number: number): void {
    const { viewport } = this.#backend;
    const own = this.#own;
    const next = number === 0 ? own : (this.#viewports.get(number) ?? this.#standIn());
    next.isTranslucent = own.isTranslucent;
    next.isAcquired = viewport.isAcquired;
    this.#backend.viewport = next;
  }

  /** Called in the task of the submission. */
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
