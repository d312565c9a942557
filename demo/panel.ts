/**
 * The panel beside the picture. It shows each thread's work in a frame, and the frame rates of page and picture. It
 * also has the switch between threading modes, and buttons for the visitor's trials. The main thread draws the whole
 * panel on purpose. While that thread is blocked, dial and charts stand still. The charts are filled in afterwards.
 */
import type { EngineStats, ThreadingMode } from '../src/index.js';
import { find } from './elements.js';
import { EventLog } from './event-log.js';
import { formatBytes, formatMilliseconds } from './format.js';
import { isStill, THREADING_MODES } from './page-options.js';
import { FrameFigures, mainThreadMilliseconds, type TypicalFrame } from './panel-figures.js';
import { panelMarkup } from './panel-markup.js';
import { Responsiveness } from './responsiveness.js';
import type { Stage } from './stage.js';
import { StripChart } from './strip-chart.js';
import { type Movers, Trials } from './trials.js';

const SAMPLE_MILLISECONDS = 50;
const TEXT_MILLISECONDS = 250;
/** Possible scales of a lane, which shows one thread: the milliseconds of its full length. 16.7 is a frame at 60 Hz. */
const LANE_SCALES = [1, 2, 4, 8, 1000 / 60, 2000 / 60, 100, 400, 1600];

export class Panel {
  readonly #root: HTMLElement;
  readonly #stage: Stage;
  readonly #responsiveness = new Responsiveness();
  readonly #page: StripChart;
  readonly #picture: StripChart;
  readonly #trials: Trials;
  readonly #log: EventLog;
  readonly #measured = new Map<ThreadingMode, number>();
  readonly #figures = new FrameFigures();
  #pageFrames = 0;
  #lastSample = 0;
  #lastText = 0;

  constructor(root: HTMLElement, stage: Stage, movers: () => Movers) {
    this.#root = root;
    this.#stage = stage;
    root.innerHTML = panelMarkup(crossOriginIsolated);
    this.#page = new StripChart(this.#find('#page-strip', HTMLCanvasElement), '#ff9a4d');
    this.#picture = new StripChart(this.#find('#picture-strip', HTMLCanvasElement), '#46d3bd');
    this.#log = new EventLog(this.#find('#log', HTMLElement));
    const longestWait = () => this.#responsiveness.longestWait;
    this.#trials = new Trials(root, stage, this.#log, movers, longestWait);
    for (const input of this.#modes) {
      input.checked = input.value === stage.threading;
      input.addEventListener('change', () => void this.#switchTo(input.value as ThreadingMode));
    }
    stage.onEngine = (engine) => {
      this.#log.watch(engine);
      this.#trials.watch(engine);
      for (const type of ['devicerestored', 'threadrestarted'] as const)
        engine.addEventListener(type, () => this.#figures.clear());
    };
    if (isStill) return;
    this.#responsiveness.start();
    requestAnimationFrame(this.#onFrame);
  }

  get #modes(): NodeListOf<HTMLInputElement> {
    return this.#root.querySelectorAll<HTMLInputElement>('input[name=threading]');
  }

  /** Resets the figures after a change of the scene. */
  sceneChanged(): void {
    this.#trials.changed();
    this.#measured.clear();
    this.#figures.clear();
  }

  /** Adds a checkbox below the checkbox for the frame lag. */
  addSwitch(id: string, label: string, checked: boolean, change: (isOn: boolean) => unknown): void {
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', id, checked });
    box.addEventListener('change', () => change(box.checked));
    const line = document.createElement('label');
    line.className = 'check';
    line.append(box, ` ${label}`);
    this.#find('#lag', HTMLInputElement).closest('label')?.after(line);
  }

  #find<T extends Element>(selector: string, kind: new () => T): T {
    return find(this.#root, selector, kind);
  }

  async #switchTo(threading: ThreadingMode): Promise<void> {
    const fieldset = this.#find('.modes', HTMLFieldSetElement);
    fieldset.disabled = true;
    this.#log.begin(`switch to ${threading}`);
    const begin = performance.now();
    await this.#stage.setThreading(threading);
    const isDone = this.#stage.threading === threading;
    if (isDone)
      this.#log.add(
        'good',
        'threading',
        `${threading} draws, after ${formatMilliseconds(performance.now() - begin)}.`,
      );
    fieldset.disabled = false;
    // After a failed switch the earlier mode is still active.
    for (const input of this.#modes) {
      input.checked = input.value === this.#stage.threading;
      // Disabling the fieldset has removed its focus.
      if (input.checked && document.activeElement === document.body) input.focus({ preventScroll: true });
    }
    this.#figures.clear();
    this.#trials.changed();
  }

  /** Runs per frame, on the main thread. */
  readonly #onFrame = (now: number): void => {
    requestAnimationFrame(this.#onFrame);
    this.#pageFrames++;
    this.#find('#dial', SVGElement).setAttribute('transform', `rotate(${(now * 0.36) % 360} 8 8)`);
    if (now - this.#lastSample < SAMPLE_MILLISECONDS) return;
    this.#lastSample = now;
    const stats = this.#stage.engine?.stats() ?? null;
    const seconds = now / 1000;
    this.#page.add(seconds, this.#pageFrames);
    if (stats) {
      this.#picture.add(seconds, stats.presentedFrames);
      this.#figures.add(stats);
      this.#trials.presented(stats.presentedFrames);
    }
    this.#page.draw();
    this.#picture.draw();
    if (now - this.#lastText < TEXT_MILLISECONDS) return;
    this.#lastText = now;
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
    text('#retained', formatBytes(stats.retainedBytes));
    text('#resources', `${stats.liveResources} live, ${stats.pendingReleases} to free`);
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
    // The scale depends on the work of all threads together, so that switching modes moves bars between lanes and keeps
    // their length.
    const work = gameThreadMs + renderThreadMs + rhiThreadMs;
    const scale = LANE_SCALES.find((milliseconds) => milliseconds >= work) ?? work;
    Object.entries(lanes).forEach(([name, parts], index) => {
      const lane = this.#find(`[data-lane="${name}"]`, HTMLElement);
      const isUsed = Object.keys(parts).length > 0;
      lane.classList.toggle('unused', !isUsed);
      // The GPU works beside the threads and does not count for the scale. A bar that is cut off has a mark at its end.
      lane.classList.toggle('beyond', (sums[index] ?? 0) > scale);
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
    this.#find('#scale', HTMLElement).textContent =
      `full length: ${formatMilliseconds(scale)}${sums.some((sum) => sum > scale) ? ', » is longer' : ''}`;
  }
}
