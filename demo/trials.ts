/**
 * Trials that a visitor can run on the engine, to see whether the picture continues. They block the page's thread, lose
 * the GPU device, terminate a worker, or switch the frame lag. The timeline can show the work of all threads meanwhile.
 */
import type { Engine, TimelineHandle } from '../src/index.js';
import { find } from './elements.js';
import type { EventLog } from './event-log.js';
import { formatMilliseconds } from './format.js';
import { terminateOldest } from './held-workers.js';
import type { Stage } from './stage.js';

const BLOCK_MILLISECONDS = 2000;
/** Milliseconds that the browser gets for its queued work after a block. */
const SETTLE_MILLISECONDS = 300;
/**
 * Minimum milliseconds between two terminations. An engine gives up when a third worker ends within ten seconds.
 */
const KILL_PAUSE_MILLISECONDS = 5500;
/** Maximum number of a terminated worker's pictures that may still be presented. */
const FRAMES_UNDER_WAY = 8;
const TIMELINE_KEY = 'F8';

/** Names of the objects that the render thread moves, and of the objects that the page moves, for use in sentences. */
export interface Movers {
  readonly declared: string;
  readonly pageDriven: string;
}

export class Trials {
  readonly #root: HTMLElement;
  readonly #stage: Stage;
  readonly #log: EventLog;
  readonly #movers: () => Movers;
  readonly #longestWait: () => number;
  /** Container of the timeline. It covers the picture and leaves the buttons of the panel free. */
  readonly #dock = document.createElement('div');
  #timeline: TimelineHandle | null = null;
  #killedAt = Number.NEGATIVE_INFINITY;
  #isKilling = false;
  /** Number of presented pictures when the worker was terminated. */
  #presentedBefore = 0;
  /** True shortly after a termination, when another termination might make the engine give up. */
  #isTooSoon = false;

  /**
   * @param longestWait returns the longest time that a click would have waited in the last two seconds, in
   *   milliseconds
   */
  constructor(
    root: HTMLElement,
    stage: Stage,
    log: EventLog,
    movers: () => Movers,
    longestWait: () => number,
  ) {
    this.#root = root;
    this.#stage = stage;
    this.#log = log;
    this.#movers = movers;
    this.#longestWait = longestWait;
    this.#dock.className = 'dock';
    document.body.append(this.#dock);
    this.#on('#block', () => this.#block());
    this.#on('#lose', (engine, button) => this.#loseDevice(engine, button));
    this.#on('#kill', () => this.#killWorker());
    this.#on('#timeline', (engine) => this.#toggleTimeline(engine));
    const lag = find(root, '#lag', HTMLInputElement);
    lag.addEventListener('change', () => {
      if (stage.engine) stage.engine.oneFrameThreadLag = lag.checked;
      log.begin(lag.checked ? 'let the game run one frame ahead' : 'keep game and render in the same frame');
    });
    new MutationObserver(() => this.#showDock()).observe(this.#dock, { childList: true });
    addEventListener('keydown', (event) => {
      if (event.key !== TIMELINE_KEY || event.defaultPrevented || !stage.engine) return;
      event.preventDefault();
      void this.#toggleTimeline(stage.engine);
    });
    this.#describeTrial();
  }

  watch(engine: Engine): void {
    for (const type of ['threadrestarted', 'devicerestored'] as const)
      engine.addEventListener(type, () => this.#survived());
    this.#update();
  }

  /**
   * Detects from newly presented pictures that the engine has survived a termination. If the worker was already being
   * replaced, no event reports the survival. Called from time to time.
   *
   * @param presentedFrames pictures so far
   */
  presented(presentedFrames: number): void {
    if (this.#isKilling && presentedFrames > this.#presentedBefore + FRAMES_UNDER_WAY) this.#survived();
  }

  #survived(): void {
    if (!this.#isKilling) return;
    this.#isKilling = false;
    // The timer clears a flag. If it compared the clock instead, it might find the pause unfinished, because a timer may
    // fire a fraction of a millisecond early.
    setTimeout(
      () => {
        this.#isTooSoon = false;
        this.#update();
      },
      Math.max(0, this.#killedAt + KILL_PAUSE_MILLISECONDS - performance.now()),
    );
    this.#update();
  }

  /** Updates the texts after a change of threads or scene. */
  changed(): void {
    this.#describeTrial();
    this.#update();
  }

  #update(): void {
    const kill = find(this.#root, '#kill', HTMLButtonElement);
    const hasNone = this.#stage.threading === 'single';
    kill.disabled = hasNone || this.#isKilling || this.#isTooSoon;
    kill.title = hasNone ? 'In mode single no worker draws.' : '';
    kill.textContent = this.#isKilling ? 'Terminated …' : 'Kill a worker';
  }

  #on(selector: string, act: (engine: Engine, button: HTMLButtonElement) => void): void {
    const button = find(this.#root, selector, HTMLButtonElement);
    button.addEventListener('click', () => {
      if (this.#stage.engine) act(this.#stage.engine, button);
    });
  }

  /** Describes the effect that a block will have. */
  #describeTrial(): void {
    const { declared, pageDriven } = this.#movers();
    this.#note(
      this.#stage.threading === 'single'
        ? 'In mode single the page draws, too. While the page is blocked, nothing moves.'
        : `While the page is blocked, ${pageDriven}, the dial and the charts stand still. ${capital(declared)} continue.`,
    );
  }

  #note(text: string): void {
    find(this.#root, '#block-note', HTMLElement).textContent = text;
  }

  async #loseDevice(engine: Engine, button: HTMLButtonElement): Promise<void> {
    button.disabled = true;
    this.#log.begin('destroy the GPU device');
    try {
      await engine.simulateDeviceLoss();
    } catch (error) {
      this.#stage.showError(error);
    }
    button.disabled = false;
  }

  #killWorker(): void {
    if (!terminateOldest()) return;
    this.#presentedBefore = this.#stage.engine?.stats().presentedFrames ?? 0;
    this.#killedAt = performance.now();
    this.#isKilling = true;
    this.#isTooSoon = true;
    this.#log.begin('terminate a worker, without informing the engine');
    this.#update();
  }

  async #toggleTimeline(engine: Engine): Promise<void> {
    if (this.#dock.childElementCount > 0) return this.#timeline?.close();
    try {
      this.#timeline = await engine.showTimeline({ container: this.#dock });
    } catch (error) {
      this.#stage.showError(error);
    }
  }

  #showDock(): void {
    const isShown = this.#dock.childElementCount > 0;
    find(this.#root, '#timeline', HTMLButtonElement).setAttribute('aria-pressed', String(isShown));
  }

  /** Blocks this thread for two seconds, like a long task of a page. */
  #block(): void {
    const button = find(this.#root, '#block', HTMLButtonElement);
    button.disabled = true;
    button.textContent = 'Blocked …';
    this.#log.begin('block the page for two seconds');
    // Waits for two frames. The first draws the button's new text, the second shows it on the screen.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const { engine } = this.#stage;
        const before = engine?.stats().presentedFrames ?? 0;
        const end = performance.now() + BLOCK_MILLISECONDS;
        while (performance.now() < end);
        setTimeout(() => {
          button.disabled = false;
          button.textContent = 'Block the page 2 s';
          this.#describeBlock((engine?.stats().presentedFrames ?? 0) - before);
        }, SETTLE_MILLISECONDS);
      }),
    );
  }

  #describeBlock(frames: number): void {
    const { declared, pageDriven } = this.#movers();
    const wait = formatMilliseconds(this.#longestWait());
    if (this.#stage.threading === 'single') {
      this.#note(
        `A click would have waited ${wait}, and the picture stood still. In mode single no other thread can draw. Try render.`,
      );
    } else {
      this.#note(
        `A click would have waited ${wait}. ${capital(pageDriven)} stood still; ${declared} continued${frames > 0 ? `, in ${frames} ${frames === 1 ? 'frame' : 'frames'}` : ''}.`,
      );
    }
    this.#log.add('plain', 'block', `The page is back. Frames presented since: ${frames}.`);
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
