import type { FrameGraph } from '../../graph/frame-graph.js';
import { type BufferHandle, BufferUsage } from '../../rhi/commands/descriptors.js';
import { DISPLAY_BITS } from '../keys/pass-format.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { writeBackgroundMotion } from './background-motion.js';
import { HistoryTextures } from './history-textures.js';
import { writeJitter } from './jitter.js';
import { MotionPass, type MovedWorld } from './motion-pass.js';
import { TemporalPass } from './temporal-pass.js';
import type { TemporalPasses } from './temporal-passes.js';
import { GpuTemporal, type TemporalPipelines } from './temporal-pipelines.js';

const { at } = GpuTemporal;
const HISTORY_NAMES = ['history', 'traces', 'unmapped history'];

/** Parts of a world that temporal smoothing uses. */
export interface SmoothedWorld extends MovedWorld {
  readonly temporalPipelines: TemporalPipelines;
}

/**
 * Smooths the edges of a view by averaging its pictures over time. Each view has its own history. The history begins
 * anew after a cut to another camera and after a frame that did not show the view. It also begins anew after a change
 * of the view's size, of its display colours, or of the number of its colour targets.
 *
 *   frame n                                                      frame n + 1
 *   scene, moved by jitter n ──┐                                 scene, moved by jitter n + 1 ──┐
 *   motion since frame n − 1 ──┼─► mean ─► effects, tone mapping                                ├─► mean ─► …
 *   history ───────────────────┘    └────────────────────────────► history ─────────────────────┘
 */
export class TemporalSmoothing implements TemporalPasses {
  readonly #world: SmoothedWorld;
  readonly #state: SceneViewState;
  readonly #motion: MotionPass;
  readonly #history: HistoryTextures;
  readonly #pass: TemporalPass;
  readonly #buffer: BufferHandle;
  readonly #uniforms = new Float32Array(GpuTemporal.words);
  /** Jitter of the next frame, in pixels right and down. */
  readonly #jitter = new Float64Array(2);
  /** Jitter of the last frame, in pixels right and down. */
  readonly #lastJitter = new Float64Array(2);
  /** Row-major `clipFromWorld` of the last frame. `#upload` replaces its jitter with the jitter of this frame. */
  readonly #lastMatrix = new Float64Array(16);
  /** Number of the last frame that showed the view; −1: no frame has shown it. */
  #lastFrame = -1;
  /**
   * `DISPLAY_BITS` of the last frame's pass format: whether scene colour is light, or which display colours it holds.
   */
  #meaning = -1;
  /** Number of frames since the history began, this frame included. */
  #age = 0;

  constructor(world: SmoothedWorld, state: SceneViewState, screenPipelines: ScreenPipelines) {
    const { rhi, temporalPipelines } = world;
    this.#world = world;
    this.#state = state;
    this.#motion = new MotionPass(world, state);
    this.#history = new HistoryTextures(rhi, state.suffix, HISTORY_NAMES);
    this.#buffer = rhi.createBuffer({
      label: 'temporal smoothing',
      byteLength: GpuTemporal.byteLength,
      usage: BufferUsage.uniform | BufferUsage.copyTarget,
    });
    this.#pass = new TemporalPass({
      rhi,
      pipelines: temporalPipelines,
      screenPipelines,
      state,
      motion: this.#motion.motion,
      history: this.#history,
      uniforms: this.#buffer,
    });
  }

  prepare(view: DrawnView, frame: number): void {
    const { history, look, targets, view: current, parameters } = this.#state;
    const { width, height } = targets;
    const isResized = this.#history.resize(width, height, look.hasUnmappedTarget ? 3 : 2);
    const meaning = targets.format & DISPLAY_BITS;
    const isNew = isResized || !history.follows(frame, this.#lastFrame) || meaning !== this.#meaning;
    this.#world.temporalPipelines.get(look.hasUnmappedTarget ? 2 : 1);
    const jitterX = (history.jitter[0] as number) - (this.#lastJitter[0] as number);
    const jitterY = (history.jitter[1] as number) - (this.#lastJitter[1] as number);
    this.#motion.update(view, isNew, jitterX, jitterY);
    this.#upload(isNew, jitterX, jitterY, meaning === 0 ? look.exposure : 0);
    this.#lastFrame = frame;
    this.#meaning = meaning;
    this.#lastJitter.set(history.jitter);
    this.#lastMatrix.set(current.clipFromWorld);
    this.#age = isNew ? 1 : this.#age + 1;
    writeJitter(this.#age, this.#jitter);
    history.moveNext(parameters, this.#jitter[0] as number, this.#jitter[1] as number, width, height);
  }

  addPasses(graph: FrameGraph): void {
    graph.addPass(this.#motion);
    this.#history.importTo(graph);
    graph.addPass(this.#pass);
    graph.addPass(this.#history);
  }

  dispose(): void {
    const { history, parameters } = this.#state;
    history.moveNext(parameters, 0, 0, 1, 1);
    this.#motion.dispose();
    this.#pass.dispose();
    this.#history.dispose();
    this.#world.rhi.destroy(this.#buffer);
  }

  #upload(isNew: boolean, jitterX: number, jitterY: number, exposure: number): void {
    const { targets, view } = this.#state;
    const last = this.#lastMatrix;
    for (let column = 0; column < 4; column++) {
      const w = last[12 + column] as number;
      last[column] = (last[column] as number) + ((2 * jitterX) / targets.width) * w;
      last[4 + column] = (last[4 + column] as number) - ((2 * jitterY) / targets.height) * w;
    }
    const uniforms = this.#uniforms;
    writeBackgroundMotion(view.clipFromWorld, isNew ? view.clipFromWorld : last, uniforms, at.behindX);
    uniforms[at.exposure] = exposure;
    uniforms[at.isNew] = isNew ? 1 : 0;
    this.#world.rhi.writeBuffer(this.#buffer, 0, uniforms);
  }
}
