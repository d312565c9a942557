/**
 * What a soak does to an engine: a round of random actions, and then peace, in which everything has to be as if
 * nothing had happened. What is done next is decided by the seed and by what was done before, never by a result or
 * the clock, so that a seed does the same again.
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

/** What the page can't do by itself, and what it says on its way. */
export interface SoakHost extends SoakPage, SoakFiles {
  readonly pictures: Pictures;
  /** Everything that was begun has to end within this, in milliseconds. */
  readonly settleLimit: number;
  log(entry: string): void;
}

/** How often each is done. */
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

/** The GPU's side starts anew: left out of calm rounds, so that what leaks is not thrown away with it. */
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

  /** A number of actions, then peace. @param isCalm without anything that starts the GPU's side anew */
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

  /** Everything that was begun has ended, nothing is expected any more, and the page is as at the beginning. */
  async settle(): Promise<void> {
    const { engine } = this;
    this.#contentActions.calm();
    this.#engineActions.calm();
    this.#watch.log('settle');
    await this.#watch.ended();
    this.#watch.track('peace: whenReady, step, flush', async () => {
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

  /** As the canvas has to be for two pictures to be compared. */
  async size(width: number, height: number, ratio: number): Promise<void> {
    const { style } = this.#host.view;
    style.width = `${width}px`;
    style.height = `${height}px`;
    this.#host.setPixelRatio(ratio);
    // The observer of the size is called before the second one.
    for (let frame = 0; frame < 3; frame++) await animationFrame();
  }

  async setThreading(mode: fencepost.ThreadingMode): Promise<void> {
    this.#watch.log('threading', mode);
    await this.engine.setThreading(mode);
  }

  /** Between two actions: nothing, a turn of the event loop, an animation frame, or until everything so far has ended. */
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
