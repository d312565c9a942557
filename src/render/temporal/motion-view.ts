import coverCode from '../../../shaders/cover-target.wgsl?raw';
import code from '../../../shaders/motion-view.wgsl?raw';
import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphTexture } from '../../graph/graph-pass.js';
import { DISPLAY_BITS } from '../keys/pass-format.js';
import { ScreenPass, type ScreenTexture } from '../pipelines/screen-pass.js';
import type { ScreenPipelines } from '../pipelines/screen-pipelines.js';
import type { DrawnView } from '../views/drawn-view.js';
import type { SceneViewState } from '../views/scene-view-state.js';
import { HistoryTextures } from './history-textures.js';
import { MotionPass, type MovedWorld } from './motion-pass.js';
import type { TemporalPasses } from './temporal-passes.js';

const SHADER = { label: 'motion view', code: `${coverCode}${code}` };
const LINEAR = { isDisplayed: 0 };
const DISPLAYED = { isDisplayed: 1 };

/**
 * The debug view `motion`: shows the motion of a view's surfaces since the last frame, instead of its scene. A frame
 * may be drawn again, to read back its picture. The second drawing shows the motion that the first drawing has kept,
 * unless the camera or the size has changed.
 *
 *   motion ─► kept motion ─► colours
 */
export class MotionView implements TemporalPasses {
  readonly #state: SceneViewState;
  readonly #motion: MotionPass;
  readonly #poses: MovedWorld['poses'];
  readonly #kept: HistoryTextures;
  readonly #source: ScreenTexture = { version: undefined };
  /** Whether this frame shows the motion that an earlier frame has kept, and draws no motion. */
  #isKept = false;
  readonly #result: ScreenTexture = { version: undefined };
  readonly #show: ScreenPass;
  /** Number of the last frame that showed the view; −1: no frame has shown it. */
  #lastFrame = -1;

  constructor(world: MovedWorld, state: SceneViewState, screenPipelines: ScreenPipelines) {
    this.#state = state;
    this.#poses = world.poses;
    this.#motion = new MotionPass(world, state);
    this.#kept = new HistoryTextures(world.rhi, state.suffix, ['last motion']);
    this.#show = new ScreenPass(world.rhi, screenPipelines, {
      shader: SHADER,
      entryPoint: 'showMotion',
      name: `motion view${state.suffix}`,
      source: { of: this.#source },
      target: { of: this.#result },
    });
  }

  prepare(view: DrawnView, frame: number, isRedrawn: boolean): void {
    const { history, targets, suffix } = this.#state;
    const { width, height, colorFormat: format } = targets;
    const isNew = this.#kept.resize(width, height, 1);
    this.#isKept = isRedrawn && !isNew && !history.isCut;
    if (this.#isKept) this.#poses.use();
    else this.#motion.update(view, !history.follows(frame, this.#lastFrame), 0, 0);
    this.#lastFrame = frame;
    this.#show.constants = targets.format & DISPLAY_BITS ? DISPLAYED : LINEAR;
    this.#result.version = undefined;
    const before = this.#result.descriptor;
    if (before?.width === width && before.height === height && before.format === format) return;
    this.#result.descriptor = { name: `shown motion${suffix}`, width, height, format };
  }

  addPasses(graph: FrameGraph): void {
    const { targets } = this.#state;
    this.#kept.importTo(graph);
    if (!this.#isKept) {
      graph.addPass(this.#motion);
      this.#kept.results[0] = this.#motion.motion.version as GraphTexture;
      graph.addPass(this.#kept);
    }
    this.#source.version = this.#kept.textures[0];
    graph.addPass(this.#show);
    targets.color = this.#result.version ?? targets.color;
  }

  dispose(): void {
    this.#motion.dispose();
    this.#kept.dispose();
    this.#show.dispose();
  }
}
