import type { FrameGraph } from '../../../graph/frame-graph.js';
import type { GraphTexture } from '../../../graph/graph-pass.js';
import type { EffectValues } from '../../../proxy/effects.js';
import { type BufferHandle, BufferUsage } from '../../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../../rhi/record/immediate-context.js';
import { ScenePicture } from '../../views/scene-picture.js';
import type { DeferredView } from '../deferred-view.js';
import { DepthLevels } from './depth-levels.js';
import { ReflectionPass } from './reflection-pass.js';
import { GpuReflections, type ReflectionPipelines } from './reflection-pipelines.js';

const { at } = GpuReflections;

/**
 * Draws the reflections of a view: adds them to the lit surfaces, before all other meshes are drawn.
 *
 *   scene colour ─► picture with mip levels ─┐
 *   depth ─► nearest depths, by level ───────┼─► reflections ─► added to scene colour
 *   surfaces, environment, options ──────────┘
 */
export class ViewReflections {
  readonly #rhi: ImmediateContext;
  readonly #view: DeferredView;
  readonly #pipelines: ReflectionPipelines;
  readonly #buffer: BufferHandle;
  readonly #uniforms = new Float32Array(GpuReflections.words);
  readonly #sent = new Float32Array(GpuReflections.words).fill(Number.NaN);
  readonly #picture: ScenePicture;
  readonly #depths: DepthLevels;
  /** Scene colour before the reflections. */
  readonly #lit: { color: GraphTexture; unmappedColor: undefined };
  readonly #pass: ReflectionPass;

  constructor(rhi: ImmediateContext, view: DeferredView, pipelines: ReflectionPipelines) {
    const { suffix, targets } = view.state;
    this.#rhi = rhi;
    this.#view = view;
    this.#pipelines = pipelines;
    this.#picture = new ScenePicture(rhi, pipelines.screen, `lit surfaces${suffix}`);
    this.#depths = new DepthLevels(rhi, pipelines.screen, suffix);
    this.#lit = { color: targets.color, unmappedColor: undefined };
    this.#buffer = rhi.createBuffer({
      label: 'reflections',
      byteLength: GpuReflections.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    const sources = [this.#picture.texture, this.#depths.texture] as const;
    this.#pass = new ReflectionPass(rhi, view, pipelines, this.#buffer, ...sources);
  }

  /** Per frame, outside passes: creates the pipeline, and uploads settings that have changed. */
  prepare(): void {
    const { look, targets, region, reflections } = this.#view.state;
    this.#pipelines.get(targets.format);
    this.#picture.prepare(look);
    const uniforms = this.#uniforms;
    const { intensity, distance, thickness, maximumRoughness } = reflections as EffectValues<'ssr'>;
    uniforms[at.intensity] = intensity;
    uniforms[at.distance] = distance;
    uniforms[at.thickness] = thickness;
    uniforms[at.maximumRoughness] = maximumRoughness;
    uniforms[at.origin] = region?.x ?? 0;
    uniforms[at.origin + 1] = region?.y ?? 0;
    uniforms[at.size] = region?.width ?? targets.width;
    uniforms[at.size + 1] = region?.height ?? targets.height;
    let isSame = true;
    for (let word = 0; word < uniforms.length; word++) isSame &&= uniforms[word] === this.#sent[word];
    if (isSame) return;
    this.#sent.set(uniforms);
    this.#rhi.writeBuffer(this.#buffer, 0, uniforms);
  }

  /** Per frame, after the surfaces have been lit: adds the passes. */
  addPasses(graph: FrameGraph): void {
    const { targets } = this.#view.state;
    this.#lit.color = targets.color;
    this.#picture.begin(targets);
    this.#picture.addPasses(graph, this.#lit);
    this.#depths.addPasses(graph, targets.depth, targets.width, targets.height);
    graph.addPass(this.#pass);
  }

  dispose(): void {
    this.#pass.dispose();
    this.#picture.dispose();
    this.#depths.dispose();
    this.#rhi.destroy(this.#buffer);
  }
}
