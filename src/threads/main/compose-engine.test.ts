import { afterEach, describe, expect, it, vi } from 'vitest';
import { development } from '../../core/development.js';
import { createConfigured } from './configure.js';

afterEach(() => {
  delete development.checkThread;
});

// Node: no document, no WebGPU and no workers, so the page's own thread does all the work.
describe('an engine as options say', () => {
  it('checks the thread of calls in development', async () => {
    development.checkThread = vi.fn();
    const checked = await createConfigured(null, { backend: 'null' });
    checked.world.addCamera();
    expect(development.checkThread).toHaveBeenCalledWith('A call of the world');
    await checked.dispose();
  });

  it('rejects with the reason of a signal that was aborted, and leaves nothing behind', async () => {
    const signal = AbortSignal.abort('no longer wanted');
    await expect(createConfigured(null, { backend: 'null', signal })).rejects.toBe('no longer wanted');
    const late = new AbortController();
    const creating = createConfigured(null, { backend: 'null', signal: late.signal });
    late.abort('left');
    await expect(creating).rejects.toBe('left');
  });

  it('needs WebGPU unless the backend is null', async () => {
    await expect(createConfigured(null, { pixelRatio: 1 })).rejects.toMatchObject({ code: 'webgpu-missing' });
    await expect(createConfigured(null, { pixelRatio: -1 })).rejects.toMatchObject({
      code: 'option-out-of-range',
    });
  });
});
