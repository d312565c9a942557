import { describe, expect, it, vi } from 'vitest';
import { lazily } from './lazily.js';

describe('lazily', () => {
  it('loads at the first call, once, also for callers at the same time', async () => {
    const load = vi.fn(async () => ({}));
    const get = lazily(load);
    expect(load).not.toHaveBeenCalled();
    const [first, second] = await Promise.all([get(), get()]);
    expect(first).toBe(second);
    expect(await get()).toBe(first);
    expect(load).toHaveBeenCalledOnce();
  });

  it('tries again after a failure', async () => {
    const load = vi.fn().mockRejectedValueOnce(new Error('offline')).mockResolvedValueOnce(7);
    const get = lazily(load);
    await expect(Promise.all([get(), get()])).rejects.toThrow('offline');
    expect(await get()).toBe(7);
    expect(load).toHaveBeenCalledTimes(2);
  });
});
