import type { GraphPass, GraphTextureDescriptor, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import {
  type BindGroupEntry,
  type BindGroupLayoutHandle,
  type BufferHandle,
  BufferUsage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { GpuView } from '../buffers/gpu-layouts.js';
import type { CreateMeshPass, MeshStores } from '../draws/mesh-pass.js';
import { FrameBindings, type FrameLayout, type FurtherBindings } from '../pipelines/frame-bindings.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import type { DrawnView } from '../views/drawn-view.js';
import { FilteredMeshes } from '../views/filtered-meshes.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { MOTION_FORMAT, MovedBinding, type MovedPipelines } from './moved-pipelines.js';
import type { PreviousPoses } from './previous-poses.js';

/** Parts of a world that motion uses. */
export interface MovedWorld {
  readonly rhi: ImmediateContext;
  readonly stores: MeshStores;
  readonly layout: FrameLayout;
  readonly createPass: CreateMeshPass;
  readonly moved: MovedPipelines;
  readonly poses: PreviousPoses;
}

/** Length of the structure `PreviousView` in `shaders/motion.wgsl`, in words: a view, a size, and padding. */
const VIEW_WORDS = GpuView.words + 4;
const NOTHING = { clear: [0, 0, 0, 0] } as const;
const CLEARED_DEPTH = { clear: 0 };

/** Bindings of the last frame's data in bind group 0: the uniforms of the view, and the poses of primitives. */
class MovedBindings implements FurtherBindings {
  readonly view: BufferHandle;
  version = 0;
  entries: readonly BindGroupEntry[] = [];
  readonly #pipelines: MovedPipelines;
  #poses: BufferHandle | undefined;

  constructor(pipelines: MovedPipelines, view: BufferHandle) {
    this.#pipelines = pipelines;
    this.view = view;
  }

  get layout(): BindGroupLayoutHandle {
    return this.#pipelines.bindingLayout;
  }

  /** Sets the buffer of the poses. */
  setPoses(poses: BufferHandle): void {
    if (poses === this.#poses) return;
    this.#poses = poses;
    this.version++;
    this.entries = [
      { binding: MovedBinding.view, buffer: this.view },
      { binding: MovedBinding.poses, buffer: poses },
    ];
  }
}

/**
 * Draws the motion of a view's opaque surfaces. A pixel holds the vector in pixels to the place of its surface in the
 * last frame, and the nearness of the surface in both frames. Pixels without such a surface hold zeros. The shader
 * places each vertex twice, by nodes, joints, morph targets and shaders of materials: see `moved-code.ts`.
 */
export class MotionPass implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  /** The texture that the pass draws, in `MOTION_FORMAT`. */
  readonly motion: ScreenTexture = { version: undefined };
  readonly #world: MovedWorld;
  readonly #state: SceneViewState;
  readonly #drawn: FilteredMeshes;
  readonly #bindings: FrameBindings;
  readonly #buffers = (): readonly BufferHandle[] => this.#state.buffersWith(this.#drawn.meshes);
  readonly #moved: MovedBindings;
  /** The structure `PreviousView` that this frame reads. */
  readonly #packed = new Float32Array(VIEW_WORDS);
  /** The packed view of the last frame. */
  readonly #last = new Float32Array(GpuView.words);
  #depth: GraphTextureDescriptor | undefined;

  constructor(world: MovedWorld, state: SceneViewState) {
    const { rhi } = world;
    this.#world = world;
    this.#state = state;
    this.name = `motion${state.suffix}`;
    this.#drawn = new FilteredMeshes(world.stores, world.createPass, world.moved, 'motion');
    const view = rhi.createBuffer({
      label: 'previous view',
      byteLength: VIEW_WORDS * 4,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    this.#moved = new MovedBindings(world.moved, view);
    this.#bindings = new FrameBindings(rhi, world.layout, this.#moved);
  }

  /**
   * Per frame, outside passes, after the view has been prepared: finds the surfaces, and uploads the last view.
   * @param isNew whether the view has no last frame; the camera then counts as still, but primitives may move
   * @param jitterX, jitterY jitter of this frame minus the jitter of the last frame, in pixels right and down
   */
  update(view: DrawnView, isNew: boolean, jitterX: number, jitterY: number): void {
    const { rhi, poses } = this.#world;
    const { targets, view: current } = this.#state;
    const { width, height } = targets;
    poses.use();
    this.#moved.setPoses(poses.handle);
    this.#drawn.update(view);
    const packed = this.#packed;
    packed.set(isNew ? current.packed : this.#last);
    this.#last.set(current.packed);
    if (!isNew) {
      // The difference replaces the last jitter in the last matrix with the jitter of this frame.
      const at = GpuView.at.clipFromWorld;
      for (let column = 0; column < 16; column += 4) {
        const w = packed[at + column + 3] as number;
        packed[at + column] = (packed[at + column] as number) + ((2 * jitterX) / width) * w;
        packed[at + column + 1] = (packed[at + column + 1] as number) - ((2 * jitterY) / height) * w;
      }
    }
    packed[GpuView.words] = width;
    packed[GpuView.words + 1] = height;
    rhi.writeBuffer(this.#moved.view, 0, packed);
    this.motion.version = undefined;
    const before = this.motion.descriptor;
    if (before?.width === width && before.height === height) return;
    this.motion.descriptor = { name: this.name, width, height, format: MOTION_FORMAT };
    this.#depth = { name: `depth of ${this.name}`, width, height, format: SCENE_DEPTH_FORMAT };
  }

  setup(builder: PassBuilder): void {
    this.#state.declareReads(builder);
    const motion = builder.createTexture(this.motion.descriptor as GraphTextureDescriptor);
    this.motion.version = builder.color(motion, NOTHING);
    builder.depth(builder.createTexture(this.#depth as GraphTextureDescriptor), CLEARED_DEPTH);
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
    this.#world.rhi.destroy(this.#moved.view);
  }
}
