/**
 * Kinds of events. Each comment names the thread that records the event, and the meaning of the event's number
 * `extra`.
 */
export enum TimelineEvent {
  /** Game: the world's tick groups. */
  tick = 1,
  /** Game: the end-of-frame update, until the frame is published; extra: bytes of render commands. */
  update = 2,
  /** Game: the next frame waits for the frame sync or for space in the stream; extra: number of the awaited frame. */
  gameWait = 3,
  /** Render: the game's commands are executed. */
  commands = 4,
  /** Render: from the scene's update until the list of RHI commands is published; extra: bytes of RHI commands. */
  record = 5,
  /** Render, within `record`: culling of objects out of view. */
  cull = 6,
  /**
   * Render: the wait before a list; extra: number of the list whose completion is awaited, or 0 if the stream is
   * awaited.
   */
  renderWait = 7,
  /** RHI: a list, or the part of it that has arrived, is translated to WebGPU calls; extra: bytes of uploads. */
  execute = 8,
  /** RHI: the list is finished and submitted to the GPU; extra: live resources. */
  submit = 9,
  /**
   * RHI: a list waits because too many lists are in flight on the GPU; extra: number of the list that has completed.
   */
  rhiWait = 10,
  /** RHI: resources are freed after a list has completed; extra: number of that list. The event's frame is 0. */
  purge = 11,
  /** RHI: a pass on the GPU. Its times are on the GPU's clock, not on the thread's; extra: list × 4 + queue. */
  gpuPass = 12,
  /** The thread signals its fence of this name for the frame; on the RHI thread, extra: number of the list. */
  rendered = 13,
  submitted = 14,
  completed = 15,
  /** RHI: from the submission of a frame for the canvas to the animation frame that shows it. */
  present = 16,
  /** Game: a file is loaded; extra: the load's number. */
  load = 17,
  /** Asset worker: a file is fetched and parsed; extra: the load's number. */
  read = 18,
  /** Asset worker: the scene of a file is built; extra: the load's number. */
  build = 19,
  /** Asset worker: the images of a file are decoded; extra: the load's number. */
  decode = 20,
  /** A garbage collection, detected by a smaller heap; extra: freed bytes. */
  collection = 21,
  /**
   * Render: a loop that helper threads share; extra: number of ranges that the helpers ran. Helper: its part of a
   * loop; extra: number of its ranges.
   */
  loop = 22,
  /**
   * Worker of the task system, or the page if there are no workers: a task runs until it ends or returns a promise;
   * extra: number of the task's indices, or 0 for one thread's share of a loop.
   */
  task = 23,
  /**
   * Thread of a runnable: one of `RUNNABLE_STAGES`, until its promise has settled. The stage's number, from 1,
   * replaces the frame.
   */
  runnable = 24,
  /** Page: a function of `engine.scope`, from its call until it returns. The scope's number replaces the frame. */
  scope = 25,
  /** Page: a function of `engine.scope` that returns a promise, from its call until the promise has settled. */
  span = 26,
  /** Page: a new value of `engine.counter`; extra: the value. The number of its name replaces the frame. */
  counter = 27,
}

/** Stages of a runnable (a program on a thread of its own), in order. */
export const RUNNABLE_STAGES = ['init', 'run', 'exit'] as const;
/** Prefix of a lane's name, for the thread of a runnable. The thread's name follows. */
export const RUNNABLE_LANE = 'runnable ';
export type RunnableStage = (typeof RUNNABLE_STAGES)[number];

/** Length of the header before the first event, in 64-bit numbers. */
export const EVENT_HEADER_NUMBERS = 8;
export const EVENT_NUMBERS = 5;
/** Number of events in a ring: about 2 s of the busiest thread. */
export const EVENT_CAPACITY = 4096;
export const EVENT_RING_BYTES = (EVENT_HEADER_NUMBERS + EVENT_CAPACITY * EVENT_NUMBERS) * 8;
/** Index of the count of events, in 32-bit words. The count wraps at 2³². */
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

/** Returns the number of events that fit into a ring of this size, a power of two. */
export const eventCapacity = (byteLength: number): number =>
  (byteLength / 8 - EVENT_HEADER_NUMBERS) / EVENT_NUMBERS;

/**
 * Records the events of a thread, with their times, in a ring that is always on (SYSTEMS F10). Recording an event
 * reads the clock twice and stores a few numbers; it allocates nothing and sends nothing. `event-reader.ts` reads the
 * ring on any thread that shares its memory, also after the writer has died.
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
  /** Mask that turns an event's number into its index in the ring. */
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

  /** Writes an event of zero duration. */
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
    // The stores above are plain. The atomic store of the count publishes them.
    this.#atomics.store(this.#words, EVENT_COUNT_WORD, count + 1);
  }
}
