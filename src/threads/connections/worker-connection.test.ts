import { afterEach, expect, it, vi } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { resolveOptions } from '../../engine/options/option-checks.js';
import { ThreadRoles } from '../../rhi/record/thread-guard.js';
import { connectTwoWorkers } from './two-workers.js';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('R3: ends the first worker if the second one cannot be created', async () => {
  vi.useFakeTimers();
  const terminated = vi.fn();
  let made = 0;
  vi.stubGlobal('document', { baseURI: 'http://page/', addEventListener: () => {} });
  vi.stubGlobal('origin', 'http://page');
  vi.stubGlobal(
    'Worker',
    class {
      terminate = terminated;
      constructor() {
        if (++made === 2) throw new DOMException('No more workers.', 'NotSupportedError');
      }
    },
  );
  const options = resolveOptions({
    backend: 'null',
    threading: 'render+rhi',
    workerUrl: 'http://page/worker.js',
  });
  const events = {
    onError: () => {},
    onReadback: () => {},
    onTrace: () => {},
    awaitedFrame: () => 0,
    ring: new EventRing(),
    roles: new ThreadRoles('main'),
  };
  await expect(connectTwoWorkers({} as never, options, events)).rejects.toThrow('No more workers.');
  expect(terminated).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});
