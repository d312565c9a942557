import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphPass, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import { debugViewOf } from '../keys/pass-format.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { ViewDecalDrawer } from '../views/view-drawers.js';
import type { Decal } from './decal.js';
import { DecalPolicy } from './decal-policy.js';
import { type DecalWorld, ViewDecal } from './view-decal.js';

/** Draws the decals of a view over its opaque scene, in their order. */
export class ViewDecals implements GraphPass, ViewDecalDrawer {
  readonly kind = 'raster';
  readonly name: string;
  readonly #world: DecalWorld;
  readonly #state: SceneViewState;
  readonly #policy: DecalPolicy;
  readonly #known = new Map<Decal, ViewDecal>();
  /** Decals that the view shows in this frame. */
  readonly #shown: ViewDecal[] = [];

  constructor(world: DecalWorld, state: SceneViewState) {
    this.#world = world;
    this.#state = state;
    this.#policy = new DecalPolicy(world.pipelines, world.stores.scene);
    this.name = `decals${state.suffix}`;
  }

  get isShown(): boolean {
    return this.#shown.length > 0;
  }

  /**
   * Per frame, outside passes, after the view has been culled: finds the decals that the view shows. Debug views show
   * none.
   * @param decals decals of the world, in the order of drawing
   */
  find(decals: readonly Decal[]): void {
    const { layers, targets } = this.#state;
    this.#shown.length = 0;
    for (const known of this.#known.values()) if (known.decal.isDisposed) this.#remove(known);
    if (debugViewOf(targets.format) !== 0) return;
    this.#policy.setFormat(targets.format);
    for (const decal of decals) {
      if (!decal.isPlaced || (decal.layers & layers) === 0) continue;
      let known = this.#known.get(decal);
      if (!known) {
        known = new ViewDecal(this.#world, this.#state, this.#policy, decal);
        this.#known.set(decal, known);
      }
      if (known.update()) this.#shown.push(known);
    }
  }

  addPasses(graph: FrameGraph): void {
    if (this.isShown) graph.addPass(this);
  }

  setup(builder: PassBuilder): void {
    this.#state.declareLitReads(builder);
    this.#state.targets.attachAgain(builder);
  }

  prepare(context: PassContext): void {
    for (const shown of this.#shown) shown.bind(context);
  }

  execute(): void {
    for (const shown of this.#shown) shown.record();
  }

  dispose(): void {
    for (const known of this.#known.values()) this.#remove(known);
  }

  #remove(known: ViewDecal): void {
    known.dispose();
    this.#known.delete(known.decal);
  }
}
