/**
 * Runs a soak: rounds of random actions on an engine. After each round everything must settle, and the engine must
 * be in the state of a fresh one. The seed and the earlier actions decide the next action, never a result or the
 * clock, so a seed always gives the same sequence.
 *
 *   scene actions, engine actions   spawn · resize · lose device · load · … │ settle │ compare, clear, mark
 *   watch                           promises and errors, kept ────────────► │ all have ended
 */
import type * as fencepost from 'fencepost';
import { ContentActions, type SoakFiles } from './soak-content-actions.js';
import { EngineActions, type SoakPage } from './soak-engine-actions.js';
import type { Pictures } from './soak-parts.js';
import { Random } from './soak-random.js';
import { SoakScene } from './soak-scene.js';
import { SceneActions } from './soak-scene-actions.js';
import { SoakWatch } from './soak-watch.js';

/** Services of the page that the soak needs, and its log. */
export interface SoakHost extends SoakPage, SoakFiles {
  readonly pictures: Pictures;
  /** Time limit within which all pending work has to end, in milliseconds. */
  readonly settleLimit: number;
  log(entry: string): void;
}

/** Relative frequency of each action. */
const WEIGHTS = {
  spawn: 14,
  destroy: 8,
  attach: 6,
  move: 10,
  show: 4,
  shape: 3,
  useMaterial: 4,
  changeMaterial: 5,
  replaceMaterial: 3,
  motion: 6,
  materialMotion: 2,
  light: 4,
  camera: 3,
  activate: 2,
  load: 3,
  loadRefused: 1,
  unload: 2,
  moveLevel: 2,
  cloneLevel: 1,
  play: 5,
  changePlayback: 3,
  lods: 2,
  occluder: 2,
  castShadow: 1,
  crowd: 4,
  moveCrowd: 4,
  view: 2,
  viewRect: 1,
  look: 2,
  environment: 0.7,
  pick: 3,
  ray: 1,
  text: 1,
  label: 1,
  resize: 4,
  pixelRatio: 1,
  canvasAway: 1,
  hidden: 1,
  lag: 2,
  startStop: 4,
  invalidate: 2,
  step: 8,
  flush: 3,
  whenReady: 1,
  capture: 3,
  captureFile: 1,
  trace: 1,
  timeline: 1,
  block: 1,
  threading: 2,
  loseDevice: 1.2,
  kill: 0.5,
} as const;
type Kind = keyof typeof WEIGHTS;
type SceneKind = Kind & keyof SceneActions;
type ContentKind = Kind & keyof ContentActions;
type EngineKind = Kind & keyof EngineActions;

/** Actions that recreate the GPU's resources. Calm rounds leave them out, because they would hide leaks. */
const RESTARTS: readonly Kind[] = ['threading', 'loseDevice', 'kill'];

export class Soak {
  readonly engine: fencepost.Engine;
  readonly scene: SoakScene;
  readonly #random: Random;
  readonly #host: SoakHost;
  readonly #watch: SoakWatch;
  readonly #sceneActions: SceneActions;
  readonly #contentActions: ContentActions;
  readonly #engineActions: EngineActions;

  constructor(engine: fencepost.Engine, seed: number, host: SoakHost) {
    this.engine = engine;
    this.#random = new Random(seed);
    this.#host = host;
    this.scene = new SoakScene(engine, host.pictures);
    this.scene.clear();
    this.#watch = new SoakWatch(engine, host.log, host.settleLimit);
    this.#sceneActions = new SceneActions(this.scene, this.#random, this.#watch);
    this.#contentActions = new ContentActions(engine, this.scene, this.#random, this.#watch, host);
    this.#engineActions = new EngineActions(engine, this.#random, this.#watch, host);
  }

  get failures(): string[] {
    return this.#watch.failures;
  }

  get counts(): Record<string, number> {
    return this.#watch.counts;
  }

  /**
   * Runs a number of actions, and then settles.
   * @param isCalm leaves out actions that recreate the GPU's resources
   */
  async round(actions: number, isCalm: boolean): Promise<void> {
    const weights: Record<Kind, number> = { ...WEIGHTS };
    if (isCalm) for (const kind of RESTARTS) weights[kind] = 0;
    for (let index = 0; index < actions; index++) {
      const kind = this.#random.weighted(weights);
      this.#watch.count(kind);
      if (kind in this.#sceneActions) this.#sceneActions[kind as SceneKind]();
      else if (kind in this.#contentActions) this.#contentActions[kind as ContentKind]();
      else await this.#engineActions[kind as EngineKind]();
      await this.#pause();
    }
    await this.settle();
  }

  /**
   * Ends all pending work, and restores the page's initial state. From then on, errors that actions have allowed count
   * as failures again.
   */
  async settle(): Promise<void> {
    const { engine } = this;
    this.#contentActions.calm();
    this.#engineActions.calm();
    this.#watch.log('settle');
    await this.#watch.ended();
    this.#watch.track('settle: whenReady, step, flush', async () => {
      await engine.world.whenReady();
      await engine.step(0);
      await engine.flush();
      await engine.whenReady();
      await engine.flush();
    });
    await this.#watch.ended();
    this.#watch.forgetAnnounced();
    this.#engineActions.forgetKilled();
  }

  /** Sets the canvas size, so that two pictures can be compared. */
  async size(width: number, height: number, ratio: number): Promise<void> {
    const { style } = this.#host.view;
    style.width = `${width}px`;
    style.height = `${height}px`;
    this.#host.setPixelRatio(ratio);
    // The resize observer runs before the second animation frame.
    for (let frame = 0; frame < 3; frame++) await animationFrame();
  }

  async setThreading(mode: fencepost.ThreadingMode): Promise<void> {
    this.#watch.log('threading', mode);
    await this.engine.setThreading(mode);
  }

  /**
   * Pauses between two actions: not at all, for a turn of the event loop, for an animation frame, for a step,
   * or until all pending work has ended.
   */
  async #pause(): Promise<void> {
    const watch = this.#watch;
    const kind = this.#random.weighted({ none: 50, turn: 15, frame: 20, step: 12, ended: 3 });
    if (kind === 'turn') await new Promise((resolve) => setTimeout(resolve, 0));
    else if (kind === 'frame') await animationFrame();
    else if (kind === 'step') await watch.inTime(watch.track('step', () => this.engine.step(1 / 60)));
    else if (kind === 'ended') await watch.ended();
  }
}

export const animationFrame = (): Promise<unknown> =>
  new Promise((resolve) => requestAnimationFrame(resolve));
