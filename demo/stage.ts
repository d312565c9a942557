/**
 * The picture: an engine in a container, its camera, and what to show when something fails. Changing the
 * threading mode makes a new engine on a fresh canvas over the old one, which stays until the new one has a
 * picture; the camera keeps its place.
 *
 *   #stage ┬ div ─ canvas   the engine that is leaving, stopped
 *          └ div ─ canvas   the new one ─ build(engine) ─ whenReady ─► the old one is disposed
 */
import {
  createEngine,
  type Engine,
  type EngineOptions,
  FencepostError,
  type ThreadingMode,
} from '../src/index.js';
import { isStill, threadingFromAddress, writeToAddress } from './page-options.js';
import { Viewpoint } from './viewpoint.js';

/** Seconds between the frames of `?still`, and how many there are. */
const STILL_STEP_SECONDS = 1 / 60;
const STILL_STEPS = 3;

/** What a key does: azimuth and polar angle in radians, and a factor on the distance. */
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
  /** Fills a fresh world; called again for every new engine. */
  readonly build: (engine: Engine, viewpoint: Viewpoint) => Promise<void>;
}

export class Stage {
  engine: Engine | null = null;
  threading: ThreadingMode = threadingFromAddress();
  readonly viewpoint = new Viewpoint();
  /** Called after an engine has come or gone. */
  onChange: () => void = () => {};
  readonly #container: HTMLElement;
  readonly #options: StageOptions;
  #changes: Promise<void> = Promise.resolve();
  #box: HTMLElement | null = null;
  #message: HTMLElement | null = null;

  constructor(container: HTMLElement, options: StageOptions) {
    this.#container = container;
    this.#options = options;
    document.documentElement.classList.toggle('still', isStill);
    container.tabIndex = 0;
    container.addEventListener('keydown', (event) => this.#turn(event));
  }

  /**
   * Makes an engine for `threading` and takes the old one's place, when earlier changes are through. Failures are
   * shown, not thrown.
   */
  open(threading?: ThreadingMode): Promise<void> {
    this.#changes = this.#changes.then(() => this.#replace(threading ?? this.threading));
    return this.#changes;
  }

  async #replace(threading: ThreadingMode): Promise<void> {
    const { engine: oldEngine } = this;
    const oldBox = this.#box;
    this.viewpoint.detach();
    oldEngine?.stop();
    this.closeMessage();
    this.threading = threading;
    this.engine = null;
    const box = document.createElement('div');
    box.className = 'picture';
    this.#container.append(box);
    this.#box = box;
    try {
      const engine = await createEngine(box, { ...this.#options.engine, threading });
      this.engine = engine;
      engine.addEventListener('error', ({ detail }) => this.showError(detail));
      await this.#options.build(engine, this.viewpoint);
      // For tools that drive the page: `npm run shot` steps the engine it finds here.
      Object.assign(globalThis, { engine });
      await this.#show(engine);
    } catch (error) {
      this.showError(error);
    }
    await oldEngine?.dispose().catch((error: unknown) => this.showError(error));
    oldBox?.remove();
    if (oldEngine) writeToAddress('threading', threading);
    this.onChange();
  }

  /** Per key: arrows turn, plus and minus come closer and go away. */
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

  /** Says kindly what went wrong, with the engine's own words and code. */
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
