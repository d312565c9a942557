import { describe, expect, it } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { World } from '../../game/world/world.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderFrameFlag, RenderOpcode } from '../../proxy/commands.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { FrameEndSync } from '../../sync/frame-end-sync.js';
import { FrameProducer } from './frame-producer.js';
import { FrameScheduler, type FrameSource } from './frame-scheduler.js';

/** A page whose animation frames and clock the test drives by hand. */
class ManualPage implements FrameSource {
  isHidden = false;
  milliseconds = 0;
  private callback: ((milliseconds: number) => void) | null = null;

  requestFrame(callback: (milliseconds: number) => void): number {
    this.callback = callback;
    return 1;
  }
  cancelFrame(): void {
    this.callback = null;
  }
  now(): number {
    return this.milliseconds;
  }
  get isRequested(): boolean {
    return this.callback !== null;
  }
  /** Advances the clock and runs the requested animation frame, if any. */
  frame(milliseconds = 16): void {
    this.milliseconds += milliseconds;
    const { callback } = this;
    this.callback = null;
    callback?.(this.milliseconds);
  }
}

function setUp(lag: boolean) {
  const log: string[] = [];
  const errors: unknown[] = [];
  const page = new ManualPage();
  const rendered = new PrivateFence('rendered');
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const world = {
    updates: { timeSeconds: 0, isRunning: false },
    tick: (deltaSeconds: number) => log.push(`tick ${deltaSeconds}`),
    sendUpdates: () => log.push('update'),
  };
  const sync = new FrameEndSync(rendered, { lag });
  const producer = new FrameProducer(writer, sync, world as unknown as World, new EventRing(), () => {});
  const scheduler = new FrameScheduler(producer, page, (error) => errors.push(error));
  return { log, errors, page, rendered, reader, producer, scheduler, sync, ...world };
}

/** Lets all settled promises run their callbacks. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('FrameScheduler', () => {
  it('R5 lag on: runs one frame ahead, then defers the next until the fence signals, and runs it at once', async () => {
    const { page, scheduler, rendered, producer } = setUp(true);
    scheduler.start();
    page.frame();
    expect(producer.frame).toBe(1);
    page.frame();
    expect(producer.frame).toBe(2);
    page.frame();
    expect(producer.frame).toBe(2);
    page.milliseconds += 5;
    rendered.signal(1);
    await settle();
    expect(producer.frame).toBe(3);
    expect(scheduler.gameWaitMs).toBe(5);
  });

  it('R5 lag off: runs game and render thread in lockstep', async () => {
    const { page, scheduler, rendered, producer } = setUp(false);
    scheduler.start();
    page.frame();
    page.frame();
    expect(producer.frame).toBe(1);
    rendered.signal(1);
    await settle();
    expect(producer.frame).toBe(2);
  });

  it('gives each tick the seconds since the last tick, at most a quarter of a second', () => {
    const { page, scheduler, rendered, log, updates } = setUp(true);
    scheduler.start();
    page.frame();
    rendered.signal(1);
    page.frame(20);
    rendered.signal(2);
    page.frame(2000);
    expect(log).toEqual(['tick 0', 'update', 'tick 0.02', 'update', 'tick 0.25', 'update']);
    // The time of declared motion advances without that limit.
    expect(updates).toEqual({ timeSeconds: expect.closeTo(2.02, 9), isRunning: true });
  });

  it('draws nothing while the page is hidden, and resumes', () => {
    const { page, scheduler, producer } = setUp(true);
    scheduler.start();
    page.isHidden = true;
    page.frame();
    expect(producer.frame).toBe(0);
    page.isHidden = false;
    page.frame();
    expect(producer.frame).toBe(1);
  });

  it('draws a change of an engine at rest once a hidden page is visible again', () => {
    const { page, scheduler, producer, rendered } = setUp(true);
    scheduler.invalidate();
    page.frame();
    rendered.signal(1);
    scheduler.noticeChange();
    page.isHidden = true;
    page.frame();
    page.frame();
    expect(producer.frame).toBe(1);
    page.isHidden = false;
    page.frame();
    expect(producer.frame).toBe(2);
  });

  it('drops a deferred tick when the page was hidden meanwhile', async () => {
    const { page, scheduler, rendered, producer } = setUp(false);
    scheduler.start();
    page.frame();
    page.frame(); // deferred
    page.isHidden = true;
    rendered.signal(1);
    await settle();
    expect(producer.frame).toBe(1);
    page.isHidden = false;
    page.frame();
    expect(producer.frame).toBe(2);
  });

  it('runs steps one after another, also when stopped or hidden', async () => {
    const { page, scheduler, rendered, producer, updates } = setUp(false);
    page.isHidden = true;
    const first = scheduler.produceOnce(0.1, 1, 'tick', Number);
    const second = scheduler.produceOnce(0.1, 1, 'tick', Number);
    expect(await first).toBe(1);
    await settle();
    expect(producer.frame).toBe(1);
    rendered.signal(1);
    expect(await second).toBe(2);
    expect(updates).toEqual({ timeSeconds: expect.closeTo(0.2, 9), isRunning: false });
  });

  it('several calls of invalidate draw one frame, without a tick', () => {
    const { page, scheduler, producer, log } = setUp(true);
    scheduler.invalidate();
    scheduler.invalidate();
    page.frame();
    page.frame();
    expect(producer.frame).toBe(1);
    expect(log).toEqual(['update']);
    expect(page.isRequested).toBe(false);
  });

  it('a failure of the render thread stops the loop and is reported once', async () => {
    const { page, scheduler, rendered, errors } = setUp(false);
    scheduler.start();
    page.frame();
    page.frame();
    rendered.fail(new Error('render thread died'));
    await settle();
    expect(errors).toHaveLength(1);
    expect(scheduler.isRunning).toBe(false);
  });

  it('writes a frame as beginFrame … endFrame, with its number, flags and delta seconds', async () => {
    const { scheduler, reader } = setUp(true);
    await scheduler.produceOnce(0.5, 3, 'redraw', Number);
    expect(reader.next()).toBe(true);
    expect(reader.opcode).toBe(RenderOpcode.beginFrame);
    expect(reader.words[reader.fields]).toBe(1);
    expect(reader.words[reader.fields + 1]).toBe(3);
    expect(reader.floats[reader.fields + 2]).toBe(0.5);
    expect(reader.next()).toBe(true);
    expect(reader.opcode).toBe(RenderOpcode.endFrame);
    expect(reader.words[reader.fields]).toBe(1);
  });
});

describe('FrameScheduler, changes of an engine at rest', () => {
  /** Creates a stopped loop that has drawn one frame by `invalidate`. */
  function setUpAtRest() {
    const all = setUp(true);
    const { scheduler, page, rendered, producer } = all;
    scheduler.invalidate();
    page.frame();
    rendered.signal(producer.frame);
    all.log.length = 0;
    return all;
  }

  it('draws once for many changes, without a tick, and waits for pipelines', () => {
    const { scheduler, page, producer, log } = setUpAtRest();
    scheduler.noticeChange();
    scheduler.noticeChange();
    expect(scheduler.isInvalid).toBe(true);
    page.frame();
    expect([producer.frame, producer.flags, scheduler.isInvalid, page.isRequested]).toEqual([
      2,
      RenderFrameFlag.step,
      false,
      false,
    ]);
    expect(log).toEqual(['update']);
  });

  it('requests no frame for changes before the engine has drawn its first frame', () => {
    const { scheduler, page } = setUp(true);
    scheduler.noticeChange();
    expect(page.isRequested).toBe(false);
  });

  it('requests no frame while steps drive the engine, until it is invalidated or started', async () => {
    const { scheduler, page, producer, rendered } = setUpAtRest();
    scheduler.noticeChange();
    // The step shows the change.
    const step = scheduler.produceOnce(0, RenderFrameFlag.step, 'tick', Number);
    page.frame();
    expect(await step).toBe(2);
    rendered.signal(2);
    scheduler.noticeChange();
    expect(page.isRequested).toBe(false);
    // A resize is drawn, but the engine is still driven by steps.
    scheduler.redraw();
    page.frame();
    rendered.signal(3);
    scheduler.noticeChange();
    expect(page.isRequested).toBe(false);
    scheduler.invalidate();
    page.frame();
    rendered.signal(4);
    scheduler.noticeChange();
    page.frame();
    expect(producer.frame).toBe(5);
  });

  it('draws no further frame for a change that a frame has sent, and a redraw sends nothing', async () => {
    const { scheduler, page, producer, rendered } = setUpAtRest();
    scheduler.noticeChange();
    rendered.signal(await scheduler.produceOnce(0, RenderFrameFlag.step, 'redraw', Number));
    expect(scheduler.isInvalid).toBe(true);
    rendered.signal(await scheduler.produceOnce(0, RenderFrameFlag.step, 'update', Number));
    expect(scheduler.isInvalid).toBe(false);
    page.frame();
    expect(producer.frame).toBe(3);
  });

  it('draws changes between the last tick and the stop', () => {
    const { scheduler, page, producer, rendered } = setUpAtRest();
    scheduler.start();
    page.frame();
    rendered.signal(2);
    scheduler.stop();
    expect(page.isRequested).toBe(false);
    scheduler.start();
    scheduler.noticeChange();
    scheduler.stop();
    page.frame();
    expect([producer.frame, producer.flags]).toEqual([3, RenderFrameFlag.step]);
  });

  it('a change noticed while a frame is written belongs to that frame', () => {
    const { scheduler, page, producer } = setUpAtRest();
    producer.world.sendUpdates = () => scheduler.noticeChange();
    scheduler.invalidate();
    page.frame();
    expect([scheduler.isInvalid, page.isRequested]).toEqual([false, false]);
  });

  it('draws nothing more for changes once a frame has failed', async () => {
    const { scheduler, page, rendered, errors, producer } = setUpAtRest();
    producer.world.sendUpdates = () => {
      throw new Error('Wrong.');
    };
    rendered.fail(new Error('render thread died'));
    scheduler.noticeChange();
    page.frame();
    await settle();
    expect(errors).toHaveLength(1);
    scheduler.noticeChange();
    expect(page.isRequested).toBe(false);
  });
});

describe('FrameScheduler, running and stepping at once', () => {
  it('an invalidation is drawn later if a step produces a frame first', async () => {
    const { page, scheduler, rendered, producer, log } = setUp(false);
    await scheduler.produceOnce(0, 1, 'redraw', Number);
    scheduler.invalidate();
    page.frame(); // deferred: frame 1 is not rendered yet
    const capture = scheduler.produceOnce(0, 1, 'redraw', Number);
    rendered.signal(1);
    await capture;
    rendered.signal(producer.frame);
    await settle();
    if (page.isRequested) page.frame();
    rendered.signal(producer.frame);
    await settle();
    expect(log).toEqual(['update']);
  });

  it('never produces a frame that the sync does not allow, whichever caller is first', async () => {
    const { page, scheduler, rendered, producer, errors } = setUp(false);
    scheduler.start();
    page.frame();
    page.frame(); // deferred
    const step = scheduler.produceOnce(0.1, 1, 'tick', Number);
    rendered.signal(1);
    await settle();
    rendered.signal(2);
    await settle();
    rendered.signal(3);
    expect(await step).toBeGreaterThan(1);
    expect(errors).toEqual([]);
    expect(producer.frame).toBe(3);
  });

  it('R7: a frame that waits for its prerequisites when the engine stops is sent as not running', async () => {
    const { page, scheduler, producer, reader, updates } = setUp(true);
    let end = (): void => {};
    producer.prerequisite = new Promise<void>((resolve) => {
      end = resolve;
    });
    scheduler.start();
    page.frame();
    await settle();
    expect(updates.isRunning).toBe(true);
    scheduler.stop();
    end();
    await settle();
    expect(producer.frame).toBe(1);
    expect(producer.flags).toBe(0);
    reader.next();
    expect(reader.words[reader.fields + 1]).toBe(0);
    expect(updates.isRunning).toBe(false);
    // After another start, frames are sent as running again.
    scheduler.start();
    page.frame();
    expect(producer.flags).toBe(RenderFrameFlag.running);
  });
});
