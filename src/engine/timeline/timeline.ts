/**
 * The timeline of a running engine (SYSTEMS F10): collects what all threads note in their event rings, and hands it to
 * the trace file or to the view in the page. Until the first of them, the rings are not read.
 *
 *   main ring ─────────────────────────┐
 *   worker rings ── shared memory ─────┤ four times a second ──► Timeline ──► chrome-trace.ts (a file)
 *                └─ control plane ─────┤                                 └──► timeline-view.ts (in the page)
 *   logs of queues, fences, memory ────┘ only while somebody looks
 */
import { type RingCursor, readEvents, type ThreadEvents } from '../../core/events/event-reader.js';
import { type EventRing, TimelineEvent } from '../../core/events/event-ring.js';
import type { FenceTrace } from '../../sync/fences/logs/fence-trace.js';
import type { MemoryStats } from '../../threads/control/frame-stats.js';
import type { ThreadControl } from '../../threads/control/thread-control.js';
import { type ChromeTrace, type ChromeTraceEvent, chromeTrace } from '../../tools/chrome-trace.js';
import { needDocument } from '../../tools/dom.js';
import { HeapWatch } from '../../tools/heap-watch.js';
import { TimelineModel } from '../../tools/timeline-model.js';
import { type TimelineHandle, type TimelineOptions, TimelineView } from '../../tools/timeline-view.js';
import type { PageFences } from '../fences/page-fences.js';

export type { ChromeTrace, ChromeTraceEvent, TimelineHandle, TimelineOptions };

const POLL_MILLISECONDS = 250;

interface TimelineHost {
  /** That lie on the main thread, its own at the end; that of the asset worker is there once something was loaded. */
  readonly rings: () => Readonly<Record<string, EventRing | undefined>> & { readonly main: EventRing };
  /** Of the threads behind it, as they are now. */
  readonly control: () => ThreadControl;
  /** The engine's end, with which the view closes and the reading ends. */
  readonly disposed: AbortSignal;
  readonly frameSync: () => 'render' | 'present';
  /** The page's, once there are any. */
  readonly fences: () => PageFences | null;
  /** The name of a task of the engine's task system, by the number that rings have for it. */
  readonly taskOf: (task: number) => string | null;
  /** Bytes by subsystem, as they are now. */
  readonly memory: () => MemoryStats;
}

export class Timeline {
  readonly #host: TimelineHost;
  readonly #places = new Map<string, RingCursor>();
  /** Whoever wants to have what comes. */
  readonly #models = new Set<TimelineModel>();
  readonly #heap: HeapWatch;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Readings follow one another, so that no event is read twice. */
  #reading: Promise<void> = Promise.resolve();
  #trace: TimelineModel | null = null;
  #handle: TimelineHandle | null = null;
  /** Asked for GPU times, and when they have begun. Threads that have ended are not held. */
  #measured: WeakRef<ThreadControl> | null = null;
  #measuring: Promise<void> = Promise.resolve();
  /** Of the page's fences, while somebody looks. */
  #fences: FenceTrace | null = null;

  constructor(host: TimelineHost) {
    this.#host = host;
    this.#heap = new HeapWatch((began, ended, bytes) =>
      host.rings().main.add(TimelineEvent.collection, 0, began, ended, bytes),
    );
    host.disposed.addEventListener('abort', () => {
      this.#handle?.close();
      this.#forget(this.#trace);
    });
  }

  /** Everything that is under way now, or comes, is kept until `stopTrace`. */
  async startTrace(): Promise<void> {
    this.#forget(this.#trace);
    const model = new TimelineModel();
    model.from = performance.timeOrigin + performance.now();
    this.#trace = model;
    this.#keep(model, 'now');
    // Threads that take part by messages have heard of it then, too.
    await this.#host.fences()?.flushLogs();
    await this.#read();
    await this.#measuring;
  }

  /** What came since `startTrace`; without one, what the rings still hold. */
  async stopTrace(): Promise<ChromeTrace> {
    const model = this.#trace ?? new TimelineModel();
    this.#keep(model, 'start');
    await this.#host.fences()?.flushLogs();
    await this.#read();
    this.#forget(model);
    this.#trace = null;
    return chromeTrace(model);
  }

  /** The view over the page; asked again, the same one. */
  async show(options: TimelineOptions = {}): Promise<TimelineHandle> {
    if (this.#handle) return this.#handle;
    needDocument('showTimeline');
    this.#host.disposed.throwIfAborted();
    const model = new TimelineModel();
    model.capacity = VIEW_EVENTS;
    const view = new TimelineView(model, options, () => {
      this.#forget(model);
      this.#handle = null;
    });
    this.#handle = { close: () => view.close() };
    model.onRead = () => view.update();
    this.#keep(model, 'start');
    void this.#read();
    return this.#handle;
  }

  /** Shows the view, or closes it. */
  async toggle(): Promise<void> {
    if (this.#handle) this.#handle.close();
    else await this.show();
  }

  /** The page has fences now; what happens with them is of the trace or view that there is. */
  followFences(from: 'start' | 'now' = 'start'): void {
    const fences = this.#host.fences();
    if (this.#models.size > 0 && fences) this.#fences ??= fences.trace(from);
  }

  /** @param from whether what queues' logs hold by now counts */
  #keep(model: TimelineModel, from: 'start' | 'now'): void {
    model.taskOf = this.#host.taskOf;
    model.gameAwaits = this.#host.frameSync() === 'present' ? 'submitted' : 'rendered';
    // Nobody has read for a while: what the rings still hold is news.
    if (this.#models.size === 0) this.#places.clear();
    this.#models.add(model);
    this.#timer ??= setInterval(() => void this.#read(), POLL_MILLISECONDS);
    this.#heap.start();
    this.followFences(from);
  }

  #forget(model: TimelineModel | null): void {
    if (model) this.#models.delete(model);
    if (this.#models.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#heap.stop();
    this.#fences?.close();
    this.#fences = null;
  }

  /** Once for those that there are; without the times, the GPU is shown as seen from the CPU. */
  #measure(threads: ThreadControl): void {
    if (this.#measured?.deref() === threads) return;
    this.#measured = new WeakRef(threads);
    this.#measuring = threads.measureGpu().catch(() => {});
  }

  #read(): Promise<void> {
    const reading = this.#reading.then(async () => {
      const { rings, control } = this.#host;
      // The others first: what the main thread has seen of them then is in its own events.
      const threads = control();
      this.#measure(threads);
      const others = await threads.readEvents(this.#places).catch((): ThreadEvents[] => []); // ended
      const own = Object.entries(rings()).flatMap(([thread, ring]) =>
        ring ? [{ ...readEvents(ring.buffer, this.#places.get(thread) ?? null), thread }] : [],
      );
      for (const batch of [...others, ...own]) {
        this.#places.set(batch.thread, batch);
        for (const model of this.#models) if (!model.isPaused) model.add(batch);
      }
      const fences = this.#fences?.read();
      const memory = {
        time: performance.timeOrigin + performance.now(),
        bytes: figures(this.#host.memory()),
      };
      for (const model of this.#models) {
        if (model.isPaused) continue;
        if (fences) model.fences.add(fences);
        model.memory.push(memory);
        if (model.memory.length > model.capacity) model.memory.splice(0, model.memory.length >> 1);
      }
      for (const model of this.#models) model.onRead?.();
    });
    // One that fails is heard of by whoever asked for it; the next goes on.
    this.#reading = reading.catch(() => {});
    return reading;
  }
}

/** Of memory, those that are known. */
function figures(memory: MemoryStats): Record<string, number> {
  return Object.fromEntries(Object.entries(memory).filter(([, bytes]) => Number.isFinite(bytes)));
}

/** Events of each thread that the view keeps: some minutes. */
const VIEW_EVENTS = 65_536;
