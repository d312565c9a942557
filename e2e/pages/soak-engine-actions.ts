/**
 * Actions of a soak on the page and on the engine as a whole: sizes, captures, traces, other threads, lost devices and
 * killed workers. `calm` ends all modes that these actions begin.
 */
import type * as fencepost from 'fencepost';
import type { Random } from './soak-random.js';
import { KILLED, type SoakWatch } from './soak-watch.js';

export const MODES = ['single', 'render', 'render+rhi'] as const;

/**
 * Least time between two kills, in milliseconds. The engine gives up after three deaths of a thread within ten
 * seconds, and a soak must not provoke that.
 */
const KILL_PAUSE = 6000;

export interface SoakPage {
  readonly view: HTMLElement;
  /** The page's live workers, which the driver's init script collects. */
  readonly workers: ReadonlySet<Worker>;
  setPixelRatio(ratio: number): void;
  setHidden(isHidden: boolean): void;
}

export class EngineActions {
  readonly #engine: fencepost.Engine;
  readonly #random: Random;
  readonly #watch: SoakWatch;
  readonly #host: SoakPage;
  #isRunning = false;
  #isTracing = false;
  #isHidden = false;
  #isCanvasAway = false;
  /** Whether a worker was killed since the last settling. */
  #wasKilled = false;
  #timeline: Promise<fencepost.TimelineHandle | null> | null = null;
  #killedAt = -Infinity;

  constructor(engine: fencepost.Engine, random: Random, watch: SoakWatch, host: SoakPage) {
    this.#engine = engine;
    this.#random = random;
    this.#watch = watch;
    this.#host = host;
  }

  /** Ends all modes that these actions have begun. */
  calm(): void {
    if (this.#isCanvasAway) this.canvasAway();
    if (this.#isHidden) this.hidden();
    if (this.#isRunning) this.startStop();
    if (this.#timeline) this.timeline();
    if (this.#isTracing) this.trace();
  }

  /** Forgets the kill once everything has settled. */
  forgetKilled(): void {
    this.#wasKilled = false;
  }

  resize(): void {
    const random = this.#random;
    const [width, height] = [random.pick([24, 48, 64]), random.pick([24, 40, 64])];
    this.#watch.log('resize', width, height);
    const { style } = this.#host.view;
    style.width = `${width}px`;
    style.height = `${height}px`;
  }
  pixelRatio(): void {
    const ratio = this.#random.pick([1, 1.25, 2]);
    this.#watch.log('pixel ratio', ratio);
    this.#host.setPixelRatio(ratio);
  }
  canvasAway(): void {
    this.#isCanvasAway = !this.#isCanvasAway;
    this.#watch.log('canvas', this.#isCanvasAway ? 'removed' : 'put back');
    if (this.#isCanvasAway) this.#engine.canvas.remove();
    else this.#host.view.append(this.#engine.canvas);
  }
  /**
   * Hides or shows the page. The watchdog ignores silence while a page is hidden, so a killed worker would not
   * be replaced until it is shown.
   */
  hidden(): void {
    if (this.#wasKilled && !this.#isHidden) return;
    this.#isHidden = !this.#isHidden;
    this.#watch.log('page', this.#isHidden ? 'hidden' : 'visible');
    this.#host.setHidden(this.#isHidden);
  }
  block(): void {
    const milliseconds = this.#random.between(50, 250);
    this.#watch.log('block', Math.round(milliseconds));
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
  }

  lag(): void {
    const lag = this.#random.next() < 0.5;
    this.#watch.log('lag', lag);
    this.#engine.oneFrameThreadLag = lag;
  }
  startStop(): void {
    this.#isRunning = !this.#isRunning;
    this.#watch.log(this.#isRunning ? 'start' : 'stop');
    if (this.#isRunning) this.#engine.start();
    else this.#engine.stop();
  }
  invalidate(): void {
    this.#watch.log('invalidate');
    this.#engine.invalidate();
  }
  step(): void {
    this.#watch.log('step');
    this.#watch.track('step', () => this.#engine.step(1 / 60));
  }
  flush(): void {
    const options = { gpu: this.#random.next() < 0.5, deferredDeletes: this.#random.next() < 0.5 };
    this.#watch.log('flush', options.gpu, options.deferredDeletes);
    this.#watch.track('flush', () => this.#engine.flush(options));
  }
  whenReady(): void {
    this.#watch.log('when ready');
    this.#watch.track('whenReady', () => this.#engine.whenReady());
  }
  capture(): void {
    this.#watch.log('capture');
    this.#watch.track(
      'captureFrame',
      async () => {
        const { width, height, data } = await this.#engine.captureFrame();
        if (data.length !== width * height * 4) throw new Error(`${width} × ${height}: ${data.length} bytes`);
      },
      /no-frame-yet/,
    );
  }
  captureFile(): void {
    this.#watch.log('capture file');
    const engine = this.#engine;
    this.#watch.track(
      'startCapture, stopCapture',
      async () => {
        await engine.startCapture();
        await engine.step(0);
        await engine.step(0);
        // Another action may have ended this capture, or a change of threads may have restarted it.
        await engine.stopCapture();
      },
      /no-capture|capture-empty|capture-/,
    );
  }
  trace(): void {
    this.#isTracing = !this.#isTracing;
    this.#watch.log(this.#isTracing ? 'start trace' : 'stop trace');
    const engine = this.#engine;
    if (this.#isTracing) this.#watch.track('startTrace', () => engine.startTrace());
    else this.#watch.track('stopTrace', () => engine.stopTrace());
  }
  timeline(): void {
    this.#watch.log(this.#timeline ? 'close timeline' : 'show timeline');
    const open = this.#timeline;
    this.#timeline = open ? null : this.#engine.showTimeline();
    if (open) this.#watch.track('close timeline', async () => (await open)?.close());
  }
  threading(): void {
    const mode = this.#random.pick(MODES);
    this.#watch.log('threading', mode);
    this.#watch.count(`threading ${this.#engine.threading} → ${mode}`);
    // A thread that is killed meanwhile can't take over.
    this.#watch.track(`setThreading('${mode}')`, () => this.#engine.setThreading(mode), KILLED);
  }
  loseDevice(): void {
    this.#watch.log('lose device');
    this.#watch.track('simulateDeviceLoss', () => this.#engine.simulateDeviceLoss(), KILLED);
  }
  /** Terminates one of the engine's workers. The engine notices once it waits for a frame of that worker. */
  async kill(): Promise<void> {
    const order = this.#random.next();
    if (this.#isHidden) this.hidden();
    this.#wasKilled = true;
    const pause = Math.max(this.#killedAt, this.#watch.restartedAt) + KILL_PAUSE - performance.now();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    const workers = [...this.#host.workers];
    const worker = workers[Math.floor(order * workers.length)];
    this.#watch.log('kill', worker ? `worker ${workers.indexOf(worker)} of ${workers.length}` : '(none)');
    if (!worker) return;
    this.#killedAt = performance.now();
    this.#watch.count(`killed, ${this.#engine.threading}`);
    this.#watch.announce(/^(thread-silent|thread-not-answering|worker-start-timeout|worker-died): /);
    worker.terminate();
    this.#watch.track('step', () => this.#engine.step(1 / 60));
  }
}
