import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import type { EffectActors } from '../../proxy/effects.js';
import type { BufferHandle } from '../../rhi/commands/descriptors.js';
import type { MeshPass } from '../draws/mesh-pass.js';
import { FrameBindings } from '../pipelines/frame-bindings.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import type { Scene } from '../scene/scene.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { OccludedWorld, SceneViewState } from '../views/scene-view-state.js';
import { MASK_FORMAT, MASK_SAMPLES, OutlinePipelines } from './outline-pipelines.js';
import { OutlinedPrimitives } from './outlined-primitives.js';

/** Parts of a world that outlines use. */
type OutlinedWorld = Pick<OccludedWorld, 'rhi' | 'stores' | 'layout' | 'createPass'>;

const CLEARED = [0, 0, 0, 0] as const;
const NOTHING_NEARER = { clear: 0 };
const READ_ONLY = { readOnly: true };

/**
 * Draws the visible parts of outlined primitives into a mask with four samples per pixel. A depth texture with four
 * samples per pixel hides the parts behind other surfaces.
 *
 *   outlined primitives ─► culling ─► depth test ─► mask, 4 samples ─► resolved mask: coverage of each pixel
 *                                         ▲
 *                                         ├ depth of the scene, if it has four samples per pixel
 *                                         ├ copy of that depth (`SpreadDepth`), if it has one sample per pixel
 *                                         └ empty depth, if the lines of hidden parts show too
 */
export class OutlineMask implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  /** The resolved mask: coverage of each pixel by outlined surfaces. */
  readonly mask: ScreenTexture = { version: undefined };
  /** Depth that hides outlined surfaces. If it is undefined, no surface is hidden. */
  depth: GraphTexture | undefined;
  /** Describes a depth texture of the mask's size with `MASK_SAMPLES` samples per pixel. `SpreadDepth` reads it too. */
  readonly depthDescriptor: { current: GraphTextureDescriptor | undefined } = { current: undefined };
  readonly #options: { clear: typeof CLEARED; resolveTo: GraphTexture | undefined } = {
    clear: CLEARED,
    resolveTo: undefined,
  };
  /** Describes the mask before it is resolved. */
  #samples: GraphTextureDescriptor | undefined;
  readonly #state: SceneViewState;
  readonly #scene: Scene;
  readonly #meshes: MeshPass;
  readonly #pipelines: OutlinePipelines;
  readonly #bindings: FrameBindings;
  readonly #outlined = new OutlinedPrimitives();
  readonly #buffers = (): readonly BufferHandle[] => this.#state.buffersWith(this.#meshes);

  constructor({ rhi, stores, layout, createPass }: OutlinedWorld, state: SceneViewState) {
    this.#state = state;
    this.#scene = stores.scene;
    this.name = `outline mask${state.suffix}`;
    this.#pipelines = new OutlinePipelines(rhi, stores.scene, layout);
    this.#meshes = createPass(this.#pipelines, 'outlined');
    this.#bindings = new FrameBindings(rhi, layout);
  }

  /** Whether the last `update` has found nothing to draw. */
  get isEmpty(): boolean {
    return this.#meshes.visible === 0;
  }

  /**
   * Per frame, outside passes, after the view has been culled: finds the primitives to draw, and describes textures of
   * the view's size.
   */
  update({ state, candidates }: DrawnView, actors: EffectActors): void {
    this.#meshes.cull(state.view.planes, this.#outlined.select(this.#scene, actors, candidates));
    this.#meshes.prepare(state.view);
    const { width, height } = state.targets;
    const { descriptor } = this.mask;
    if (descriptor?.width === width && descriptor.height === height) return;
    const size = { width, height };
    const { name } = this;
    this.mask.descriptor = { name, ...size, format: MASK_FORMAT };
    this.#samples = { name: `${name}, 4 samples`, ...size, format: MASK_FORMAT, sampleCount: MASK_SAMPLES };
    this.depthDescriptor.current = {
      name: `${name}, depth`,
      ...size,
      format: SCENE_DEPTH_FORMAT,
      sampleCount: MASK_SAMPLES,
    };
  }

  setup(builder: PassBuilder): void {
    this.#state.declareReads(builder);
    const samples = builder.createTexture(this.#samples as GraphTextureDescriptor);
    const mask = builder.createTexture(this.mask.descriptor as GraphTextureDescriptor);
    this.#options.resolveTo = mask;
    this.mask.version = builder.color(samples, this.#options);
    if (this.depth !== undefined) builder.depth(this.depth, READ_ONLY);
    else {
      const depth = builder.createTexture(this.depthDescriptor.current as GraphTextureDescriptor);
      builder.depth(depth, NOTHING_NEARER);
    }
  }

  prepare(context: PassContext): void {
    this.#state.bindOther(context, this.#meshes, this.#bindings, this.#buffers);
  }

  execute(): void {
    this.#meshes.record();
  }

  dispose(): void {
    this.#meshes.dispose();
    this.#bindings.dispose();
    this.#pipelines.dispose();
  }
}
