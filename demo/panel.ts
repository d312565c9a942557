/**
 * The panel beside the picture: which thread does how much of a frame, how often the page and the picture move,
 * and the switch between threading modes. All of it is drawn by the main thread, on purpose: when that is
 * blocked, the dial and the charts stop, and the charts are filled in afterwards.
 */
import type { Engine, EngineStats, ThreadingMode } from '../src/index.js';
import { find } from './elements.js';
import { isStill, THREADING_MODES } from './page-options.js';
import { FrameFigures, mainThreadMilliseconds, type TypicalFrame } from './panel-figures.js';
import { panelMarkup } from './panel-markup.js';
import { Responsiveness } from './responsiveness.js';
import type { Stage } from './stage.js';
import { StripChart } from './strip-chart.js';

const SAMPLE_MILLISECONDS = 50;
const TEXT_MILLISECONDS = 250;
const BLOCK_MILLISECONDS = 2000;
/** Milliseconds a lane's full length can stand for; 16.7 is one frame at 60 Hz. */
const LANE_SCALES = [1, 2, 4, 8, 1000 / 60, 2000 / 60, 100, 400, 1600];
/** After a block, as long as the browser takes to run what has queued up. */
const SETTLE_MILLISECONDS = 300;

export class Panel {
  readonly #root: HTMLElement;
  readonly #stage: Stage;
  readonly #responsiveness = new Responsiveness();
  readonly #page: StripChart;
  readonly #picture: StripChart;
  readonly #measured = new Map<ThreadingMode, number>();
  readonly #figures = new FrameFigures();
  #pageFrames = 0;
  #lastSample = 0;
  #lastText = 0;
  #blockEnded: { readonly milliseconds: number; readonly picture: number } | null = null;

  constructor(root: HTMLElement, stage: Stage) {
    this.#root = root;
    this.#stage = stage;
    root.innerHTML = panelMarkup(crossOriginIsolated);
    this.#page = new StripChart(this.#find('#page-strip', HTMLCanvasElement), '#ff9a4d');
    this.#picture = new StripChart(this.#find('#picture-strip', HTMLCanvasElement), '#46d3bd');
    for (const input of root.querySelectorAll<HTMLInputElement>('input[name=threading]')) {
      input.checked = input.value === stage.threading;
      input.addEventListener('change', () => void this.#switchTo(input.value as ThreadingMode));
    }
    this.#find('#block', HTMLButtonElement).addEventListener('click', () => this.#block());
    stage.onChange = () => this.#restart();
    if (isStill) return;
    this.#responsiveness.start();
    requestAnimationFrame(this.#onFrame);
  }

  /** The scene has changed: figures measured before say nothing about it. */
  forget(): void {
    this.#measured.clear();
    this.#figures.clear();
  }

  #find<T extends Element>(selector: string, kind: new () => T): T {
    return find(this.#root, selector, kind);
  }

  async #switchTo(threading: ThreadingMode): Promise<void> {
    const modes = this.#find('.modes', HTMLFieldSetElement);
    modes.disabled = true;
    await this.#stage.open(threading);
    modes.disabled = false;
  }

  #restart(): void {
    this.#figures.clear();
    this.#picture.restart();
  }

  /** Per frame, on the main thread. */
  readonly #onFrame = (now: number): void => {
    requestAnimationFrame(this.#onFrame);
    this.#pageFrames++;
    this.#find('#dial', SVGElement).setAttribute('transform', `rotate(${(now * 0.36) % 360} 8 8)`);
    if (now - this.#lastSample < SAMPLE_MILLISECONDS) return;
    this.#lastSample = now;
    const { engine } = this.#stage;
    const stats = engine ? readStats(engine) : null;
    const seconds = now / 1000;
    this.#page.add(seconds, this.#pageFrames);
    if (stats) {
      this.#picture.add(seconds, stats.presentedFrames);
      this.#figures.add(stats);
    }
    this.#page.draw();
    this.#picture.draw();
    if (now - this.#lastText < TEXT_MILLISECONDS) return;
    this.#lastText = now;
    this.#describeBlock(stats);
    this.#write(stats);
  };

  #write(stats: EngineStats | null): void {
    const text = (selector: string, value: string): void => {
      this.#find(selector, HTMLElement).textContent = value;
    };
    text('#page-rate', `${Math.round(this.#page.rate)} fps`);
    text('#picture-rate', `${Math.round(this.#picture.rate)} fps`);
    text('#wait', formatMilliseconds(this.#responsiveness.longestWait));
    const typical = this.#figures.typical();
    if (!typical || !stats) return;
    this.#drawLanes(typical);
    const { threading } = this.#stage;
    this.#measured.set(threading, mainThreadMilliseconds(typical, threading));
    for (const mode of THREADING_MODES) {
      const measured = this.#measured.get(mode);
      text(`[data-measured="${mode}"]`, measured === undefined ? 'not tried' : formatMilliseconds(measured));
    }
    this.#writeVerdict(typical);
    text('#draws', stats.drawCalls.toLocaleString('en'));
    text('#instances', stats.instances.toLocaleString('en'));
    text('#visible', `${stats.visible.toLocaleString('en')} of ${stats.primitives.toLocaleString('en')}`);
    text('#in-flight', String(stats.framesInFlight));
    text('#game-wait', formatMilliseconds(typical.gameWaitMs));
    text('#commands', formatBytes(stats.renderCommandBytes));
    text('#lists', formatBytes(stats.rhiCommandBytes));
    text('#uploads', formatBytes(stats.uploadBytes));
    text('#resources', `${stats.liveResources} live, ${stats.pendingReleases} leaving`);
  }

  #writeVerdict({ gameThreadMs, renderThreadMs, rhiThreadMs }: TypicalFrame): void {
    const verdict = this.#find('#verdict', HTMLElement);
    const elsewhere = formatMilliseconds(renderThreadMs + rhiThreadMs);
    const strong = document.createElement('b');
    if (this.#stage.threading === 'single') {
      strong.textContent = `all ${formatMilliseconds(gameThreadMs + renderThreadMs + rhiThreadMs)}`;
      verdict.replaceChildren('The page’s own thread does ', strong, ' of every frame.');
    } else {
      strong.className = 'off';
      strong.textContent = elsewhere;
      const who = this.#stage.threading === 'render' ? 'A worker takes ' : 'Two workers take ';
      verdict.replaceChildren(
        who,
        strong,
        ` of every frame off the page, which does ${formatMilliseconds(gameThreadMs)}.`,
      );
    }
  }

  #drawLanes({ gameThreadMs, renderThreadMs, rhiThreadMs, gpuMs }: TypicalFrame): void {
    const { threading } = this.#stage;
    const isSingle = threading === 'single';
    const lanes: Record<string, Record<string, number>> = {
      page: isSingle
        ? { game: gameThreadMs, render: renderThreadMs, rhi: rhiThreadMs }
        : { game: gameThreadMs, render: 0, rhi: 0 },
      worker: isSingle ? {} : { render: renderThreadMs, rhi: threading === 'render' ? rhiThreadMs : 0 },
      rhi: threading === 'render+rhi' ? { rhi: rhiThreadMs } : {},
      gpu: gpuMs === null ? {} : { gpu: gpuMs },
    };
    const sums = Object.values(lanes).map((parts) =>
      Object.values(parts).reduce((sum, part) => sum + part, 0),
    );
    // By the work of all threads together, so that a switch moves bars from lane to lane and keeps their length.
    const work = gameThreadMs + renderThreadMs + rhiThreadMs;
    const scale = LANE_SCALES.find((milliseconds) => milliseconds >= work) ?? work;
    Object.entries(lanes).forEach(([name, parts], index) => {
      const lane = this.#find(`[data-lane="${name}"]`, HTMLElement);
      const isUsed = Object.keys(parts).length > 0;
      lane.classList.toggle('unused', !isUsed);
      for (const bar of lane.querySelectorAll('i')) {
        bar.style.width = `${(100 * (parts[bar.className] ?? 0)) / scale}%`;
      }
      const isUnknown = name === 'gpu' && !isUsed;
      this.#find(`[data-ms="${name}"]`, HTMLElement).textContent = isUsed
        ? formatMilliseconds(sums[index] ?? 0)
        : isUnknown
          ? 'unknown'
          : '–';
    });
    this.#find('#scale', HTMLElement).textContent = `full length: ${formatMilliseconds(scale)}`;
  }

  /** Two seconds in which this thread does nothing else, as a page's own long task would. */
  #block(): void {
    const button = this.#find('#block', HTMLButtonElement);
    button.disabled = true;
    button.textContent = 'The page is blocked …';
    // The button's new text has to be on screen first: one frame to draw it, one to be sure.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const { engine } = this.#stage;
        const picture = engine ? (readStats(engine)?.presentedFrames ?? 0) : 0;
        const end = performance.now() + BLOCK_MILLISECONDS;
        while (performance.now() < end);
        this.#blockEnded = { milliseconds: performance.now(), picture };
      }),
    );
  }

  /** Says what happened during the block, as soon as the counters that tell are known. */
  #describeBlock(stats: EngineStats | null): void {
    if (!this.#blockEnded) return;
    const { milliseconds, picture } = this.#blockEnded;
    if (performance.now() - milliseconds < SETTLE_MILLISECONDS) return;
    this.#blockEnded = null;
    const button = this.#find('#block', HTMLButtonElement);
    button.disabled = false;
    button.textContent = 'Block the page for 2 seconds';
    const frames = Math.max(0, (stats?.presentedFrames ?? picture) - picture);
    const wait = formatMilliseconds(this.#responsiveness.longestWait);
    this.#find('#block-note', HTMLElement).textContent =
      `For 2 seconds the page drew nothing and a click would have waited ${wait}. ` +
      (frames > 20
        ? `The picture went on: ${frames} frames.`
        : 'The picture paused too: all motion here is computed by the page. What the render thread can move by itself arrives in a later version.');
  }
}

/** A disposed engine has no figures. */
function readStats(engine: Engine): EngineStats | null {
  try {
    return engine.stats();
  } catch {
    return null;
  }
}

function formatMilliseconds(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value >= 1000) return `${(value / 1000).toFixed(1)} s`;
  return `${value < 10 ? value.toFixed(value < 1 ? 2 : 1) : Math.round(value)} ms`;
}

function formatBytes(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (value < 1000) return `${value} B`;
  return value < 1e6 ? `${(value / 1000).toFixed(1)} kB` : `${(value / 1e6).toFixed(1)} MB`;
}
