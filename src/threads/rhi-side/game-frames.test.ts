import { expect, test } from 'vitest';
import { RhiError } from '../../core/errors.js';
import { EventRing } from '../../core/events/event-ring.js';
import type { Executor } from '../../rhi/execute/executor.js';
import { emptyFrameStats } from '../../rhi/execute/executor.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { GameFrames } from './game-frames.js';

function start() {
  const submitted = new PrivateFence('lists submitted');
  const completed = new PrivateFence('lists completed');
  const stats = emptyFrameStats();
  const frames = new GameFrames({ submitted, completed, stats } as unknown as Executor, new EventRing());
  const submit = (frame: number): void => {
    stats.frame = frame;
    submitted.signal(submitted.value + 1);
  };
  return { submitted, completed, frames, submit };
}

test('a frame is complete with its first list, and later lists of the same frame change nothing', () => {
  const { completed, frames, submit } = start();
  for (const frame of [7, 8, 8, 8, 9]) submit(frame);
  expect(frames.submitted.value).toBe(9);
  const seen: number[] = [];
  for (let list = 1; list <= 5; list++) {
    completed.signal(list);
    seen.push(frames.completed.value);
  }
  expect(seen).toEqual([7, 8, 8, 8, 9]);
});

test('lists that complete together signal all their frames', () => {
  const { completed, frames, submit } = start();
  for (const frame of [1, 2, 3]) submit(frame);
  completed.signal(3);
  expect(frames.completed.value).toBe(3);
});

test('an error of the executor fails both fences', () => {
  const { submitted, completed, frames, submit } = start();
  submit(1);
  const error = new RhiError('device-lost', 'The device was lost.');
  submitted.fail(error);
  completed.fail(error);
  expect(frames.submitted.error).toBe(error);
  expect(frames.completed.error).toBe(error);
  expect(frames.completed.value).toBe(0);
});
