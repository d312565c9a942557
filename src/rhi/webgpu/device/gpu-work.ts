/** Milliseconds of silence of an idle queue after which its browser counts as slow to notice finished work. */
const SLOW = 40;
/** Milliseconds between two empty submissions. */
const NUDGE = 4;
/**
 * Minimum number of timer ticks during a measurement. With fewer, the thread was not scheduled and has measured itself.
 */
const LEAST_TICKS = 6;

const latencies = new WeakMap<GPUDevice, number>();

/**
 * Measures how soon the browser reports finished work, on a device whose queue is still empty. It measures twice,
 * because the first question may come just before the browser looks. Chromium answers in less than a millisecond; with
 * a slow browser, the measurement ends after at most 80 ms.
 */
export async function measureLatency(device: GPUDevice): Promise<void> {
  let latency = 0;
  for (let question = 0; question < 2 && latency < SLOW; question++) {
    const answer = device.queue.onSubmittedWorkDone().then(ignore, ignore);
    latency = Math.max(latency, await silenceBefore(answer));
  }
  latencies.set(device, latency);
}

/** Resolves with the milliseconds until the answer, or until the time after which it counts as slow. */
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
    // An answer after a pause without timer ticks tells nothing about the browser.
    answer.then(() => end(Math.min(performance.now() - began, SLOW - 1)));
  });
}

/**
 * Waits for a device's work. Firefox looks for finished work every 100 ms, and at each submission (Bugzilla 1870699).
 * On such a browser, an empty submission is made every 4 ms while anything waits.
 *
 *   slow:    wait ──┬─ 4 ms ─ submit([]) ─ 4 ms ─ submit([]) ─► done ─► nothing waits: the timer ends
 *   prompt:  wait ──────────────────────────────────────────► done
 */
export class GpuWork {
  /** Milliseconds in which an idle queue answered when the device was opened; 40 means 40 or more, NaN not measured. */
  readonly latency: number;
  readonly #device: GPUDevice;
  #waiting = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.latency = latencies.get(device) ?? Number.NaN;
  }

  /** Resolves when the GPU has finished all work submitted so far, or the device is lost. */
  whenDone(): Promise<undefined> {
    return this.wait(this.#device.queue.onSubmittedWorkDone());
  }

  /**
   * Keeps a slow browser looking for finished work while the promise is pending.
   * @param completion a completed submission, or a mapping
   */
  wait<T>(completion: Promise<T>): Promise<T> {
    if (!(this.latency >= SLOW)) return completion;
    this.#waiting++;
    this.#timer ??= setInterval(this.#nudge, NUDGE);
    completion.then(this.#end, this.#end);
    return completion;
  }

  readonly #nudge = (): void => this.#device.queue.submit([]);

  readonly #end = (): void => {
    if (--this.#waiting > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  };
}

function ignore(): void {}
