/** Parts of the canvas that show a soak's scene through further cameras. Each view lies in a slot. */
import type * as fencepost from 'fencepost';
import { VIEW_COUNT, type ViewRect, type ViewState } from './soak-state.js';

interface LiveView {
  state: ViewState;
  readonly view: fencepost.View;
}

export class SoakViews {
  readonly #engine: fencepost.Engine;
  /** Returns a slot's camera, or `null` if the slot is empty. */
  readonly #cameraOf: (slot: number) => fencepost.Actor | null;
  /** Views by slot, from the bottom to the top. */
  readonly #views = new Map<number, LiveView>();

  constructor(engine: fencepost.Engine, cameraOf: (slot: number) => fencepost.Actor | null) {
    this.#engine = engine;
    this.#cameraOf = cameraOf;
  }

  snapshot(): (readonly [number, ViewState])[] {
    return [...this.#views].map(([slot, { state }]) => [slot, state]);
  }

  clear(): void {
    for (let slot = 0; slot < VIEW_COUNT; slot++) this.remove(slot);
  }

  /** Adds a view above the others. Does nothing if its camera does not exist. */
  add(slot: number, state: ViewState): void {
    const camera = this.#cameraOf(state.camera);
    if (!camera) return;
    this.remove(slot);
    this.#views.set(slot, { state, view: this.#engine.addView({ camera, rect: state.rect }) });
  }

  remove(slot: number): void {
    this.#views.get(slot)?.view.dispose();
    this.#views.delete(slot);
  }

  setRect(slot: number, rect: ViewRect): void {
    const live = this.#views.get(slot);
    if (!live) return;
    live.view.rect = rect;
    live.state = { ...live.state, rect };
  }

  /** Updates the views that show a camera slot. @param slot a slot whose camera was replaced or removed */
  replaceCamera(slot: number): void {
    const camera = this.#cameraOf(slot);
    for (const [each, { state, view }] of this.#views) {
      if (state.camera !== slot) continue;
      if (camera) view.camera = camera;
      else this.remove(each);
    }
  }

  /** Returns the view with index `which`, wrapped around, or `null` if there is none. */
  any(which: number): fencepost.View | null {
    return [...this.#views.values()][which % Math.max(this.#views.size, 1)]?.view ?? null;
  }
}
