import { describe, expect, it } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { World } from '../../game/world/world.js';
import { renderCommands } from '../../proxy/command-table.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { FrameEndSync } from '../../sync/frame-end-sync.js';
import { ManualClock } from '../../sync/testing/manual-clock.js';
import { FramePrerequisites } from './frame-prerequisites.js';
import { FrameProducer } from './frame-producer.js';
import { FrameScheduler } from './frame-scheduler.js';

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Creates a frame loop and the prerequisites of its frames. */
function setUp() {
  const errors: { code: string; message: string }[] = [];
  const reportError = (error: unknown): void => void errors.push(error as (typeof errors)[number]);
  const clock = new ManualClock();
  const rendered = new PrivateFence('rendered');
  const { writer } = createLocalStream({ table: renderCommands });
  const world = new World(writer, { loadScene: async () => null as never, reportError });
  const sync = new FrameEndSync(rendered, { lag: true });
  const producer = new FrameProducer(writer, sync, world, new EventRing(), () => {});
  const page = { requestFrame: () => 1, cancelFrame: () => {}, now: () => 0, isHidden: false };
  const scheduler = new FrameScheduler(producer, page, reportError);
  const prerequisites = new FramePrerequisites({ producer, disposed: world.disposed, reportError, clock });
  const step = () => scheduler.produceOnce(0.1, 0, 'tick', (frame) => frame);
  return { errors, clock, rendered, world, producer, prerequisites, step };
}

describe('FramePrerequisites', () => {
  it('R7: a frame ticks, waits, and is sent when the task has ended; no other frame ticks meanwhile', async () => {
    const { prerequisites, producer, step, rendered } = setUp();
    let end = (): void => {};
    producer.prerequisite = prerequisites.add(new Promise<void>((resolve) => (end = resolve)), {});
    const frame = step();
    await settle();
    expect(producer.frame).toBe(0);
    expect(producer.isReady).toBe(false);
    end();
    expect(await frame).toBe(1);
    rendered.signal(1);
    expect(await step()).toBe(2);
  });

  it('R7: a task that fails or takes too long is reported with its name, and the frame is drawn', async () => {
    const { prerequisites, producer, step, errors, clock } = setUp();
    producer.prerequisite = Promise.all([
      prerequisites.add(() => Promise.reject(new Error('broken')), { name: 'physics' }),
      prerequisites.add(new Promise(() => {}), { name: 'network', seconds: 2 }),
    ]);
    const frame = step();
    await settle();
    expect(producer.frame).toBe(0);
    clock.advance(2000);
    expect(await frame).toBe(1);
    expect(errors.map(({ code }) => code)).toEqual(['prerequisite-failed', 'wait-timed-out']);
    expect(errors[1]?.message).toContain(
      'Frame 1 waited 2000 ms in vain for the frame prerequisite "network"',
    );
  });

  it('R7: disposing ends the wait', async () => {
    const { prerequisites, world, errors } = setUp();
    const wait = prerequisites.add(new Promise(() => {}), {});
    await settle();
    world.dispose();
    await wait;
    expect(errors).toEqual([]);
  });

  it('R7: settle resolves once all added tasks have ended, including failed tasks', async () => {
    const { prerequisites, errors } = setUp();
    const ends: (() => void)[] = [];
    void prerequisites.add(new Promise<void>((resolve) => ends.push(resolve)), {});
    void prerequisites.add(
      new Promise<void>((_, reject) => ends.push(() => reject(new Error('broken')))),
      {},
    );
    let isSettled = false;
    const settled = prerequisites.settle().then(() => {
      isSettled = true;
    });
    ends[0]?.();
    await settle();
    expect(isSettled).toBe(false);
    ends[1]?.();
    await settled;
    await prerequisites.settle();
    expect(errors.map(({ code }) => code)).toEqual(['prerequisite-failed']);
  });
});
