/**
 * The picture: an engine in a container, its camera, and messages about failures. The page keeps one engine while
 * threads, GPU devices and models change. Only a new model replaces the scene.
 *
 *   #stage ─ div.picture ─ canvas     created by the engine, which may replace it (`surfacechange`)
 */
import {
  createEngine,
  type Engine,
  type EngineOptions,
  FencepostError,
  ThreadError,
  type ThreadingMode,
} from '../src/index.js';
import { holdWorkers } from './held-workers.js';
import { isStill, threadingFromAddress, writeToAddress } from './page-options.js';
import { Viewpoint } from './viewpoint.js';

/** Seconds between the steps of `?still`. */
const STILL_STEP_SECONDS = 1 / 60;
/** Number of steps of `?still`. */
const STILL_STEPS = 3;

/** Camera moves by key: changes of azimuth and polar angle in radians, and a factor on the distance. */
const KEY_MOVES: Readonly<Record<string, readonly [number, number, number]>> = {
  ArrowLeft: [-0.12, 0, 1],
  ArrowRight: [0.12, 0, 1],
  ArrowUp: [0, -0.1, 1],
  ArrowDown: [0, 0.1, 1],
  '+': [0, 0, 0.88],
  '=': [0, 0, 0.88],
  '-': [0, 0, 1.14],
};

export interface StageOptions {
  readonly engine?: EngineOptions;
  /** Fills the world. */
  readonly build: (engine: Engine, viewpoint: Viewpoint) => Promise<void>;
}

export class Stage {
  engine: Engine | null = null;
  readonly viewpoint = new Viewpoint();
  /** Called with the engine before it draws. */
  onEngine: (engine: Engine) => void = () => {};
  readonly #container: HTMLElement;
  readonly #options: StageOptions;
  #message: HTMLElement | null = null;

  constructor(container: HTMLElement, options: StageOptions) {
    this.#container = container;
    this.#options = options;
    document.documentElement.classList.toggle('still', isStill);
    container.tabIndex = 0;
    container.addEventListener('keydown', (event) => this.#turn(event));
    holdWorkers();
  }

  /** The engine's threading mode; until the engine exists, the mode in the page's address. */
  get threading(): ThreadingMode {
    return this.engine?.threading ?? threadingFromAddress();
  }

  /** Creates the engine and fills its world. Failures are shown, not thrown. */
  async open(): Promise<void> {
    const box = document.createElement('div');
    box.className = 'picture';
    this.#container.append(box);
    try {
      const engine = await createEngine(box, {
        threading: threadingFromAddress(),
        deviceLostMessage: true,
        // The page opens the timeline beside its panel instead.
        timelineKey: null,
        ...this.#options.engine,
      });
      this.engine = engine;
      engine.addEventListener('error', ({ detail }) => {
        if (!isRecoverable(detail)) this.showError(detail);
      });
      this.onEngine(engine);
      await this.#options.build(engine, this.viewpoint);
      // For tools that control the page: `npm run shot` steps this engine.
      Object.assign(globalThis, { engine });
      await this.#show(engine);
    } catch (error) {
      this.showError(error);
    }
  }

  /** Moves the engine to other threads while it runs. Failures are shown, not thrown. */
  async setThreading(mode: ThreadingMode): Promise<void> {
    try {
      await this.engine?.setThreading(mode);
      writeToAddress('threading', mode);
    } catch (error) {
      this.showError(error);
    }
  }

  /** Turns the camera by arrow keys, and moves it closer or away by plus and minus. */
  #turn(event: KeyboardEvent): void {
    const move = KEY_MOVES[event.key];
    if (!move || event.target !== this.#container) return;
    event.preventDefault();
    this.viewpoint.turn(...move);
  }

  async #show(engine: Engine): Promise<void> {
    if (isStill) {
      for (let step = 0; step < STILL_STEPS; step++) await engine.step(STILL_STEP_SECONDS);
    } else engine.start();
    await engine.whenReady();
    if (isStill) await engine.step(0);
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    document.documentElement.dataset.ready = 'true';
  }

  /** Shows a failure over the picture, with the engine's message and code. */
  showError(error: unknown, title = 'That did not work'): void {
    console.error(error);
    const isOurs = error instanceof FencepostError;
    const heading = isOurs && error.name === 'PlatformError' ? 'This browser can’t show the picture' : title;
    const text = error instanceof Error ? error.message : String(error);
    this.closeMessage();
    const message = document.createElement('div');
    message.className = 'message';
    message.setAttribute('role', 'alert');
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    const code = document.createElement('code');
    code.textContent = isOurs ? `${error.name} · ${error.code}` : '';
    const close = document.createElement('button');
    close.type = 'button';
    close.textContent = 'Close';
    close.addEventListener('click', () => this.closeMessage());
    const end = document.createElement('p');
    end.className = 'end';
    end.append(code, close);
    const titleElement = document.createElement('h2');
    titleElement.textContent = heading;
    message.append(titleElement, paragraph, end);
    for (const type of ['pointerdown', 'wheel'])
      message.addEventListener(type, (event) => event.stopPropagation());
    this.#container.append(message);
    this.#message = message;
    document.documentElement.dataset.failed = isOurs ? error.code : 'internal';
  }

  closeMessage(): void {
    this.#message?.remove();
    this.#message = null;
  }
}

/** Returns whether the engine recovers by itself. It then restarts the thread or device, and the log reports that. */
function isRecoverable(error: FencepostError): boolean {
  return error instanceof ThreadError
    ? error.code !== 'thread-given-up'
    : error.code === 'device-unavailable';
}
