import type { FrameGraph } from '../../graph/frame-graph.js';
import type { PassBuilder, PassContext } from '../../graph/graph-pass.js';
import {
  type BindGroupHandle,
  type BufferHandle,
  BufferUsage,
  type TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { writeMatrix } from '../culling/frustum-planes.js';
import { invertMatrix } from '../culling/invert-matrix.js';
import type { DrawBehind, SceneViewState, ViewRenderer } from '../views/scene-view-state.js';
import { BackgroundPass, LightingPass, RestPass, SurfacesPass } from './deferred-passes.js';
import type { SmoothingPipelines } from './edge-smoothing.js';
import { GpuSurfaceView, type LightingPipelines } from './lighting-pipelines.js';
import type { ReflectionPipelines } from './reflections/reflection-pipelines.js';
import { ViewReflections } from './reflections/view-reflections.js';
import { SurfaceTargets } from './surface-targets.js';
import { ViewSmoothing } from './view-smoothing.js';

/** State and passes of a view in the deferred renderer. */
export class DeferredView implements ViewRenderer {
  readonly surfaces: SurfaceTargets;
  readonly state: SceneViewState;
  readonly pipelines: LightingPipelines;
  readonly smoothing: ViewSmoothing;
  readonly #matrix = new Float64Array(16);
  readonly #inverse = new Float64Array(16);
  readonly #scratch = new Float64Array(32);
  readonly #packed = new Float32Array(GpuSurfaceView.words);
  #buffer: BufferHandle | undefined;
  #bindGroup: BindGroupHandle | undefined;
  /** Textures that the bind group names: the surfaces, then depth. */
  readonly #textures: TextureHandle[] = [];
  readonly #background: BackgroundPass;
  readonly #surfacesPass: SurfacesPass;
  readonly #lighting: LightingPass;
  readonly #rest: RestPass;

  readonly #rhi: ImmediateContext;
  readonly #reflectionPipelines: ReflectionPipelines;
  /** Draws reflections; set while the effect is on. */
  #reflections: ViewReflections | undefined;

  constructor(
    rhi: ImmediateContext,
    state: SceneViewState,
    pipelines: LightingPipelines,
    smoothing: SmoothingPipelines,
    reflections: ReflectionPipelines,
  ) {
    this.#rhi = rhi;
    this.#reflectionPipelines = reflections;
    this.state = state;
    this.pipelines = pipelines;
    this.surfaces = new SurfaceTargets(state.targets, state.suffix);
    this.#background = new BackgroundPass(this, 'background');
    this.#surfacesPass = new SurfacesPass(this, 'surfaces');
    this.#lighting = new LightingPass(this, 'lighting');
    this.#rest = new RestPass(this, 'scene');
    this.smoothing = new ViewSmoothing(rhi, state, smoothing);
  }

  /** Bind group 1 of the lighting pass. */
  get bindGroup(): BindGroupHandle {
    return this.#bindGroup as BindGroupHandle;
  }

  /** Per frame, outside passes: resizes the surface targets and uploads the matrix. */
  prepare(): void {
    const rhi = this.#rhi;
    this.surfaces.resize();
    this.#buffer ??= rhi.createBuffer({
      label: 'surface view',
      byteLength: GpuSurfaceView.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    this.#writeMatrix();
    rhi.writeBuffer(this.#buffer, 0, this.#packed);
    this.#prepareReflections();
  }

  #prepareReflections(): void {
    if (this.state.reflections === undefined) {
      this.#reflections?.dispose();
      this.#reflections = undefined;
      return;
    }
    this.#reflections ??= new ViewReflections(this.#rhi, this, this.#reflectionPipelines);
    this.#reflections.prepare();
  }

  /**
   * Per frame: adds the view's passes.
   * @param drawBackground draws behind all surfaces; called while bind group 0 is set
   */
  addPasses(graph: FrameGraph, drawBackground: DrawBehind | undefined): void {
    if (drawBackground) {
      this.#background.draw = drawBackground;
      graph.addPass(this.#background);
    }
    this.#surfacesPass.hasBackground = drawBackground !== undefined;
    graph.addPass(this.#surfacesPass);
    this.state.ambientOcclusion?.addBeforeLight(graph, this.state.targets.depth);
    graph.addPass(this.#lighting);
    this.#reflections?.addPasses(graph);
    graph.addPass(this.#rest);
    this.state.addBlendedPasses(graph);
    this.smoothing.begin(graph, this.state.look.sampleCount > 1);
  }

  follow(graph: FrameGraph, isAdded: boolean): void {
    this.smoothing.follow(graph, isAdded);
  }

  attachScene(builder: PassBuilder): void {
    this.smoothing.attachScene(builder);
  }

  /** Per frame, outside passes, after the graph has created the view's textures: updates the bind group. */
  bind(context: PassContext): void {
    const { textures } = this.surfaces;
    const named = this.#textures;
    let haveChanged = this.#bindGroup === undefined;
    for (let index = 0; index <= textures.length; index++) {
      const texture = context.texture(textures[index] ?? this.state.targets.depth);
      haveChanged ||= texture !== named[index];
      named[index] = texture;
    }
    if (!haveChanged) return;
    this.#rhi.destroy(this.#bindGroup);
    this.#bindGroup = this.#rhi.createBindGroup({
      label: 'written surfaces',
      layout: this.pipelines.layout,
      entries: [
        ...named.map((texture, binding) => ({ binding, view: { texture } })),
        { binding: named.length, buffer: this.#buffer as BufferHandle },
      ],
    });
  }

  dispose(): void {
    this.smoothing.dispose();
    this.#reflections?.dispose();
    this.#reflections = undefined;
    this.#rhi.destroy(this.#bindGroup);
    this.#rhi.destroy(this.#buffer);
    this.#bindGroup = this.#buffer = undefined;
  }

  /**
   * Writes the inverse of `clipFromWorld`, relative to the camera's position. Relative to the render origin, the
   * inverse would lose too many digits far from the origin.
   */
  #writeMatrix(): void {
    const { clipFromWorld, position } = this.state.view;
    const matrix = this.#matrix;
    matrix.set(clipFromWorld);
    for (let row = 0; row < 16; row += 4) {
      for (let axis = 0; axis < 3; axis++) {
        matrix[row + 3] =
          (matrix[row + 3] as number) + (matrix[row + axis] as number) * (position[axis] as number);
      }
    }
    invertMatrix(matrix, this.#inverse, this.#scratch);
    writeMatrix(this.#inverse, this.#packed, 0);
  }
}
