import { describe, expect, it } from 'vitest';
import { ThreadError } from '../../core/errors.js';
import { canSubmit } from '../in-flight-limit.js';
import { RenderCommandFence } from '../render-command-fence.js';
import { FenceThreads, FORMS, turn, watch } from '../testing/fence-threads.js';

/** Classes that use private fences work with monitored fences as well. */
describe.each(FORMS)('on monitored fences, by %s', (form) => {
  function setUp() {
    const threads = new FenceThreads(form);
    const game = threads.join('game');
    const [recorded, presented] = ['recorded', 'presented'].map((name) => threads.home.create(name));
    const [recordedHere, presentedHere] = [recorded, presented].map((fence) => game.open(fence.share()));
    threads.settle();
    return { threads, game, recorded, presented, recordedHere, presentedHere };
  }

  it('R4: many fences begun in one frame wait for one value, and one notification completes them', async () => {
    const { threads, game, recorded, recordedHere, presentedHere } = setUp();
    const fences = { recorded: recordedHere, presented: presentedHere };
    const begun = Array.from({ length: 50 }, () => new RenderCommandFence(fences));
    for (const fence of begun) fence.begin(7);
    const waits = begun.map((fence) => watch(fence.wait()));
    threads.settle();
    const before = { ...game.counts };
    const rings = threads.home.counts.rings;
    recorded.signal(6);
    threads.settle();
    expect(game.counts.notifications - before.notifications).toBe(0);
    recorded.signal(7);
    threads.settle();
    await turn();
    expect(game.counts.notifications - before.notifications).toBe(1);
    expect(threads.home.counts.rings - rings).toBe(1);
    expect(new Set(waits.map(({ state }) => state))).toEqual(new Set(['reached']));
  });

  it('R4: a render command fence awaits recorded or presented frames, and gets the error of the awaited fence', async () => {
    const { threads, recorded, presented, recordedHere, presentedHere } = setUp();
    const fences = { recorded: recordedHere, presented: presentedHere };
    const [record, present] = [new RenderCommandFence(fences), new RenderCommandFence(fences)];
    record.begin(3);
    present.begin(3, true);
    const wait = watch(present.wait());
    threads.settle();
    recorded.signal(3);
    expect(form === 'memory' ? record.isComplete : !record.isComplete).toBe(true);
    threads.settle();
    expect([record.isComplete, present.isComplete]).toEqual([true, false]);
    presented.fail(new ThreadError('rhi-crashed', 'The RHI thread threw.'));
    threads.settle();
    await turn();
    expect([wait.state, present.error?.code]).toEqual(['rhi-crashed', 'rhi-crashed']);
  });

  it('canSubmit allows lists up to exactly the limit, and one more after a completion', () => {
    const { threads, recorded: submitted, presented: completed, recordedHere, presentedHere } = setUp();
    const mayHere = () => {
      threads.settle();
      const may = canSubmit(recordedHere, presentedHere, 2);
      threads.settle();
      return may && canSubmit(recordedHere, presentedHere, 2);
    };
    expect(mayHere()).toBe(true);
    submitted.signal(2);
    expect([canSubmit(submitted, completed, 2), mayHere()]).toEqual([false, false]);
    completed.signal(1);
    expect([canSubmit(submitted, completed, 2), mayHere()]).toEqual([true, true]);
    completed.fail(new ThreadError('gpu-gone', 'Gone.'));
    expect([canSubmit(submitted, completed, 2), mayHere()]).toEqual([false, false]);
  });
});
