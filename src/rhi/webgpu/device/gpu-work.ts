/** Milliseconds of silence of an idle queue from which on its browser counts as one that looks for finished work seldom. */
const SLOW = 40;
/** Milliseconds from one empty submission to the next. */
const NUDGE = 4;
/** Timers that must have run in the meantime: a thread that was not given the processor has measured itself. */
const LEAST_TICKS = 6;

const latencies = new WeakMap<GPUDevice, number>();

/**
 * Measures how soon the browser tells of finished work, on a device whose queue has been given nothing yet. It asks twice,
 * since the first question may come just before the browser looks. The answer takes less than a millisecond in Chromium;
 * where it is slow, this ends after at most 80 ms.
 */
export async function measureLatency(device: GPUDevice): Promise<void> {
  let latency = 0;
  for (let question = 0; question < 2 && latency < SLOW; question++) {
    const answer = device.queue.onSubmittedWorkDone().then(ignore, ignore);
    latency = Math.max(latency, await silenceBefore(answer));
  }
  latencies.set(device, latency);
}

/** Resolves with the milliseconds to the answer, or to the time from which on it counts as slow. */
function silenceBefore(answer: Promise<void>): Promise<number> {
  return new Promise((resolve) => {
    const began = performance.now();
    let ticks = 0;
    const timer = setInterval(() => {
      ticks++;
      if (ticks >= LEAST_TICKS && performance.now() - began >= SLOW) end(performance.now() - began);
    }, NUDGE);
    const end = (milliseconds: number): void => {
      clearInterval(timer);
      resolve(milliseconds);
    };
    // An answer after a pause in which no timer ran says nothing of the browser.
    answer.then(() => end(Math.min(performance.now() - began, SLOW - 1)));
  });
}

/**
 * Waits for a device's work. Firefox looks for finished work every 100 ms, and whenever something is submitted (Bugzilla
 * 1870699). There, an empty submission goes to the queue every 4 ms for as long as something waits.
 *
 *   slow:    wait ──┬─ 4 ms ─ submit([]) ─ 4 ms ─ submit([]) ─► told ─► nothing waits: the timer ends
 *   prompt:  wait ──────────────────────────────────────────► told
 */
export class GpuWork {
  /** Milliseconds that an idle queue took to answer when the device was opened; 40 stands for 40 or more, NaN for not measured. */
  readonly latency: number;
  readonly #device: GPUDevice;
  #waiting = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.latency = latencies.get(device) ?? Number.NaN;
  }

  /** Resolves when the GPU has done all that was submitted so far, or the device is lost. */
  whenDone(): Promise<undefined> {
    return this.wait(this.#device.queue.onSubmittedWorkDone());
  }

  /** @param told by the browser when work has finished: a completion, or a mapping */
  wait<T>(told: Promise<T>): Promise<T> {
    if (!(this.latency >= SLOW)) return told;
    this.#waiting++;
    this.#timer ??= setInterval(this.#nudge, NUDGE);
    told.then(this.#end, this.#end);
    return told;
  }

  readonly #nudge = (): void => this.#device.queue.submit([]);

  readonly #end = (): void => {
    if (--this.#waiting > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };
}

function ignore(): void {}
