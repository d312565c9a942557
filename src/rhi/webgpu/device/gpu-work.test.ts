import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GpuWork, measureLatency } from './gpu-work.js';

/** A queue that answers at whole multiples of a period, or at the next submission. */
function createQueue(period: number) {
  const waiting: (() => void)[] = [];
  let submissions = 0;
  const tell = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  setInterval(tell, period);
  const queue = {
    submit: () => {
      submissions++;
      tell();
    },
    onSubmittedWorkDone: () => new Promise<void>((resolve) => waiting.push(resolve)),
  };
  return { device: { queue } as unknown as GPUDevice, submissions: () => submissions };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

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
    'nudges a browser that looks every 100 ms, measured %s ms after it looked',
    async (began) => {
      const { work, submissions } = await measure(100, began);
      expect(work.latency).toBeGreaterThanOrEqual(40);
      const told: string[] = [];
      work.whenDone().then(() => told.push('done'));
      work.wait(new Promise<void>((resolve) => setTimeout(resolve, 30))).then(() => told.push('mapped'));
      await vi.advanceTimersByTimeAsync(5);
      expect(told).toEqual(['done']);
      await vi.advanceTimersByTimeAsync(26);
      expect(told).toEqual(['done', 'mapped']);
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
    const fake = createQueue(1);
    const measured = measureLatency(fake.device);
    // No timer runs for half a second, and the answers are delayed too.
    vi.setSystemTime(Date.now() + 500);
    await vi.advanceTimersByTimeAsync(10);
    await measured;
    expect(new GpuWork(fake.device).latency).toBeLessThan(40);
    expect(fake.submissions()).toBe(0);
  });

  it('rejects with the awaited promise, and continues', async () => {
    const { work, submissions } = await measure(100);
    await expect(work.wait(Promise.reject(new Error('unmapped')))).rejects.toThrow('unmapped');
    const after = submissions();
    await vi.advanceTimersByTimeAsync(1000);
    expect(submissions()).toBe(after);
  });
});
