import type { FrameGraph } from '../../graph/frame-graph.js';
import type {
  GraphPass,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
  PassContext,
} from '../../graph/graph-pass.js';
import { Projection } from '../../proxy/commands.js';
import { type BindGroupHandle, type TextureHandle, TextureUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { writeMatrix } from '../culling/frustum-planes.js';
import { invertMatrix } from '../culling/invert-matrix.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { type CollisionPipelines, KEPT_FORMAT } from './collision-pipelines.js';
import { GpuParticleSystem } from './gpu-particles.js';

const { at } = GpuParticleSystem;

/** Pixels of a workgroup, along each side. */
const WORKGROUP = 8;

/**
 * Pass that copies the depth of a view for the next frame, and stores the matrix with which it was drawn.
 *
 *   frame n                                      frame n + 1
 *   scene ─► depth ─► kept depth n ────────────► simulation ─► scene ─► depth ─► kept depth n + 1
 *            clipFromWorld n ──────────────────►
 *
 * The depth is not valid in the first frame that shows the view, in a frame after frames without the view, after a cut
 * to another camera, and after a change of the view's size.
 */
export class KeptDepth implements GraphPass {
  readonly kind = 'compute';
  readonly name: string;
  /** Whether the texture has the depth of the last frame. */
  isValid = false;
  /** The texture in this frame's graph. It has the depth of the last frame until the pass has replaced it. */
  version!: GraphTexture;
  readonly #rhi: ImmediateContext;
  readonly #state: SceneViewState;
  readonly #pipelines: CollisionPipelines;
  /** Row-major `clipFromWorld` of the depth, from world coordinates in metres. */
  readonly #clipFromWorld = new Float64Array(16);
  /** Perspective: depth = offset ÷ distance − scale. Orthographic: depth = offset − scale × distance. */
  #depthScale = 0;
  #isOrthographic = false;
  readonly #matrix = new Float64Array(16);
  readonly #inverse = new Float64Array(16);
  readonly #scratch = new Float64Array(32);
  /** Number of the frame whose depth the texture has; −1: it has none. */
  #lastFrame = -1;
  #descriptor: GraphTextureDescriptor | undefined;
  #texture: TextureHandle | undefined;
  /** Bind group 1 of the simulation. */
  #reading: BindGroupHandle | undefined;
  #keeping: BindGroupHandle | undefined;
  /** Depth of the scene in this frame. */
  #sceneDepth!: GraphTexture;
  /** Depth of the scene in the bind group `#keeping`. */
  #boundDepth: TextureHandle | undefined;

  constructor(rhi: ImmediateContext, state: SceneViewState, pipelines: CollisionPipelines) {
    this.#rhi = rhi;
    this.#state = state;
    this.#pipelines = pipelines;
    this.name = `depth for particles${state.suffix}`;
  }

  /** Bind group 1 of the simulation, while `isValid` is true. */
  get reading(): BindGroupHandle {
    return this.#reading as BindGroupHandle;
  }

  /** Per frame that shows the view, outside passes: decides whether the depth is valid, and adopts the view's size. */
  begin(frame: number): void {
    const { width, height } = this.#state.targets;
    const isSame = this.#descriptor?.width === width && this.#descriptor.height === height;
    this.isValid = isSame && this.#state.history.follows(frame, this.#lastFrame);
    if (!isSame) this.#create(width, height);
  }

  /** Per frame that shows the view, after the last `writeTo`: stores the matrix of this frame. */
  end(frame: number): void {
    const { history, view, parameters } = this.#state;
    this.#lastFrame = frame;
    for (let row = 0; row < 4; row++) {
      for (let column = 0; column < 4; column++) {
        this.#clipFromWorld[row * 4 + column] = history.clipFromWorld[column * 4 + row] as number;
      }
    }
    this.#depthScale = 0;
    for (let axis = 0; axis < 3; axis++) {
      this.#depthScale -= (view.clipFromWorld[8 + axis] as number) * (view.forward[axis] as number);
    }
    this.#isOrthographic = parameters.projection === Projection.orthographic;
  }

  /**
   * Per frame and system, while `isValid` is true: writes the matrices of the depth.
   * @param anchor anchor of the system
   * @param floats, words a `ParticleSystem`
   */
  writeTo(anchor: Float64Array, floats: Float32Array, words: Uint32Array): void {
    const matrix = this.#matrix;
    matrix.set(this.#clipFromWorld);
    for (let row = 0; row < 16; row += 4) {
      for (let axis = 0; axis < 3; axis++) {
        matrix[row + 3] =
          (matrix[row + 3] as number) + (matrix[row + axis] as number) * (anchor[axis] as number);
      }
    }
    invertMatrix(matrix, this.#inverse, this.#scratch);
    writeMatrix(matrix, floats, at.clipFromAnchor);
    writeMatrix(this.#inverse, floats, at.anchorFromClip);
    floats[at.depthScale] = this.#depthScale;
    words[at.isOrthographic] = Number(this.#isOrthographic);
  }

  /** Per frame that shows the view: imports the texture. */
  addTo(graph: FrameGraph): void {
    this.version = graph.importTexture(
      this.#descriptor as GraphTextureDescriptor,
      this.#texture as TextureHandle,
    );
  }

  setup(builder: PassBuilder): void {
    this.#sceneDepth = this.#state.targets.depth;
    builder.read(this.#sceneDepth, 'sampled');
    this.version = builder.write(this.version, 'storage');
  }

  prepare(context: PassContext): void {
    const depth = context.texture(this.#sceneDepth);
    if (depth === this.#boundDepth) return;
    this.#boundDepth = depth;
    this.#rhi.destroy(this.#keeping);
    this.#keeping = this.#rhi.createBindGroup({
      label: this.name,
      layout: this.#pipelines.keepingLayout(this.#state.targets.sampleCount),
      entries: [
        { binding: 0, view: { texture: depth } },
        { binding: 1, view: { texture: this.#texture as TextureHandle } },
      ],
    });
  }

  execute({ rhi }: PassContext): void {
    const { width, height, sampleCount } = this.#state.targets;
    rhi.setComputePipeline(this.#pipelines.keeping(sampleCount));
    rhi.setBindGroup(0, this.#keeping as BindGroupHandle);
    rhi.dispatch(Math.ceil(width / WORKGROUP), Math.ceil(height / WORKGROUP));
  }

  dispose(): void {
    for (const group of [this.#reading, this.#keeping]) this.#rhi.destroy(group);
    this.#rhi.destroy(this.#texture);
    this.#reading = this.#keeping = this.#texture = this.#boundDepth = undefined;
  }

  #create(width: number, height: number): void {
    this.dispose();
    const { name } = this;
    const usage = TextureUsage.textureBinding | TextureUsage.storageBinding;
    this.#descriptor = { name, width, height, format: KEPT_FORMAT };
    const texture = this.#rhi.createTexture({ label: name, width, height, format: KEPT_FORMAT, usage });
    this.#texture = texture;
    this.#reading = this.#rhi.createBindGroup({
      label: name,
      layout: this.#pipelines.readingLayout,
      entries: [{ binding: 0, view: { texture } }],
    });
  }
}
