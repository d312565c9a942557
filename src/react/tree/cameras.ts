import type { Actor, World } from '../../index.js';

interface Entry {
  readonly actor: Actor;
  isActive: boolean;
  readonly isInView: boolean;
}

/**
 * Decides which camera the canvas shows: of the cameras outside of views, the active one that was mounted or activated
 * last. Cameras in a view are only shown there. A camera that the page assigns to `world.activeCamera` stays until
 * cameras are added, removed or activated.
 */
export class Cameras {
  readonly #world: World;
  readonly #entries: Entry[] = [];
  #isChanged = false;

  constructor(world: World) {
    this.#world = world;
  }

  add(actor: Actor, isActive: boolean, isInView: boolean): void {
    this.#entries.push({ actor, isActive, isInView });
    this.#isChanged = true;
  }

  activate(actor: Actor, isActive: boolean): void {
    const entry = this.#take(actor);
    if (!entry) return;
    entry.isActive = isActive;
    this.#entries.push(entry);
  }

  remove(actor: Actor): void {
    this.#take(actor);
  }

  /** Shows the chosen camera, if the cameras have changed. Without one, cameras of loaded files stay active. */
  settle(): void {
    if (!this.#isChanged) return;
    this.#isChanged = false;
    const shown = this.#entries.filter(({ isInView }) => !isInView);
    const chosen = shown.findLast(({ isActive }) => isActive) ?? shown.at(-1);
    if (chosen) this.#world.activeCamera = chosen.actor;
    else if (this.#entries.some(({ actor }) => actor === this.#world.activeCamera))
      this.#world.activeCamera = null;
  }

  #take(actor: Actor): Entry | undefined {
    const at = this.#entries.findIndex((entry) => entry.actor === actor);
    this.#isChanged ||= at >= 0;
    return at >= 0 ? this.#entries.splice(at, 1)[0] : undefined;
  }
}
