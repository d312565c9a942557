import { describe, expect, it } from 'vitest';
import { ThreadError } from '../core/errors.js';
import { PrivateFence } from './fences/private-fence.js';
import { FrameEndSync } from './frame-end-sync.js';
import { FenceThreads } from './testing/fence-threads.js';
import type { SignallableFence } from './waitable.js';

/** Kinds of fences that FrameEndSync accepts: the engine's own fences, and monitored fences. */
const kinds = {
  'a local fence': () => new PrivateFence('recorded frames'),
  'a shared fence': () => new FenceThreads('memory').home.create('recorded frames'),
  'a fence by messages': () => new FenceThreads('messages').home.create('recorded frames'),
};

/** Returns `waiting`, `ready`, or the code of the promise's error. */
async function stateOf(wait: Promise<void>): Promise<string> {
  let state = 'waiting';
  wait.then(
    () => {
      state = 'ready';
    },
    (error) => {
      state = error.code;
    },
  );
  for (let index = 0; index < 8; index++) await Promise.resolve();
  return state;
}

describe.each(Object.entries(kinds))('R5 FrameEndSync on %s', (_, createFence) => {
  function create(lag: boolean) {
    const rendered: SignallableFence = createFence();
    return { rendered, sync: new FrameEndSync(rendered, { lag }) };
  }

  it('with lag: frame N may start when frame N−2 is complete', () => {
    const { rendered, sync } = create(true);
    expect(sync.isReady).toBe(true);
    sync.endFrame(1);
    expect(sync.isReady).toBe(true); // frame 2 runs while frame 1 renders
    sync.endFrame(2);
    expect(sync.isReady).toBe(false); // frame 3 must wait
    expect(sync.awaitedFrame).toBe(1);
    rendered.signal(1);
    expect(sync.isReady).toBe(true);
    sync.endFrame(3);
    expect(sync.isReady).toBe(false);
    rendered.signal(3);
    expect(sync.isReady).toBe(true);
  });

  it('without lag: frame N may start when frame N−1 is complete', () => {
    const { rendered, sync } = create(false);
    sync.endFrame(1);
    expect(sync.isReady).toBe(false);
    rendered.signal(1);
    expect(sync.isReady).toBe(true);
    sync.endFrame(2);
    expect([sync.isReady, sync.awaitedFrame]).toEqual([false, 2]);
  });

  it('switching the lag takes effect at once, also for pending waits', async () => {
    const { rendered, sync } = create(true);
    sync.endFrame(1);
    sync.lag = false;
    expect(sync.isReady).toBe(false);
    const wait = sync.whenReady();
    expect(await stateOf(wait)).toBe('waiting');
    sync.lag = true;
    expect(await stateOf(wait)).toBe('ready');
    sync.endFrame(2);
    const strict = sync.whenReady();
    sync.lag = false;
    rendered.signal(1);
    sync.lag = true;
    sync.lag = false;
    rendered.signal(2);
    expect(await stateOf(strict)).toBe('ready');
    expect(sync.isReady).toBe(true);
  });

  it('a frame that began with lag may end after the lag was switched off', () => {
    const { rendered, sync } = create(true);
    sync.endFrame(1);
    expect(sync.isReady).toBe(true);
    sync.lag = false;
    sync.endFrame(2);
    rendered.signal(1);
    expect([sync.isReady, sync.awaitedFrame]).toEqual([false, 2]);
  });

  it('the sync starts from any frame number, as after a switch of threads', () => {
    const { rendered, sync } = create(true);
    rendered.signal(99);
    sync.endFrame(100);
    sync.endFrame(101);
    expect(sync.isReady).toBe(false);
    rendered.signal(100);
    expect(sync.isReady).toBe(true);
  });

  it('endFrame rejects a frame that started too early, and frames out of order', () => {
    const { rendered, sync } = create(true);
    sync.endFrame(1);
    sync.endFrame(2);
    expect(() => sync.endFrame(3)).toThrow(expect.objectContaining({ code: 'frame-overrun' }));
    rendered.signal(2);
    expect(() => sync.endFrame(2)).toThrow(expect.objectContaining({ code: 'frame-overrun' }));
    sync.endFrame(3);
  });

  it('the sync is never ready after a failure, and waiters get the error', async () => {
    const { rendered, sync } = create(false);
    sync.endFrame(1);
    const wait = sync.whenReady();
    rendered.fail(new ThreadError('render-crashed', 'The render thread threw.'));
    expect(await stateOf(wait)).toBe('render-crashed');
    expect(sync.isReady).toBe(false);
    expect(await stateOf(sync.whenReady())).toBe('render-crashed');
  });
});
