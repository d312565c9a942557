import { describe, expect, it, vi } from 'vitest';
import type { FencepostError } from '../../core/errors.js';
import { watchGpu } from './gpu-watch.js';

function watch(isVisible = true) {
  vi.useFakeTimers();
  const pipeline = { isConnected: true, submitted: { value: 0 }, completed: { value: 0 } };
  const errors: FencepostError[] = [];
  const end = watchGpu({
    pipeline,
    seconds: 10,
    onSilent: (error) => errors.push(error),
    isVisible: () => isVisible,
    processorShare: () => 1,
    clock: {
      now: () => Date.now(),
      set: (action, milliseconds) => setTimeout(action, milliseconds),
      clear: (timer) => clearTimeout(timer as number),
    },
  });
  return { pipeline, errors, end, pass: (seconds: number) => vi.advanceTimersByTime(seconds * 1000) };
}

describe('R9 a GPU that completes nothing', () => {
  it('is reported once, with the frame that it has not completed', () => {
    const { pipeline, errors, pass, end } = watch();
    pipeline.submitted.value = 8;
    pipeline.completed.value = 7;
    pass(9);
    expect(errors).toEqual([]);
    pass(60);
    expect(errors).toMatchObject([{ code: 'gpu-silent', details: { frame: '8' } }]);
    end();
  });

  it('is reported again after it has completed a frame', () => {
    const { pipeline, errors, pass, end } = watch();
    pipeline.submitted.value = 1;
    pass(20);
    pipeline.completed.value = 1;
    pass(20);
    expect(errors).toHaveLength(1);
    pipeline.submitted.value = 2;
    pass(20);
    expect(errors).toHaveLength(2);
    end();
  });

  it('is not reported while it completes frames slowly, has nothing to do, or nobody can see', () => {
    const slow = watch();
    for (let frame = 1; frame < 20; frame++) {
      slow.pipeline.submitted.value = frame + 1;
      slow.pipeline.completed.value = frame;
      slow.pass(9);
    }
    expect(slow.errors).toEqual([]);
    slow.end();
    const resting = watch();
    resting.pass(100);
    expect(resting.errors).toEqual([]);
    resting.pipeline.submitted.value = 1;
    resting.pipeline.isConnected = false;
    resting.pass(100);
    expect(resting.errors).toEqual([]);
    resting.end();
    const hidden = watch(false);
    hidden.pipeline.submitted.value = 1;
    hidden.pass(100);
    expect(hidden.errors).toEqual([]);
    hidden.end();
  });

  it('is not reported after the end of the watch', () => {
    const { pipeline, errors, pass, end } = watch();
    pipeline.submitted.value = 1;
    end();
    pass(100);
    expect(errors).toEqual([]);
  });
});
