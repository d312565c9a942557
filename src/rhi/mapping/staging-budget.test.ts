import { describe, expect, it } from 'vitest';
import { StagingBudget } from './staging-budget.js';

describe('M6 staging budget', () => {
  it('is filled to exactly the limit, makes the next request wait, and continues it when enough is released', async () => {
    const budget = new StagingBudget(100);
    expect([budget.take(60), budget.take(40), budget.take(1)]).toEqual([true, true, false]);
    const log: string[] = [];
    budget.wait(50).then(() => log.push('50'));
    budget.release(40);
    await Promise.resolve();
    expect([log.join(), budget.usedBytes]).toEqual(['', 60]);
    budget.release(60);
    await Promise.resolve();
    expect([log.join(), budget.usedBytes, budget.peakBytes]).toEqual(['50', 50, 100]);
  });

  it('keeps the order: a small request does not overtake a large one', async () => {
    const budget = new StagingBudget(100);
    budget.take(100);
    const log: string[] = [];
    budget.wait(80).then(() => log.push('80'));
    budget.wait(10).then(() => log.push('10'));
    budget.release(30);
    await Promise.resolve();
    expect([log.join(), budget.isAwaited, budget.take(1)]).toEqual(['', true, false]);
    budget.release(70);
    await Promise.resolve();
    expect([log.join(), budget.usedBytes, budget.isAwaited]).toEqual(['80,10', 90, false]);
  });

  it('rejects waiting requests when it fails', async () => {
    const budget = new StagingBudget(10);
    budget.take(10);
    const waiting = budget.wait(5);
    budget.fail(new Error('ended'));
    await expect(waiting).rejects.toThrow('ended');
  });
});
