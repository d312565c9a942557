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
  /** Render, within `record`: culling of objects out of view. */
  cull = 6,
  /** Render: the gate before a list; extra: the list awaited, 0 or less when it is the stream. */
  renderWait = 7,
  /** RHI: translation of a list, or of the part of it that had arrived. */
  execute = 8,
  /** RHI: the list is finished and submitted to the GPU; extra: live resources. */
  submit = 9,
  /** RHI: too many lists were in flight on the GPU; extra: the list awaited. */
  rhiWait = 10,
  /** RHI: resources are freed after a completion; extra: the list completed; no frame. */
  purge = 11,
  /** A pass on the GPU: times of the GPU's own clock, not this thread's; extra: list × 4 + queue. */
  gpuPass = 12,
  /** A fence is signalled with the frame; extra: the list, for fences of the RHI thread. */
  rendered = 13,
  submitted = 14,
  completed = 15,
  /** From the submission of a picture to the canvas, to the animation frame that shows it. */
  present = 16,
  /** Game: a file is loaded; extra: its number. */
  load = 17,
  /** Asset worker: a file is fetched and parsed, its scene built, its images decoded; extra: the load's number. */
  read = 18,
  build = 19,
  decode = 20,
  /** The heap was found smaller than before; extra: bytes. */
  collection = 21,
  /** Render, within `cull`: a loop with helpers; extra: ranges that they have run. Helpers: their part of the loop. */
  loop = 22,
  /**
   * A worker of the task system, or the page without workers: a task, up to its end or its first promise; extra:
   * indices, 0 for a share of a loop.
   */
  task = 23,
  /** A program's own thread: one of `RUNNABLE_STAGES`, promises included. Its number, from 1, replaces the frame. */
  runnable = 24,
}

/** Stages of a runnable, in their order. */
export const RUNNABLE_STAGES = ['init', 'run', 'exit'] as const;
/** Prefix of the lane of such a thread; its name follows. */
export const RUNNABLE_LANE = 'runnable ';
export type RunnableStage = (typeof RUNNABLE_STAGES)[number];

/** Numbers of the header, before the first event. */
export const EVENT_HEADER_NUMBERS = 8;
export const EVENT_NUMBERS = 5;
/** Events of a ring: about 2 s of the busiest thread. */
export const EVENT_CAPACITY = 4096;
export const EVENT_RING_BYTES = (EVENT_HEADER_NUMBERS + EVENT_CAPACITY * EVENT_NUMBERS) * 8;
/** Index of the count, in 32-bit words. The count wraps at 2³². */
export const EVENT_COUNT_WORD = 8;

/** Memory of a ring, and the atomic operations on its count. Tests replace both with an interleaving scheduler. */
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

/** Returns the number of events for which there is room, a power of two. */
export const eventCapacity = (byteLength: number): number =>
  (byteLength / 8 - EVENT_HEADER_NUMBERS) / EVENT_NUMBERS;

/**
 * Records the events of a thread, with their times, in a ring that is always on (SYSTEMS F10). An event takes two
 * readings of the clock and five stores; it allocates nothing and sends nothing. `event-reader.ts` reads the ring, on
 * the same thread or through shared memory from another one, also after the writer has died.
 *
 *   numbers │ origin │ begun: type, frame, begin │ count │ id │ · · │ event 0 │ event 1 │ … │ event 4095 │
 *                      the breadcrumb                             └ type, frame, begin, end, extra
 *
 * An event is written when it ends. The breadcrumb holds the event that began last. Begin and end are in milliseconds
 * of this thread's `performance.now()`. A reader adds the origin, so that all threads use one clock, the epoch's.
 */
export class EventRing {
  readonly buffer: ArrayBufferLike;
  readonly #numbers: Float64Array;
  readonly #words: Int32Array;
  readonly #atomics: EventMemory['atomics'];
  /** Mask that turns an event's number into its place. */
  readonly #mask: number;

  /** @param buffer zeroed memory; default: `EVENT_RING_BYTES` bytes */
  constructor(buffer: ArrayBufferLike = new ArrayBuffer(EVENT_RING_BYTES), memory = eventMemory(buffer)) {
    this.buffer = buffer;
    this.#words = memory.words;
    this.#numbers = memory.numbers;
    this.#atomics = memory.atomics;
    this.#mask = eventCapacity(buffer.byteLength) - 1;
    this.#numbers[0] = performance.timeOrigin;
    this.#numbers[5] = performance.now();
  }

  /** A copy of the breadcrumb, to post to another thread for `lastEvent`. */
  get last(): Float64Array<ArrayBuffer> {
    return this.#numbers.slice(0, 4);
  }

  /**
   * Begins an event, which `end` writes. Events may overlap.
   * @returns the begin, in milliseconds of `performance.now()`
   */
  begin(type: number, frame: number): number {
    const numbers = this.#numbers;
    numbers[1] = type;
    numbers[2] = frame;
    numbers[3] = performance.now();
    return numbers[3];
  }

  /** Writes an event that ends now. @returns the end, in milliseconds of `performance.now()` */
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
    // The numbers were stored plainly: the atomic store of the count publishes them.
    this.#atomics.store(this.#words, EVENT_COUNT_WORD, count + 1);
  }
}
