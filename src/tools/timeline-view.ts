/**
 * The timeline over the page: a panel at the lower edge with the lanes of `timeline-painter.ts`. The panel is in a
 * shadow tree, so that styles of page and panel don't mix. It draws only after new events, input or a change of its
 * size.
 *
 *   wheel: zoom about the pointer   drag: move   Space: pause   ← → + −: move, zoom   End: follow   Escape: close
 */

import { cssZoomOf } from '../core/browser/css-zoom.js';
import { OptionError } from '../core/errors.js';
import { chromeTrace } from './chrome-trace.js';
import { element } from './dom.js';
import { type EventName, KIND_BY_NAME, shownName } from './event-kinds.js';
import { SETTINGS_STYLE, SettingsPanel, type ShownSettings } from './settings-panel.js';
import { type Bar, labelOf, type TimelineModel } from './timeline-model.js';
import { GUTTER, TimelinePainter } from './timeline-painter.js';

/** Number of frames that are visible when the panel opens. */
const OPENING_FRAMES = 3;
/** Limits of the span that is visible when the panel opens, in milliseconds. */
const LEAST_OPENING = 120;
const MOST_OPENING = 10_000;
/** Limits of the visible span when the user zooms, in milliseconds. */
const LEAST_MILLISECONDS = 0.02;
const MOST_MILLISECONDS = 60_000;
/** Share of the visible span that stays empty at the right. */
const MARGIN = 0.03;

const STYLE = `
:host { position: fixed; inset: auto 0 0 0; z-index: 2147483000; color-scheme: dark; }
section { background: rgb(18 19 26); color: #fff; font: 12px/1.4 system-ui, sans-serif; outline: none;
  border-top: 1px solid rgb(255 255 255 / .22); }
section:focus-visible { border-top-color: #7ab8ff; }
header { display: flex; align-items: center; gap: 10px; padding: 5px 8px; }
h2 { font-size: 12px; margin: 0; font-weight: 600; }
output { flex: 1; min-width: 0; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; color: #cfd6e4;
  font-variant-numeric: tabular-nums; }
button { font: inherit; color: inherit; background: rgb(255 255 255 / .1); border: 1px solid rgb(255 255 255 / .2);
  border-radius: 4px; padding: 1px 9px; cursor: pointer; }
button:hover, button[aria-pressed=true] { background: rgb(255 255 255 / .24); }
button:focus-visible { outline: 2px solid #7ab8ff; outline-offset: 1px; }
div { overflow-y: auto; max-height: 60vh; }
.loading { margin: 0; padding: 10px 8px 14px; color: #cfd6e4; }
canvas { display: block; width: 100%; cursor: grab; touch-action: none; }
canvas.moving { cursor: grabbing; }
${SETTINGS_STYLE}`;

const HELP = 'Wheel: zoom · drag: move · Space: pause · Escape: close';

export class TimelineView {
  readonly #model: TimelineModel;
  readonly #onClose: () => void;
  readonly #host = document.createElement('fencepost-timeline');
  readonly #panel: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #status: HTMLOutputElement;
  /** Shown until the first events arrive. */
  readonly #loading: HTMLElement;
  readonly #pauseButton: HTMLButtonElement;
  readonly #painter: TimelinePainter;
  readonly #settings: ShownSettings;
  /** Null while the settings are not shown. */
  #settingsPanel: SettingsPanel | null = null;
  /** Message of the last setting that was rejected. */
  #message = '';
  readonly #observer: ResizeObserver;
  readonly #focusBefore = document.activeElement;
  /** Begin of the visible time, in milliseconds since the epoch. */
  #begin = 0;
  /** Length of the visible time in milliseconds. */
  #span: number;
  /** Whether the view may still choose the span: until enough frames have completed, or the user zooms. */
  #isSpanOpen: boolean;
  /** Whether the right edge follows the newest event. */
  #isFollowing = true;
  #hovered: Bar | null = null;
  #pointer: { readonly x: number; readonly y: number } | null = null;
  #drag: { readonly x: number; readonly begin: number } | null = null;
  #request = 0;
  #isClosed = false;

  /** @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range` */
  constructor(model: TimelineModel, options: TimelineOptions, settings: ShownSettings, onClose: () => void) {
    const { container = document.body, milliseconds = LEAST_OPENING } = options;
    const unknown = Object.keys(options).find((name) => !['container', 'milliseconds'].includes(name));
    if (unknown) {
      throw new OptionError(
        'option-unknown',
        `showTimeline has no option "${unknown}"; it has container and milliseconds.`,
      );
    }
    if (!(typeof milliseconds === 'number' && milliseconds >= 1 && milliseconds <= MOST_MILLISECONDS)) {
      const given: unknown = milliseconds;
      throw new OptionError(
        'option-out-of-range',
        `milliseconds of showTimeline is ${typeof given === 'string' ? `"${given}"` : String(given)}; it has to be a number from 1 to 60,000.`,
      );
    }
    if (!container?.append) {
      throw new OptionError('option-invalid', 'container of showTimeline has to be an element of the page.');
    }
    this.#model = model;
    this.#settings = settings;
    this.#onClose = onClose;
    this.#span = milliseconds;
    this.#isSpanOpen = options.milliseconds === undefined;
    const root = this.#host.attachShadow({ mode: 'open' });
    // A constructed style sheet works even under policies that forbid style elements.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    root.append(timelineMarkup());
    const find = <E extends Element>(selector: string): E => root.querySelector(selector) as E;
    this.#panel = find('section');
    this.#canvas = find('canvas');
    this.#status = find('output');
    this.#loading = find('.loading');
    this.#pauseButton = find('[data-do=pause]');
    this.#painter = new TimelinePainter(model, this.#canvas.getContext('2d') as CanvasRenderingContext2D);
    container.append(this.#host);
    this.#listen(find('[data-do=save]'), find('[data-do=settings]'), find('[data-do=close]'));
    this.#observer = new ResizeObserver(() => this.#invalidate());
    this.#observer.observe(this.#canvas);
    this.#panel.focus({ preventScroll: true });
  }

  /** Shows new events. */
  update(): void {
    this.#loading.hidden ||= this.#model.lanes.length > 0;
    const span = this.#isSpanOpen ? this.#model.spanOfFrames(OPENING_FRAMES) : null;
    if (span !== null) {
      this.#isSpanOpen = false;
      this.#span = Math.min(MOST_OPENING, Math.max(LEAST_OPENING, span * (1 + 2 * MARGIN)));
    }
    if (this.#isFollowing) this.#follow();
    this.#settingsPanel?.update();
    this.#invalidate();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    cancelAnimationFrame(this.#request);
    this.#observer.disconnect();
    const hadFocus = document.activeElement === this.#host;
    this.#host.remove();
    if (hadFocus && this.#focusBefore instanceof HTMLElement)
      this.#focusBefore.focus({ preventScroll: true });
    this.#onClose();
  }

  #listen(save: HTMLButtonElement, settings: HTMLButtonElement, close: HTMLButtonElement): void {
    const canvas = this.#canvas;
    this.#pauseButton.addEventListener('click', () => this.#pause(!this.#model.isPaused));
    save.addEventListener('click', () => this.#save());
    settings.addEventListener('click', () => this.#toggleSettings(settings));
    close.addEventListener('click', () => this.close());
    this.#panel.addEventListener('keydown', (event) => this.#onKey(event));
    canvas.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      canvas.classList.add('moving');
      this.#drag = { x: this.#placeOf(event)[0], begin: this.#begin };
    });
    canvas.addEventListener('pointermove', (event) => {
      const [x, y] = this.#placeOf(event);
      this.#pointer = { x, y };
      if (this.#drag) this.#move(this.#drag.begin - ((x - this.#drag.x) / this.#width) * this.#span);
      else this.#invalidate();
    });
    const release = (): void => {
      this.#drag = null;
      canvas.classList.remove('moving');
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerleave', () => {
      this.#pointer = null;
      this.#invalidate();
    });
  }

  /** Width of the area of bars, in CSS pixels. */
  get #width(): number {
    return Math.max(1, this.#canvas.clientWidth - GUTTER);
  }

  /** Returns the pointer's position on the canvas, in CSS pixels. */
  #placeOf({ offsetX, offsetY }: MouseEvent): readonly [x: number, y: number] {
    const zoom = cssZoomOf(this.#canvas);
    return [offsetX / zoom, offsetY / zoom];
  }

  #onKey(event: KeyboardEvent): void {
    const step = this.#span / 8;
    const [target] = event.composedPath();
    const isOnButton = target instanceof HTMLButtonElement;
    // Keys other than Escape belong to the focused setting.
    if (this.#settingsPanel?.element.contains(target as Node) && event.key !== 'Escape') return;
    const actions: Readonly<Record<string, () => void>> = {
      Escape: () => this.close(),
      ArrowLeft: () => this.#move(this.#begin - step),
      ArrowRight: () => this.#move(this.#begin + step),
      '+': () => this.#zoom(0.7, 0.5),
      '-': () => this.#zoom(1 / 0.7, 0.5),
      End: () => this.#startToFollow(),
      // Space presses a focused button.
      ...(isOnButton ? {} : { ' ': () => this.#pause(!this.#model.isPaused) }),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  #onWheel(event: WheelEvent): void {
    event.preventDefault();
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (isSideways) {
      const delta = event.deltaX || event.deltaY;
      this.#move(this.#begin + (delta / this.#width) * this.#span);
    } else {
      const place = Math.min(1, Math.max(0, (this.#placeOf(event)[0] - GUTTER) / this.#width));
      this.#zoom(1.0016 ** event.deltaY, place);
    }
  }

  /** @param place position that stays fixed, 0 at the left to 1 at the right */
  #zoom(factor: number, place: number): void {
    this.#isSpanOpen = false;
    const span = Math.min(MOST_MILLISECONDS, Math.max(LEAST_MILLISECONDS, this.#span * factor));
    this.#begin += (this.#span - span) * place;
    this.#span = span;
    if (this.#isFollowing) this.#follow();
    this.#invalidate();
  }

  #move(begin: number): void {
    this.#isFollowing = false;
    this.#begin = begin;
    this.#invalidate();
  }

  #startToFollow(): void {
    this.#isFollowing = true;
    this.#pause(false);
    this.#follow();
    this.#invalidate();
  }

  #follow(): void {
    const { newest } = this.#model;
    if (Number.isFinite(newest)) this.#begin = newest - this.#span * (1 - MARGIN);
  }

  #pause(isPaused: boolean): void {
    this.#model.isPaused = isPaused;
    this.#pauseButton.setAttribute('aria-pressed', String(isPaused));
    this.#pauseButton.textContent = isPaused ? 'Go on' : 'Pause';
    // A paused view no longer follows the newest event, so zooming keeps the time under the pointer.
    this.#isFollowing = !isPaused;
    this.#invalidate();
  }

  #toggleSettings(button: HTMLButtonElement): void {
    const shown = this.#settingsPanel;
    button.setAttribute('aria-pressed', String(!shown));
    shown?.element.remove();
    this.#settingsPanel = null;
    this.#message = '';
    if (!shown) {
      this.#settingsPanel = new SettingsPanel(this.#settings, (message) => {
        this.#message = message;
        this.#invalidate();
      });
      (this.#canvas.parentElement as HTMLElement).before(this.#settingsPanel.element);
    }
    this.#invalidate();
  }

  #save(): void {
    const text = JSON.stringify(chromeTrace(this.#model));
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = 'fencepost-trace.json';
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  #invalidate(): void {
    if (this.#request !== 0 || this.#isClosed) return;
    this.#request = requestAnimationFrame(() => {
      this.#request = 0;
      this.#draw();
    });
  }

  #draw(): void {
    const painter = this.#painter;
    const pointer = this.#pointer;
    const stretch = { begin: this.#begin, end: this.#begin + this.#span };
    const height = painter.place(stretch, pointer !== null);
    this.#canvas.style.height = `${height}px`;
    painter.resize(this.#canvas.clientWidth, height, devicePixelRatio);
    this.#hovered = pointer && !this.#drag ? painter.barAt(pointer.x, pointer.y) : null;
    painter.draw(stretch, this.#hovered, pointer?.x ?? null);
    this.#status.value = this.#describe();
  }

  /** Returns the description of the bar under the pointer, or the help text. */
  #describe(): string {
    const { lost, hasGpuTimes } = this.#model;
    const pointer = this.#pointer;
    if (this.#message) return this.#message;
    if (this.#hovered) return describe(this.#hovered, hasGpuTimes);
    if (pointer && pointer.x >= GUTTER) {
      const work = this.#painter.workAt(this.#painter.timeAt(pointer.x));
      if (work.length > 0) return `At the pointer: ${work.join(' · ')}`;
    }
    const unread = lost + this.#model.fences.lost;
    return unread > 0 ? `${HELP} · ${unread} events were overwritten before they were read` : HELP;
  }
}

function describe(bar: Bar, hasGpuTimes: boolean | null): string {
  const { name, frame, begin, end, extra, lane, fence, task } = bar;
  if (fence || name === 'LOST') {
    return `${labelOf(bar)} · ${(end - begin).toFixed(3)} ms · ${lane.name} · CPU-observed`;
  }
  const what =
    name === 'gpu'
      ? `list ${extra}`
      : name === 'gpuPass'
        ? `pass ${extra}`
        : KIND_BY_NAME.get(name)?.describe(extra);
  const clock = lane.kind === 'gpu' && hasGpuTimes === false ? 'CPU-observed: submitted to completed' : '';
  return [
    task ?? `${shownName(name as EventName | 'gpu')}${frame > 0 ? `, frame ${frame}` : ''}`,
    `${(end - begin).toFixed(3)} ms`,
    lane.name,
    what,
    clock,
  ]
    .filter(Boolean)
    .join(' · ');
}

function timelineMarkup(): HTMLElement {
  const button = (act: string, label: string, attributes: Readonly<Record<string, string>>): HTMLElement =>
    element('button', { type: 'button', 'data-do': act, ...attributes }, label);
  return element(
    'section',
    { role: 'region', 'aria-label': 'Timeline', tabindex: '-1' },
    element(
      'header',
      {},
      element('h2', {}, 'Timeline'),
      element('output', { 'aria-live': 'off' }),
      button('pause', 'Pause', { 'aria-pressed': 'false' }),
      button('settings', 'Settings', { 'aria-pressed': 'false' }),
      button('save', 'Save', { title: 'As Chrome trace events, for Perfetto' }),
      button('close', '✕', { 'aria-label': 'Close the timeline' }),
    ),
    element('p', { class: 'loading' }, 'Loading …'),
    element(
      'div',
      {},
      element('canvas', { 'aria-label': 'Bars for the work of each thread, queue and fence, by time' }),
    ),
  );
}

/** Options of the timeline over the page. */
export interface TimelineOptions {
  /** Parent of the panel. Default: the document's body. */
  readonly container?: HTMLElement;
  /**
   * Visible time when the panel opens, in milliseconds, 1 to 60,000. Default: the last three frames, at least 120 and
   * at most 10,000.
   */
  readonly milliseconds?: number;
}

/** The timeline over the page, while it is open. */
export interface TimelineHandle {
  /** Removes the panel and stops its updates. A second call does nothing. */
  close(): void;
}
