/**
 * The timeline of a running engine (SYSTEMS F10). It collects the events of all threads from their rings, for a trace
 * file or for the view in the page. Without a trace or view, the rings are not read.
 *
 *   main ring ─────────────────────────┐
 *   worker rings ── shared memory ─────┤ four times a second ──► Timeline ──► chrome-trace.ts (a file)
 *                └─ control plane ─────┤                                 └──► timeline-view.ts (in the page)
 *   logs of queues, fences, memory ────┤ only while a trace or view is open
 *   measures of the page ──────────────┘ only while a trace or view is open
 */
import { type RingCursor, readEvents, type ThreadEvents } from '../../core/events/event-reader.js';
import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import type { FenceTrace } from '../../sync/fences/logs/fence-trace.js';
import type { MemoryStats } from '../../threads/control/memory-stats.js';
import type { ThreadControl } from '../../threads/control/thread-control.js';
import { type ChromeTrace, type ChromeTraceEvent, chromeTrace } from '../../tools/chrome-trace.js';
import { needDocument } from '../../tools/dom.js';
import { HeapWatch } from '../../tools/heap-watch.js';
import { MeasureWatch } from '../../tools/measure-watch.js';
import type { ShownSettings } from '../../tools/settings-panel.js';
import { TimelineModel } from '../../tools/timeline-model.js';
import { type TimelineHandle, type TimelineOptions, TimelineView } from '../../tools/timeline-view.js';
import type { PageFences } from '../fences/page-fences.js';

export type { ChromeTrace, ChromeTraceEvent, TimelineHandle, TimelineOptions };

const POLL_MILLISECONDS = 250;

export interface TimelineHost {
  /**
   * Returns the rings that the main thread can read, by thread, with the main thread's ring last. The asset worker
   * has a ring after the first load.
   */
  readonly rings: () => Readonly<Record<string, EventRing | undefined>> & { readonly main: EventRing };
  /** Returns the control of the current threads. */
  readonly control: () => ThreadControl;
  /** Aborted when the engine is disposed of. The abort closes the view and stops the reading. */
  readonly disposed: AbortSignal;
  readonly frameSync: () => 'render' | 'present';
  /** Returns the page's fences; null until they are created. */
  readonly fences: () => PageFences | null;
  /** Returns the name of a task by its number in the rings. */
  readonly taskOf: (task: number) => string | null;
  /** Returns the name of a scope or counter of the page by its number in the rings. */
  readonly scopeOf: (scope: number) => string | null;
  /** The engine's settings, which the view shows. */
  readonly settings: () => ShownSettings;
  /** Returns the current bytes by subsystem. */
  readonly memory: () => MemoryStats;
}

export class Timeline {
  readonly #host: TimelineHost;
  readonly #cursors = new Map<string, RingCursor>();
  /** The open trace and view, which receive all events. */
  readonly #models = new Set<TimelineModel>();
  readonly #heap: HeapWatch;
  readonly #measures = new MeasureWatch();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The last reading. Readings run one after another, so that no event is read twice. */
  #reading: Promise<void> = Promise.resolve();
  #trace: TimelineModel | null = null;
  #handle: TimelineHandle | null = null;
  /** The threads that measure GPU times. The reference is weak, so that ended threads can be collected. */
  #measured: WeakRef<ThreadControl> | null = null;
  /** Resolves when the threads have started to measure. */
  #measuring: Promise<void> = Promise.resolve();
  /** Trace of the page's fences; null unless a trace or view is open. */
  #fences: FenceTrace | null = null;

  constructor(host: TimelineHost) {
    this.#host = host;
    this.#heap = new HeapWatch((began, ended, bytes) =>
      host.rings().main.add(TimelineEvent.collection, 0, began, ended, bytes),
    );
    host.disposed.addEventListener('abort', () => {
      this.#handle?.close();
      this.#removeModel(this.#trace);
    });
  }

  /** Keeps all events from now on until `stopTrace`, including work that is already under way. */
  async startTrace(): Promise<void> {
    this.#removeModel(this.#trace);
    const model = new TimelineModel();
    model.from = performance.timeOrigin + performance.now();
    this.#trace = model;
    this.#addModel(model, 'now');
    // Wait until threads without shared memory have received the start of the trace, too.
    await this.#host.fences()?.flushLogs();
    await this.#read();
    await this.#measuring;
  }

  /** Returns the events since `startTrace`. Without it, returns the events in the rings that no open view has read. */
  async stopTrace(): Promise<ChromeTrace> {
    const model = this.#trace ?? new TimelineModel();
    this.#addModel(model, 'start');
    await this.#host.fences()?.flushLogs();
    await this.#read();
    this.#removeModel(model);
    this.#trace = null;
    return chromeTrace(model);
  }

  /** Shows the view over the page. Later calls return the same handle. */
  async show(options: TimelineOptions = {}): Promise<TimelineHandle> {
    if (this.#handle) return this.#handle;
    needDocument('showTimeline');
    this.#host.disposed.throwIfAborted();
    const model = new TimelineModel();
    model.capacity = VIEW_EVENTS;
    const view = new TimelineView(model, options, this.#host.settings(), () => {
      this.#removeModel(model);
      this.#handle = null;
    });
    this.#handle = { close: () => view.close() };
    model.onRead = () => view.update();
    this.#addModel(model, 'start');
    void this.#read();
    return this.#handle;
  }

  /** Shows the view, or closes it. */
  async toggle(): Promise<void> {
    if (this.#handle) this.#handle.close();
    else await this.show();
  }

  /** Traces the page's fences if there are any and a trace or view is open. */
  followFences(from: 'start' | 'now' = 'start'): void {
    const fences = this.#host.fences();
    if (this.#models.size > 0 && fences) this.#fences ??= fences.trace(from);
  }

  /** Adds a trace or view. @param from `start` includes the entries already in the queues' logs */
  #addModel(model: TimelineModel, from: 'start' | 'now'): void {
    model.taskOf = this.#host.taskOf;
    model.scopeOf = this.#host.scopeOf;
    model.gameAwaits = this.#host.frameSync() === 'present' ? 'submitted' : 'rendered';
    // Without an open trace or view nothing was read, so everything that the rings still hold is new.
    if (this.#models.size === 0) this.#cursors.clear();
    this.#models.add(model);
    this.#timer ??= setInterval(() => void this.#read(), POLL_MILLISECONDS);
    this.#heap.start();
    this.#measures.start();
    this.followFences(from);
  }

  #removeModel(model: TimelineModel | null): void {
    if (model) this.#models.delete(model);
    if (this.#models.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#heap.stop();
    this.#measures.stop();
    this.#fences?.close();
    this.#fences = null;
  }

  /**
   * Starts to measure GPU times, once per connection. Without GPU times, the timeline shows the GPU as the CPU observes
   * it.
   */
  #measure(threads: ThreadControl): void {
    if (this.#measured?.deref() === threads) return;
    this.#measured = new WeakRef(threads);
    this.#measuring = threads.measureGpu().catch(() => {});
  }

  #read(): Promise<void> {
    const reading = this.#reading.then(async () => {
      const { rings, control } = this.#host;
      // Read the other threads first, so that the main thread's events include its reactions to their events.
      const threads = control();
      this.#measure(threads);
      const others = await threads.readEvents(this.#cursors).catch((): ThreadEvents[] => []); // the threads have ended
      const own = Object.entries(rings()).flatMap(([thread, ring]) =>
        ring ? [{ ...readEvents(ring.buffer, this.#cursors.get(thread) ?? null), thread }] : [],
      );
      for (const batch of [...others, ...own]) {
        this.#cursors.set(batch.thread, batch);
        for (const model of this.#models) if (!model.isPaused) model.add(batch);
      }
      const fences = this.#fences?.read();
      const measures = this.#measures.take();
      const memory = {
        time: performance.timeOrigin + performance.now(),
        bytes: figures(this.#host.memory()),
      };
      for (const model of this.#models) {
        if (model.isPaused) continue;
        if (fences) model.fences.add(fences);
        model.page.addMeasures(measures);
        model.memory.push(memory);
        if (model.memory.length > model.capacity) model.memory.splice(0, model.memory.length >> 1);
      }
      for (const model of this.#models) model.onRead?.();
    });
    // A failed reading rejects for its caller; the next reading starts regardless.
    this.#reading = reading.catch(() => {});
    return reading;
  }
}

/** Returns the known figures of memory. */
function figures(memory: MemoryStats): Record<string, number> {
  return Object.fromEntries(Object.entries(memory).filter(([, bytes]) => Number.isFinite(bytes)));
}

/** Events per thread that the view keeps, which cover some minutes. */
const VIEW_EVENTS = 65_536;
