import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import type { BufferHandle } from '../../rhi/commands/descriptors.js';
import { FrameBindings } from '../pipelines/frame-bindings.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import type { DrawnView } from '../views/drawn-view.js';
import { FilteredMeshes } from '../views/filtered-meshes.js';
import type { OccludedWorld, SceneViewState } from '../views/scene-view-state.js';

const CLEARED = { clear: 0 };

/**
 * Draws the depth of a view's opaque surfaces, with one sample per pixel. Surfaces that the deferred renderer stores
 * are left out, because their depth exists already.
 *
 *   visible primitives ─► without blended, transmissive and stored ones ─► depth
 */
export class Occluders implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  readonly depth: ScreenTexture = { version: undefined };
  readonly #state: SceneViewState;
  readonly #drawn: FilteredMeshes;
  readonly #bindings: FrameBindings;
  readonly #buffers = (): readonly BufferHandle[] => this.#state.buffersWith(this.#drawn.meshes);

  /** @param format pass format of the view */
  constructor(world: OccludedWorld, state: SceneViewState, format: number) {
    this.#state = state;
    this.name = `occluders${state.suffix}`;
    const policy = world.occluders.policy(format);
    this.#drawn = new FilteredMeshes(world.stores, world.createPass, policy, 'occluders');
    this.#bindings = new FrameBindings(world.rhi, world.layout);
  }

  /** Whether the last `update` has found no occluders. */
  get isEmpty(): boolean {
    return this.#drawn.isEmpty;
  }

  /** Per frame, outside passes, after the view has been culled: finds the occluders. */
  update(view: DrawnView): void {
    this.#drawn.update(view);
    const { width, height } = view.state.targets;
    const { descriptor } = this.depth;
    if (descriptor?.width === width && descriptor.height === height) return;
    this.depth.descriptor = { name: this.name, width, height, format: SCENE_DEPTH_FORMAT };
  }

  setup(builder: PassBuilder): void {
    this.#state.declareReads(builder);
    const texture = builder.createTexture(this.depth.descriptor as GraphTextureDescriptor);
    this.depth.version = builder.depth(texture, CLEARED) as GraphTexture;
  }

  prepare(context: PassContext): void {
    this.#state.bindOther(context, this.#drawn.meshes, this.#bindings, this.#buffers);
  }

  execute(): void {
    this.#drawn.meshes.record();
  }

  dispose(): void {
    this.#drawn.dispose();
    this.#bindings.dispose();
  }
}
