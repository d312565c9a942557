import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GpuWork, measureLatency } from './gpu-work.js';

/** Creates a queue that reports finished work at multiples of a period in milliseconds, and at each submission. */
function createQueue(period: number) {
  const waiting: (() => void)[] = [];
  let submissions = 0;
  const answer = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  setInterval(answer, period);
  const queue = {
    submit: () => {
      submissions++;
      answer();
    },
    onSubmittedWorkDone: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
  return { device: { queue } as unknown as GPUDevice, submissions: () => submissions };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Measures the latency of a queue with this period, from `began` milliseconds on. */
async function measure(period: number, began = 0) {
  const fake = createQueue(period);
  await vi.advanceTimersByTimeAsync(began);
  let isMeasured = false;
  measureLatency(fake.device).then(() => {
    isMeasured = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect(isMeasured).toBe(true);
  return { ...fake, work: new GpuWork(fake.device) };
}

describe('the wait for the GPU', () => {
  it.each([0, 30, 70, 95])(
    'makes empty submissions if the browser looks for finished work every 100 ms; measured %s ms after a look',
    async (began) => {
      const { work, submissions } = await measure(100, began);
      expect(work.latency).toBeGreaterThanOrEqual(40);
      const answered: string[] = [];
      work.whenDone().then(() => answered.push('done'));
      work.wait(new Promise<void>((resolve) => setTimeout(resolve, 30))).then(() => answered.push('mapped'));
      await vi.advanceTimersByTimeAsync(5);
      expect(answered).toEqual(['done']);
      await vi.advanceTimersByTimeAsync(26);
      expect(answered).toEqual(['done', 'mapped']);
      const after = submissions();
      expect(after).toBeGreaterThan(5);
      await vi.advanceTimersByTimeAsync(1000);
      expect(submissions()).toBe(after);
    },
  );

  it('submits nothing if answers arrive at once', async () => {
    const { work, submissions } = await measure(1);
    expect(work.latency).toBeLessThan(5);
    work.whenDone();
    await vi.advanceTimersByTimeAsync(1000);
    expect(submissions()).toBe(0);
  });

  it('does not count a thread without processor time as a slow browser', async () => {
    const fake = createQueue(10);
    const measured = measureLatency(fake.device);
    // The clock continues for half a second, in which neither timers nor answers arrive.
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 500);
    await vi.advanceTimersByTimeAsync(25);
    await measured;
    expect(new GpuWork(fake.device).latency).toBeLessThan(40);
    expect(fake.submissions()).toBe(0);
  });

  it('rejects with the awaited promise, and ends the submissions', async () => {
    const { work, submissions } = await measure(100);
    await expect(work.wait(Promise.reject(new Error('unmapped')))).rejects.toThrow('unmapped');
    const after = submissions();
    await vi.advanceTimersByTimeAsync(1000);
    expect(submissions()).toBe(after);
  });
});
