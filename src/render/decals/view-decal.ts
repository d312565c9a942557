import type { PassContext } from '../../graph/graph-pass.js';
import type { BindGroupEntry, BindGroupLayoutHandle, BufferHandle } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import type { CreateMeshPass, MeshStores } from '../draws/mesh-pass.js';
import { FrameBindings, type FrameLayout, type FurtherBindings } from '../pipelines/frame-bindings.js';
import type { PipelineCache } from '../pipelines/pipeline-cache.js';
import { FilteredMeshes } from '../views/filtered-meshes.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { Decal } from './decal.js';
import type { DecalPolicy } from './decal-policy.js';

/** The parts of a world that its decals use. */
export interface DecalWorld {
  readonly rhi: ImmediateContext;
  readonly stores: MeshStores;
  readonly layout: FrameLayout;
  readonly pipelines: PipelineCache;
  readonly createPass: CreateMeshPass;
}

/**
 * A decal in a view: the surfaces that the view sees in the decal's box, and the bind group with which they are drawn.
 *
 *   visible primitives ─► primitives in the box ─► primitives that take decals ─► draws
 */
export class ViewDecal {
  readonly decal: Decal;
  readonly #state: SceneViewState;
  readonly #drawn: FilteredMeshes;
  readonly #bindings: FrameBindings;
  readonly #further: DecalBindings;
  readonly #buffers = (): readonly BufferHandle[] => this.#state.buffersWith(this.#drawn.meshes);

  constructor(world: DecalWorld, state: SceneViewState, policy: DecalPolicy, decal: Decal) {
    this.decal = decal;
    this.#state = state;
    this.#drawn = new FilteredMeshes(world.stores, world.createPass, policy, 'decal');
    this.#further = new DecalBindings(world, policy, decal);
    this.#bindings = new FrameBindings(world.rhi, world.layout, this.#further);
  }

  /**
   * Per frame, outside passes, after the view has been culled: finds the surfaces in the box.
   * @returns whether there is a surface to draw
   */
  update(): boolean {
    const { meshes, view } = this.#state;
    this.#drawn.updateWithin(this.decal.planes, meshes.visibleBits, view);
    return !this.#drawn.isEmpty;
  }

  /** Prepares the bind group. Called in the `prepare` of the pass that draws the decals. */
  bind(context: PassContext): void {
    this.#state.bindOther(context, this.#drawn.meshes, this.#bindings, this.#buffers, true);
  }

  record(): void {
    this.#drawn.meshes.record();
  }

  dispose(): void {
    this.#drawn.dispose();
    this.#bindings.dispose();
  }
}

/** The resources of a decal in bind group 0. */
class DecalBindings implements FurtherBindings {
  readonly #world: DecalWorld;
  readonly #policy: DecalPolicy;
  readonly #decal: Decal;

  constructor(world: DecalWorld, policy: DecalPolicy, decal: Decal) {
    this.#world = world;
    this.#policy = policy;
    this.#decal = decal;
  }

  get layout(): BindGroupLayoutHandle {
    return this.#world.pipelines.decalLayout(this.#policy.format);
  }

  get entries(): readonly BindGroupEntry[] {
    return this.#decal.entries(this.#world.stores.scene);
  }

  get version(): number {
    const { textures } = this.#world.stores.scene.materials;
    return this.#decal.version + this.#policy.version + (textures?.sets.version ?? 0);
  }
}
