/**
 * What a soak does to an engine: a round of random actions, and then peace, in which everything has to be as if
 * nothing had happened. What is done next is decided by the seed and by what was done before, never by a result or
 * the clock, so that a seed does the same again.
 *
 *   actions   spawn · resize · lose device · load · step · kill worker · … │ settle │ compare, clear, mark
 *   promises  └─── each is kept with what it may reject with ────────────► │ all have ended
 *   errors    └─── each has to be announced by an action since the last peace ──► │
 */
import * as fencepost from '../../src/index.js';
import { Random } from './soak-random.js';
import {
  CAMERA_COUNT,
  LEVEL_COUNT,
  LIGHT_COUNT,
  type LightState,
  MATERIAL_COUNT,
  type MaterialState,
  PICTURE_COUNT,
  type Pictures,
  SHAPE_COUNT,
  SoakScene,
} from './soak-scene.js';

export const MODES = ['single', 'render', 'render+rhi'] as const;

/** What the page can't do by itself, and what it says on its way. */
export interface SoakHost {
  readonly view: HTMLElement;
  /** Addresses of files that load. */
  readonly files: readonly string[];
  /** Addresses of files that are refused. */
  readonly refusedFiles: readonly string[];
  readonly pictures: Pictures;
  /** The page's workers, as the init script of the driver keeps them. */
  readonly workers: ReadonlySet<Worker>;
  log(entry: string): void;
  setPixelRatio(ratio: number): void;
  setHidden(isHidden: boolean): void;
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

/** The GPU's side starts anew: left out of calm rounds, so that what leaks is not thrown away with it. */
const RESTARTS: readonly Kind[] = ['threading', 'loseDevice', 'kill'];

const MAXIMUM_MESHES = 24;
/** Everything that was begun has to end within this, in milliseconds; a software GPU and a full machine are slow. */
const SETTLE_LIMIT = 120_000;
/** Of three deaths of a thread within ten seconds the engine makes an end; a soak is not to provoke that. */
const KILL_PAUSE = 6000;

export class Soak {
  readonly engine: fencepost.Engine;
  readonly scene: SoakScene;
  readonly random: Random;
  readonly failures: string[] = [];
  readonly counts: Record<string, number> = {};
  readonly #host: SoakHost;
  readonly #pending = new Map<symbol, { readonly what: string; readonly ended: Promise<void> }>();
  /** What may be reported until the next peace. */
  #announced: RegExp[] = [];
  #nextMesh = 1;
  #isRunning = false;
  #isTracing = false;
  #isHidden = false;
  #isCanvasAway = false;
  /** Since the last peace. */
  #wasKilled = false;
  #timeline: Promise<fencepost.TimelineHandle | null> | null = null;
  #killedAt = -Infinity;
  #restartedAt = -Infinity;

  constructor(engine: fencepost.Engine, seed: number, host: SoakHost) {
    this.engine = engine;
    this.random = new Random(seed);
    this.#host = host;
    this.scene = new SoakScene(engine.world, host.pictures);
    this.scene.clear();
    engine.addEventListener('error', ({ detail }) => {
      const text = `${detail.code}: ${detail.message}`;
      host.log(`  ! error ${text}`);
      this.#count(`error ${detail.code}`);
      if (!this.#isAnnounced(text)) this.#fail(`An error that nothing announced: ${text}`);
    });
    for (const event of ['devicelost', 'devicerestored', 'threadrestarted', 'surfacechange'] as const) {
      engine.addEventListener(event, () => {
        host.log(`  ! ${event}`);
        this.#count(event);
        if (event === 'threadrestarted') this.#restartedAt = performance.now();
      });
    }
  }

  /** A number of actions, then peace. @param isCalm without anything that starts the GPU's side anew */
  async round(actions: number, isCalm: boolean): Promise<void> {
    const weights: Record<Kind, number> = { ...WEIGHTS };
    if (isCalm) for (const kind of RESTARTS) weights[kind] = 0;
    for (let index = 0; index < actions; index++) {
      const kind = this.random.weighted(weights);
      this.#count(kind);
      await this[kind]();
      await this.#pause();
    }
    await this.settle();
  }

  /** Everything that was begun has ended, nothing is expected any more, and the page is as at the beginning. */
  async settle(): Promise<void> {
    const { engine } = this;
    if (this.#isCanvasAway) this.canvasAway();
    if (this.#isHidden) this.hidden();
    if (this.#isRunning) this.startStop();
    if (this.#timeline) this.timeline();
    if (this.#isTracing) this.trace();
    this.#log('settle');
    await this.#ended();
    this.#track('peace: whenReady, step, flush', async () => {
      await engine.world.whenReady();
      await engine.step(0);
      await engine.flush();
      await engine.whenReady();
      await engine.flush();
    });
    await this.#ended();
    this.#announced = [];
    this.#wasKilled = false;
  }

  async #ended(): Promise<void> {
    while (this.#pending.size > 0) {
      await this.#inTime(Promise.all([...this.#pending.values()].map(({ ended }) => ended)));
    }
  }

  async #inTime(work: Promise<unknown>): Promise<void> {
    let timer = 0;
    const late = new Promise<never>((_, reject) => {
      timer = window.setTimeout(() => {
        const open = [...this.#pending.values()].map(({ what }) => what);
        reject(new Error(`After ${SETTLE_LIMIT / 1000} s these have not ended: ${open.join(', ')}`));
      }, SETTLE_LIMIT);
    });
    await Promise.race([work, late]);
    clearTimeout(timer);
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

  // ── scene ──

  spawn(): void {
    if (this.scene.meshIds.length >= MAXIMUM_MESHES) {
      this.destroy();
      return;
    }
    const id = this.#nextMesh++;
    const { random } = this;
    const ids = this.scene.meshIds;
    const state = {
      id,
      parent: ids.length > 0 && random.next() < 0.3 ? random.pick(ids) : null,
      shape: random.below(SHAPE_COUNT),
      material: random.below(MATERIAL_COUNT),
      transform: this.#transform(),
      visible: random.next() < 0.9,
    };
    this.#log('spawn', id, state.parent);
    this.scene.spawn(state);
  }
  destroy(): void {
    this.#mesh('destroy', (id) => this.scene.destroy(id));
  }
  attach(): void {
    this.#mesh('attach', (id) => {
      const parent = this.random.pick([null, ...this.scene.meshIds]);
      this.scene.attach(id, parent);
    });
  }
  move(): void {
    this.#mesh('move', (id) => this.scene.setTransform(id, this.#transform()));
  }
  show(): void {
    this.#mesh('show', (id) => this.scene.setVisible(id, this.random.next() < 0.6));
  }
  shape(): void {
    this.#mesh('shape', (id) => this.scene.setShape(id, this.random.below(SHAPE_COUNT)));
  }
  useMaterial(): void {
    this.#mesh('use material', (id) => this.scene.useMaterial(id, this.random.below(MATERIAL_COUNT)));
  }
  motion(): void {
    const { random } = this;
    const kind = random.pick(['none', 'spin', 'orbit', 'keyframes'] as const);
    const radiansPerSecond = random.between(-6, 6);
    const motion = {
      none: () => null,
      spin: () => fencepost.spin({ axis: [random.between(-1, 1), 1, 0.3], radiansPerSecond }),
      orbit: () => fencepost.orbit({ radiansPerSecond, turnsAlong: random.next() < 0.5 }),
      keyframes: () =>
        fencepost.keyframes({
          times: [0, 0.4, 1],
          positions: [this.#point(), this.#point(), this.#point()],
          loop: random.next() < 0.5,
        }),
    }[kind]();
    this.#mesh(`motion ${kind}`, (id) => this.scene.setMotion(id, motion));
  }
  changeMaterial(): void {
    const slot = this.random.below(MATERIAL_COUNT);
    this.#log('change material', slot);
    this.scene.changeMaterial(slot, this.#material());
  }
  replaceMaterial(): void {
    const slot = this.random.below(MATERIAL_COUNT);
    this.#log('replace material', slot);
    this.scene.replaceMaterial(slot, this.#material());
  }
  materialMotion(): void {
    const { random } = this;
    const slot = random.below(MATERIAL_COUNT);
    const colors = [this.#color(), this.#color(), this.#color()];
    const isMoving = random.next() < 0.7;
    this.#log('material motion', slot, isMoving);
    const motion = fencepost.animate({ times: [0, 0.5, 1.5], baseColor: colors, loop: true });
    this.scene.setMaterialMotion(slot, isMoving ? motion : null);
  }
  light(): void {
    const { random } = this;
    const slot = random.below(LIGHT_COUNT);
    const kind = random.pick(['directional', 'point', 'spot', 'none'] as const);
    const color = this.#color();
    const position = [random.between(-2, 2), random.between(1, 3), random.between(1, 3)];
    const state: LightState | null =
      kind === 'none' ? null : { kind, color, position, intensity: kind === 'directional' ? 2 : 20 };
    this.#log('light', slot, kind);
    this.scene.setLight(slot, state);
  }
  camera(): void {
    const { random } = this;
    const slot = random.below(CAMERA_COUNT);
    const position = [random.between(-1, 1), random.between(0, 2), random.between(3, 5)];
    const isThere = random.next() < 0.8;
    this.#log('camera', slot, isThere);
    const state = { position, fovY: random.between(0.6, 1.1), orthographic: random.next() < 0.3 };
    this.scene.setCamera(slot, isThere ? state : null);
  }
  activate(): void {
    const slot = this.random.below(CAMERA_COUNT);
    this.#log('activate camera', slot);
    this.scene.activate(slot);
  }

  // ── files ──

  load(): void {
    const { random } = this;
    const slot = random.below(LEVEL_COUNT);
    const file = random.pick(this.#host.files);
    const as = /\.glb$/.test(file) ? random.pick(['address', 'bytes'] as const) : 'address';
    const state = { file, as, position: this.#point(), scale: random.between(0.3, 0.8) };
    this.#log('load', slot, file.split('/').pop(), as);
    // It may be unloaded before it is there; what is no model at all is refused in both pages.
    this.#track(`load ${file}`, () => this.scene.load(slot, state), /AbortError|^AssetError/);
  }
  loadRefused(): void {
    const file = this.random.pick(this.#host.refusedFiles);
    this.#log('load, refused', file.split('/').pop());
    const { world } = this.engine;
    this.#track(
      `load ${file}`,
      async () => {
        const level = await world.load(file);
        level.unload(); // with warnings
      },
      /^AssetError/,
    );
  }
  unload(): void {
    const slot = this.random.below(LEVEL_COUNT);
    this.#log('unload', slot);
    this.scene.unload(slot);
  }
  moveLevel(): void {
    const slot = this.random.below(LEVEL_COUNT);
    const scale = this.random.between(0.3, 0.8);
    this.#log('move level', slot);
    this.scene.moveLevel(slot, this.#point(), scale);
  }

  // ── page ──

  resize(): void {
    const { random } = this;
    const [width, height] = [random.pick([24, 48, 64]), random.pick([24, 40, 64])];
    this.#log('resize', width, height);
    const { style } = this.#host.view;
    style.width = `${width}px`;
    style.height = `${height}px`;
  }
  pixelRatio(): void {
    const ratio = this.random.pick([1, 1.25, 2]);
    this.#log('pixel ratio', ratio);
    this.#host.setPixelRatio(ratio);
  }
  canvasAway(): void {
    this.#isCanvasAway = !this.#isCanvasAway;
    this.#log('canvas', this.#isCanvasAway ? 'removed' : 'put back');
    if (this.#isCanvasAway) this.engine.canvas.remove();
    else this.#host.view.append(this.engine.canvas);
  }
  /** Silence doesn't count while a page is hidden: whoever waits for a killed worker's frame would wait until it is not. */
  hidden(): void {
    if (this.#wasKilled && !this.#isHidden) return;
    this.#isHidden = !this.#isHidden;
    this.#log('page', this.#isHidden ? 'hidden' : 'visible');
    this.#host.setHidden(this.#isHidden);
  }
  block(): void {
    const milliseconds = this.random.between(50, 250);
    this.#log('block', Math.round(milliseconds));
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  // ── engine ──

  lag(): void {
    const lag = this.random.next() < 0.5;
    this.#log('lag', lag);
    this.engine.oneFrameThreadLag = lag;
  }
  startStop(): void {
    this.#isRunning = !this.#isRunning;
    this.#log(this.#isRunning ? 'start' : 'stop');
    if (this.#isRunning) this.engine.start();
    else this.engine.stop();
  }
  invalidate(): void {
    this.#log('invalidate');
    this.engine.invalidate();
  }
  step(): void {
    this.#log('step');
    this.#track('step', () => this.engine.step(1 / 60));
  }
  flush(): void {
    const options = { gpu: this.random.next() < 0.5, deferredDeletes: this.random.next() < 0.5 };
    this.#log('flush', options.gpu, options.deferredDeletes);
    this.#track('flush', () => this.engine.flush(options));
  }
  whenReady(): void {
    this.#log('when ready');
    this.#track('whenReady', () => this.engine.whenReady());
  }
  capture(): void {
    this.#log('capture');
    this.#track(
      'captureFrame',
      async () => {
        const { width, height, data } = await this.engine.captureFrame();
        if (data.length !== width * height * 4) throw new Error(`${width} × ${height}: ${data.length} bytes`);
      },
      /no-frame-yet/,
    );
  }
  captureFile(): void {
    this.#log('capture file');
    const { engine } = this;
    this.#track(
      'startCapture, stopCapture',
      async () => {
        await engine.startCapture();
        await engine.step(0);
        await engine.step(0);
        // Another capture may have ended this one, and other threads may have begun it anew.
        await engine.stopCapture();
      },
      /no-capture|capture-empty|capture-/,
    );
  }
  trace(): void {
    this.#isTracing = !this.#isTracing;
    this.#log(this.#isTracing ? 'start trace' : 'stop trace');
    const { engine } = this;
    if (this.#isTracing) this.#track('startTrace', () => engine.startTrace());
    else this.#track('stopTrace', () => engine.stopTrace());
  }
  timeline(): void {
    this.#log(this.#timeline ? 'close timeline' : 'show timeline');
    const open = this.#timeline;
    this.#timeline = open ? null : this.engine.showTimeline();
    if (open) this.#track('close timeline', async () => (await open)?.close());
  }
  threading(): void {
    const mode = this.random.pick(MODES);
    this.#log('threading', mode);
    this.#count(`threading ${this.engine.threading} → ${mode}`);
    // Whoever is killed meanwhile can't take over.
    this.#track(`setThreading('${mode}')`, () => this.engine.setThreading(mode), this.#killedPattern);
  }
  loseDevice(): void {
    this.#log('lose device');
    this.#track('simulateDeviceLoss', () => this.engine.simulateDeviceLoss(), this.#killedPattern);
  }
  /** Ends one of the engine's workers. It is noticed when a frame is expected of it. */
  async kill(): Promise<void> {
    const order = this.random.next();
    if (this.#isHidden) this.hidden();
    this.#wasKilled = true;
    const pause = Math.max(this.#killedAt, this.#restartedAt) + KILL_PAUSE - performance.now();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    const workers = [...this.#host.workers];
    const worker = workers[Math.floor(order * workers.length)];
    this.#log('kill', worker ? `worker ${workers.indexOf(worker)} of ${workers.length}` : '(none)');
    if (!worker) return;
    this.#killedAt = performance.now();
    this.#count(`killed, ${this.engine.threading}`);
    this.#announced.push(/^(thread-silent|thread-not-answering|worker-start-timeout|worker-died): /);
    worker.terminate();
    this.#track('step', () => this.engine.step(1 / 60));
  }
  async setThreading(mode: fencepost.ThreadingMode): Promise<void> {
    this.#log('threading', mode);
    await this.engine.setThreading(mode);
  }

  /** What calls may reject with once a worker was killed. */
  get #killedPattern(): RegExp {
    return /^ThreadError (thread-not-answering|worker-start-timeout|worker-died)/;
  }

  #mesh(what: string, action: (id: number) => void): void {
    const ids = this.scene.meshIds;
    if (ids.length === 0) {
      this.spawn();
      return;
    }
    const id = this.random.pick(ids);
    this.#log(what, id);
    action(id);
  }

  #point(): number[] {
    const { random } = this;
    return [random.between(-1.2, 1.2), random.between(-0.8, 0.8), random.between(-1, 1)];
  }
  #color(): number[] {
    const { random } = this;
    return [random.next(), random.next(), random.next()];
  }
  #transform(): number[] {
    const { random } = this;
    const angle = random.between(0, Math.PI);
    const scale = random.between(0.5, 1.3);
    const transform = [...this.#point(), 0, Math.sin(angle), 0, Math.cos(angle), scale, scale, scale];
    return [...new Float32Array(transform)];
  }
  #material(): MaterialState {
    const { random } = this;
    const alpha = random.next() < 0.8 ? 1 : random.between(0.2, 0.9);
    const texture =
      random.next() < 0.4
        ? { picture: random.below(PICTURE_COUNT), as: random.pick(['pixels', 'bitmap', 'blob'] as const) }
        : null;
    return {
      isUnlit: random.next() < 0.2,
      baseColor: [...this.#color(), alpha],
      metallic: random.next(),
      roughness: random.between(0.1, 1),
      emissive: random.next() < 0.2 ? this.#color() : [0, 0, 0],
      texture,
      doubleSided: random.next() < 0.3,
    };
  }

  /** Between two actions: nothing, a turn of the event loop, an animation frame, or until everything so far has ended. */
  async #pause(): Promise<void> {
    const kind = this.random.weighted({ none: 50, turn: 15, frame: 20, step: 12, ended: 3 });
    if (kind === 'turn') await new Promise((resolve) => setTimeout(resolve, 0));
    else if (kind === 'frame') await animationFrame();
    else if (kind === 'step') await this.#inTime(this.#track('step', () => this.engine.step(1 / 60)));
    else if (kind === 'ended') await this.#ended();
  }

  /** Keeps a promise until it has ended. @param expected what it may reject with, as "ErrorClass code: message" */
  #track(what: string, begin: () => Promise<unknown>, expected?: RegExp): Promise<void> {
    const key = Symbol(what);
    const ended = (async () => {
      try {
        await begin();
      } catch (error) {
        const { name, code, message, stack } = error as FailureLike;
        const text = `${name} ${code ?? ''}: ${message}`;
        this.#host.log(`  ! ${what} rejected: ${text}`);
        const isKilled = expected === this.#killedPattern && this.#announced.length === 0;
        if (!expected?.test(text) || isKilled) this.#fail(`${what} rejected: ${text}\n${code ? '' : stack}`);
      } finally {
        this.#pending.delete(key);
      }
    })();
    this.#pending.set(key, { what, ended });
    return ended;
  }

  #isAnnounced(text: string): boolean {
    return this.#announced.some((pattern) => pattern.test(text));
  }

  #fail(text: string): void {
    this.failures.push(text);
    this.#host.log(`  ! FAILED ${text}`);
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  #log(...parts: unknown[]): void {
    this.#host.log(parts.join(' '));
  }
}

interface FailureLike {
  readonly name: string;
  readonly code?: string;
  readonly message: string;
  readonly stack?: string;
}

export const animationFrame = (): Promise<unknown> =>
  new Promise((resolve) => requestAnimationFrame(resolve));
