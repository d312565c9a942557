import type { StreamReader } from '../../core/streams/stream.js';
import { RenderOpcode } from '../../proxy/commands.js';
import type { DrawnView } from '../views/drawn-view.js';
import { Decal } from './decal.js';
import type { DecalWorld } from './view-decal.js';
import { ViewDecals } from './view-decals.js';

/**
 * The decals of a world: pictures that are projected onto the surfaces in a box. The surfaces are drawn again with the
 * picture as their base colour, and blended over the lit scene. So the forward and the deferred renderer draw decals in
 * the same way, and a surface keeps the gloss of its material.
 *
 *   setDecal ─► Decal ─► ViewDecals of each view ─► a ViewDecal per decal ─► one pass, after the opaque scene
 */
export class Decals {
  readonly #world: DecalWorld;
  readonly #byId = new Map<number, Decal>();
  /** The decals in the order of their creation. */
  readonly #decals: Decal[] = [];
  /** The decals in the order of drawing. */
  readonly #ordered: Decal[] = [];
  #isSorted = true;
  /** Decals that commands have removed since the last frame. */
  readonly #removed: Decal[] = [];

  constructor(world: DecalWorld) {
    this.#world = world;
  }

  /** Per command: executes the reader's current record. */
  execute(reader: StreamReader): void {
    const { opcode, words, fields } = reader;
    const id = words[fields] as number;
    this.#isSorted = false;
    if (opcode === RenderOpcode.destroyDecal) {
      const decal = this.#byId.get(id);
      if (!decal) return;
      this.#removed.push(decal);
      this.#byId.delete(id);
      this.#decals.splice(this.#decals.indexOf(decal), 1);
      return;
    }
    let decal = this.#byId.get(id);
    if (!decal) {
      decal = new Decal(this.#world.rhi);
      this.#byId.set(id, decal);
      this.#decals.push(decal);
    }
    decal.set(reader);
  }

  /** Per frame, outside passes: destroys removed decals. */
  record(): void {
    for (const decal of this.#removed) decal.dispose();
    this.#removed.length = 0;
  }

  /**
   * Per frame in which the world is drawn, outside passes, after the views have been culled: places the decals, and
   * finds the decals of each view.
   */
  prepare(views: readonly DrawnView[]): void {
    this.#sort();
    for (const decal of this.#ordered) decal.prepare(this.#world.stores.scene);
    for (const { state } of views) {
      if (!state.decals) {
        if (this.#ordered.length === 0) continue;
        state.decals = new ViewDecals(this.#world, state);
      }
      (state.decals as ViewDecals).find(this.#ordered);
    }
  }

  dispose(): void {
    this.record();
    for (const decal of this.#decals) decal.dispose();
    this.#decals.length = this.#ordered.length = 0;
    this.#byId.clear();
  }

  #sort(): void {
    if (this.#isSorted) return;
    this.#isSorted = true;
    this.#ordered.length = 0;
    this.#ordered.push(...this.#decals);
    // The sort is stable, so decals of equal order stay in the order of their creation.
    this.#ordered.sort((a, b) => a.renderOrder - b.renderOrder);
  }
}
