import { describe, expect, it, vi } from 'vitest';
import { lazily } from './lazily.js';

describe('lazily', () => {
  it('loads once, at the first call, also for simultaneous callers', async () => {
    const load = vi.fn(async () => ({}));
    const get = lazily('restart', load);
    expect(load).not.toHaveBeenCalled();
    const [first, second] = await Promise.all([get(), get()]);
    expect(first).toBe(second);
    expect(await get()).toBe(first);
    expect(load).toHaveBeenCalledOnce();
  });

  it('rejects a fetch that never settles, with the name of the part', async () => {
    vi.useFakeTimers();
    try {
      const load = vi
        .fn()
        .mockReturnValueOnce(new Promise(() => {}))
        .mockResolvedValueOnce(7);
      const get = lazily('restart', load);
      const first = expect(get()).rejects.toMatchObject({
        code: 'part-missing',
        message: expect.stringMatching(/"restart".*waited 30000 ms/),
      });
      await vi.advanceTimersByTimeAsync(29_999);
      expect(load).toHaveBeenCalledOnce();
      await vi.advanceTimersByTimeAsync(1);
      await first;
      expect(await get()).toBe(7);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('tries again after a failure', async () => {
    const load = vi.fn().mockRejectedValueOnce(new Error('offline')).mockResolvedValueOnce(7);
    const get = lazily('restart', load);
    await expect(Promise.all([get(), get()])).rejects.toThrow('offline');
    expect(await get()).toBe(7);
    expect(load).toHaveBeenCalledTimes(2);
  });
});
