import type { FrameGraph } from '../../graph/frame-graph.js';
import { Projection } from '../../proxy/commands.js';
import type { EffectValues } from '../../proxy/effects.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { ViewRays } from '../ambient-occlusion/view-rays.js';
import { GpuDepthOfField, LensPasses, TILE_PIXELS } from '../depth-of-field/lens-passes.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import type { Effect } from './effect.js';

const { at } = GpuDepthOfField;

/**
 * Blurs surfaces out of focus, as a lens does. The focal length f follows from the field of view and the height of the
 * sensor. If the focus is at the distance s, a point at the distance z becomes a disc with this diameter on the sensor:
 *
 *   f ÷ fStop × |z − s| ÷ z × f ÷ (s − f)
 */
export class DepthOfField implements Effect<'depthOfField'> {
  readonly #rhi: ImmediateContext;
  readonly #pipelines: ScreenPipelines;
  readonly #buffer: BufferHandle;
  readonly #uniforms = new Float32Array(GpuDepthOfField.words);
  readonly #sent = new Float32Array(GpuDepthOfField.words).fill(Number.NaN);
  readonly #rays = new ViewRays();
  #options!: EffectValues<'depthOfField'>;
  #passes: LensPasses | undefined;

  constructor(rhi: ImmediateContext, pipelines: ScreenPipelines) {
    this.#rhi = rhi;
    this.#pipelines = pipelines;
    this.#buffer = rhi.createBuffer({
      label: 'depth of field',
      byteLength: GpuDepthOfField.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
  }

  setOptions(options: EffectValues<'depthOfField'>): void {
    this.#options = options;
  }

  addPasses(graph: FrameGraph, view: SceneViewState): void {
    const { parameters, targets, suffix } = view;
    // An orthographic camera has no lens, because its rays are parallel. A view without a camera shows nothing.
    if (parameters.projection === Projection.orthographic || parameters.node < 0) return;
    this.#upload(view);
    const { sampleCount } = targets;
    if (this.#passes?.sampleCount !== sampleCount) {
      this.#passes?.dispose();
      this.#passes = new LensPasses(this.#rhi, this.#pipelines, this.#buffer, suffix, sampleCount);
    }
    this.#passes.prepare(targets.unmappedColor !== undefined);
    this.#passes.add(graph, view);
  }

  reach(size: number): number {
    // The reach is a multiple of the tiles of near discs, so that these tiles lie at the same places of the picture in
    // each of its parts. A pixel depends on whole tiles around it, which reach up to two tiles beyond the largest disc.
    return (Math.ceil((this.#options.maximumBlur * size) / TILE_PIXELS) + 2) * TILE_PIXELS;
  }

  dispose(): void {
    this.#passes?.dispose();
    this.#rhi.destroy(this.#buffer);
  }

  #upload({ view, parameters, targets, region }: SceneViewState): void {
    const { focusDistance, fStop, sensorHeight, maximumBlur } = this.#options;
    const rays = this.#rays;
    rays.update(view, parameters);
    // Discs have the same size in a part of the picture as in the whole picture.
    const height = region?.height ?? targets.height;
    const focalLength = ((rays.scale[1] as number) * (targets.height / height) * sensorHeight) / 2;
    const focus = Math.max(focusDistance, focalLength * 1.001);
    const diameter = ((focalLength / fStop) * focalLength) / (focus - focalLength);
    const uniforms = this.#uniforms;
    uniforms[at.depthScale] = rays.depthScale;
    uniforms[at.depthOffset] = rays.depthOffset;
    uniforms[at.focus] = focus;
    uniforms[at.blur] = (diameter / sensorHeight / 2) * height;
    uniforms[at.most] = maximumBlur * height;
    let isSame = true;
    for (let word = 0; word < uniforms.length; word++) isSame &&= uniforms[word] === this.#sent[word];
    if (isSame) return;
    this.#sent.set(uniforms);
    this.#rhi.writeBuffer(this.#buffer, 0, uniforms);
  }
}
