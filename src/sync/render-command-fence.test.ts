import { describe, expect, it } from 'vitest';
import { ThreadError } from '../core/errors.js';
import { PrivateFence } from './fences/private-fence.js';
import { RenderCommandFence } from './render-command-fence.js';

describe('R4 render command fence', () => {
  it('waits for recorded or presented frames, and one signal completes many fences', async () => {
    const fences = { recorded: new PrivateFence('recorded'), presented: new PrivateFence('presented') };
    const [record, present, early] = [0, 1, 2].map(() => new RenderCommandFence(fences));
    expect(early.isComplete).toBe(true);
    record.begin(3);
    present.begin(3, true);
    early.begin(2);
    expect([record, present, early].map((fence) => fence.isComplete)).toEqual([false, false, false]);
    fences.recorded.signal(3);
    expect([record, present, early].map((fence) => fence.isComplete)).toEqual([true, false, true]);
    await Promise.all([record.wait(), early.wait()]);
    const wait = present.wait();
    fences.presented.fail(new ThreadError('rhi-crashed', 'The RHI thread threw.'));
    await expect(wait).rejects.toThrow('The RHI thread threw.');
    expect(present.error?.code).toBe('rhi-crashed');
  });
});
