/** Milliseconds after which the browser counts as slow, if it has not answered for an idle queue. */
const SLOW = 40;
/** Milliseconds between two empty submissions, and between two ticks of a measurement. */
const NUDGE = 4;
/**
 * Minimum number of timer ticks before the browser can count as slow. With fewer ticks, this thread had no processor
 * time, so the delay came from the thread.
 */
const LEAST_TICKS = 6;

/** Results of `measureLatency`, in milliseconds. */
const latencies = new WeakMap<GPUDevice, number>();

/**
 * Measures how soon the browser reports finished work, on a device whose queue is still empty. After a prompt answer,
 * the function measures again, because a slow browser may have looked for finished work just then. Chromium answers in
 * less than a millisecond. On a slow browser, the measurement takes about 80 ms at most.
 */
export async function measureLatency(device: GPUDevice): Promise<void> {
  let latency = 0;
  for (let question = 0; question < 2 && latency < SLOW; question++) {
    const answer = device.queue.onSubmittedWorkDone().then(ignore, ignore);
    latency = Math.max(latency, await silenceBefore(answer));
  }
  latencies.set(device, latency);
}

/** Resolves with the milliseconds until the answer, or once the browser counts as slow. */
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
    // If an answer comes after `SLOW` but before enough ticks, this thread was delayed. The browser is not slow then.
    answer.then(() => end(Math.min(performance.now() - began, SLOW - 1)));
  });
}

/**
 * Waits for a device's work. Firefox looks for finished work only every 100 ms and at each submission (Mozilla's bug
 * 1870699). On such a slow browser, this class makes an empty submission every 4 ms while a promise is pending.
 *
 *   slow:    wait ──┬─ 4 ms ─ submit([]) ─ 4 ms ─ submit([]) ─► done ─► nothing waits: the timer ends
 *   prompt:  wait ──────────────────────────────────────────► done
 */
export class GpuWork {
  /**
   * Result of `measureLatency`, in milliseconds; NaN if it was not called. From 40 on, the browser counts as slow.
   */
  readonly latency: number;
  readonly #device: GPUDevice;
  #waiting = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(device: GPUDevice) {
    this.#device = device;
    this.latency = latencies.get(device) ?? Number.NaN;
  }

  /** Resolves when the GPU has finished all work submitted so far, or when the device is lost. */
  whenDone(): Promise<undefined> {
    return this.wait(this.#device.queue.onSubmittedWorkDone());
  }

  /**
   * Makes a slow browser look for finished work while the promise is pending.
   * @param completion promise of a submission's completion or of a mapping
   * @returns the same promise
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
