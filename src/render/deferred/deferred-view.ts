import { type BindGroupHandle, type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { writeMatrix } from '../frustum-planes.js';
import type { SceneViewState } from '../scene-view-state.js';
import { invertMatrix } from './invert-matrix.js';
import { GpuSurfaceView, type LightingPipelines } from './lighting-pipelines.js';
import { SurfaceTargets } from './surface-targets.js';

/** What the deferred renderer has of a view. */
export class DeferredView {
  readonly targets: SurfaceTargets;
  readonly #matrix = new Float64Array(16);
  readonly #inverse = new Float64Array(16);
  readonly #scratch = new Float64Array(32);
  readonly #packed = new Float32Array(GpuSurfaceView.words);
  #buffer: BufferHandle | undefined;
  #bindGroup: BindGroupHandle | undefined;
  #targetsVersion = -1;

  readonly #rhi: ImmediateContext;
  readonly #state: SceneViewState;
  readonly #pipelines: LightingPipelines;

  constructor(rhi: ImmediateContext, state: SceneViewState, pipelines: LightingPipelines) {
    this.#rhi = rhi;
    this.#state = state;
    this.#pipelines = pipelines;
    this.targets = new SurfaceTargets(rhi, state.targets);
  }

  /** Bind group 1 of the lighting. */
  get bindGroup(): BindGroupHandle {
    return this.#bindGroup as BindGroupHandle;
  }

  /** Per frame, outside passes. @param hasBackground whether something is drawn behind all surfaces */
  prepare(hasBackground: boolean): void {
    const rhi = this.#rhi;
    const { targets } = this;
    targets.update(hasBackground);
    this.#buffer ??= rhi.createBuffer({
      label: 'surface view',
      byteLength: GpuSurfaceView.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    this.#writeMatrix();
    rhi.writeBuffer(this.#buffer, 0, this.#packed);
    if (targets.version === this.#targetsVersion) return;
    this.#targetsVersion = targets.version;
    rhi.destroy(this.#bindGroup);
    this.#bindGroup = rhi.createBindGroup({
      label: 'written surfaces',
      layout: this.#pipelines.layout,
      entries: [
        ...[...targets.textures, this.#state.targets.depth].map((texture, binding) => ({
          binding,
          view: { texture },
        })),
        { binding: targets.textures.length + 1, buffer: this.#buffer },
      ],
    });
  }

  dispose(): void {
    this.targets.dispose();
    this.#rhi.destroy(this.#bindGroup);
    this.#rhi.destroy(this.#buffer);
    this.#bindGroup = this.#buffer = undefined;
    this.#targetsVersion = -1;
  }

  /** From the camera, not the render origin: far from it, few digits would be left. */
  #writeMatrix(): void {
    const { clipFromWorld, position } = this.#state.view;
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
