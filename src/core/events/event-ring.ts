/** Kinds of events. */
export enum TimelineEvent {
  /** Game: the world's tick groups. */
  tick = 1,
  /** Game: end-of-frame update, to the publishing of the frame; extra: bytes of render commands. */
  update = 2,
  /** Game: the frame sync or the stream did not let the next frame start; extra: the frame awaited. */
  gameWait = 3,
  /** Render: commands of the game. */
  commands = 4,
  /** Render: from the scene's update to the published list; extra: bytes of RHI commands. */
  record = 5,
  /** Render, within `record`: what is in view. */
  cull = 6,
  /** Render: the gate before a list; extra: the list awaited, 0 or less when it is the stream. */
  renderWait = 7,
  /** RHI: translation of a list, or of the part of it that had arrived. */
  execute = 8,
  /** RHI: the list is finished and given to the GPU; extra: live resources. */
  submit = 9,
  /** RHI: too many lists were with the GPU; extra: the list awaited. */
  rhiWait = 10,
  /** RHI: resources are freed after a completion; extra: the list completed; no frame. */
  purge = 11,
  /** A pass on the GPU: times of the GPU's own clock, not this thread's; extra: list × 4 + queue. */
  gpuPass = 12,
  /** A fence is signalled with the frame; extra: the list, where a fence of the RHI thread is meant. */
  rendered = 13,
  submitted = 14,
  completed = 15,
  /** A picture was given to the canvas, until the animation frame that it shows in. */
  present = 16,
  /** Game: a file is loaded; extra: its number. */
  load = 17,
  /** Asset worker: a file is fetched and parsed, its scene built, its images decoded; extra: the load's number. */
  read = 18,
  build = 19,
  decode = 20,
  /** The heap was found smaller than before; extra: bytes. */
  collection = 21,
  /** Render, within `cull`: a loop that helpers take part in; extra: ranges that they have run. Helpers: their part of it. */
  loop = 22,
  /** A worker of the task system, or the page in its place: a task, up to its end or its first promise; extra: indices, 0 for a share of a loop. */
  task = 23,
  /** A thread of a program's own: one of `RUNNABLE_STAGES`, promises included. Where others have the frame: which, from 1 on. */
  runnable = 24,
}

/** Stages of a runnable, in their order. */
export const RUNNABLE_STAGES = ['init', 'run', 'exit'] as const;
/** How the lane of such a thread is named: this, and the thread's name. */
export const RUNNABLE_LANE = 'runnable ';
export type RunnableStage = (typeof RUNNABLE_STAGES)[number];

/** Numbers before the first event. */
export const EVENT_HEADER_NUMBERS = 8;
export const EVENT_NUMBERS = 5;
/** Some 2 s of the busiest thread. */
export const EVENT_CAPACITY = 4096;
export const EVENT_RING_BYTES = (EVENT_HEADER_NUMBERS + EVENT_CAPACITY * EVENT_NUMBERS) * 8;
/** The count's place, in 32-bit words. It wraps. */
export const EVENT_COUNT_WORD = 8;

/** A ring's memory, and the atomic operations on its count. A test puts an interleaving scheduler in their place. */
export interface EventMemory {
  readonly numbers: Float64Array;
  readonly words: Int32Array;
  readonly atomics: Pick<typeof Atomics, 'load' | 'store'>;
}

export const eventMemory = (buffer: ArrayBufferLike): EventMemory => ({
  numbers: new Float64Array(buffer),
  words: new Int32Array(buffer),
  atomics: Atomics,
});

/** Events that there is room for: a power of two. */
export const eventCapacity = (byteLength: number): number =>
  (byteLength / 8 - EVENT_HEADER_NUMBERS) / EVENT_NUMBERS;

/**
 * Keeps the events of a thread, with their times, in a ring that is always on (SYSTEMS F10). Noting one takes two looks at the
 * clock and five stores; nothing is allocated and nothing is sent. Who wants to see it reads the ring
 * (`event-reader.ts`): by itself, or from another thread where the memory is shared, also after the writer has died.
 *
 *   numbers │ origin │ begun: type, frame, begin │ count │ id │ · · │ event 0 │ event 1 │ … │ event 4095 │
 *                      the breadcrumb                             └ type, frame, begin, end, extra
 *
 * An event is written when it ends; what is under way stands in the breadcrumb. Begin and end are milliseconds of this
 * thread's `performance.now()`, to which a reader adds the origin: all threads then have one clock, the epoch's.
 */
export class EventRing {
  readonly buffer: ArrayBufferLike;
  readonly #numbers: Float64Array;
  readonly #words: Int32Array;
  readonly #atomics: EventMemory['atomics'];
  /** Of an event's number: its place. */
  readonly #mask: number;

  /** @param buffer zeroed; of `EVENT_RING_BYTES` where nobody says otherwise */
  constructor(buffer: ArrayBufferLike = new ArrayBuffer(EVENT_RING_BYTES), memory = eventMemory(buffer)) {
    this.buffer = buffer;
    this.#words = memory.words;
    this.#numbers = memory.numbers;
    this.#atomics = memory.atomics;
    this.#mask = eventCapacity(buffer.byteLength) - 1;
    this.#numbers[0] = performance.timeOrigin;
    this.#numbers[5] = performance.now();
  }

  /** What was begun last, for `lastEvent` on another thread: a copy, for `postMessage`. */
  get last(): Float64Array<ArrayBuffer> {
    return this.#numbers.slice(0, 4);
  }

  /** Begins an event, which `end` writes; several may be under way. Returns when, as `performance.now()` does. */
  begin(type: number, frame: number): number {
    const numbers = this.#numbers;
    numbers[1] = type;
    numbers[2] = frame;
    numbers[3] = performance.now();
    return numbers[3];
  }

  /** Writes an event that ends now. Returns when that is. */
  end(type: number, frame: number, begin: number, extra = 0): number {
    const end = performance.now();
    this.add(type, frame, begin, end, extra);
    return end;
  }

  /** Writes an event without length. */
  mark(type: number, frame: number, extra: number): void {
    const now = this.begin(type, frame);
    this.add(type, frame, now, now, extra);
  }

  add(type: number, frame: number, begin: number, end: number, extra: number): void {
    const numbers = this.#numbers;
    const count = this.#words[EVENT_COUNT_WORD] as number;
    const at = EVENT_HEADER_NUMBERS + (count & this.#mask) * EVENT_NUMBERS;
    numbers[at] = type;
    numbers[at + 1] = frame;
    numbers[at + 2] = begin;
    numbers[at + 3] = end;
    numbers[at + 4] = extra;
    // Plain stores: the atomic one publishes them.
    this.#atomics.store(this.#words, EVENT_COUNT_WORD, count + 1);
  }
}
