import { afterEach, expect, it, vi } from 'vitest';
import type { World } from '../../game/world/world.js';
import type { Pipeline } from '../../threads/connections/pipeline.js';
import { ViewCounts } from './view-stats.js';

afterEach(() => void vi.unstubAllGlobals());

it('reports posted counts that the browser could not read', () => {
  vi.stubGlobal('crossOriginIsolated', false);
  const { port1, port2 } = new MessageChannel();
  vi.stubGlobal('MessageChannel', function open() {
    return { port1, port2 };
  });
  const connection = { control: { followViews: async () => {} } };
  const pipeline = { connection, takeovers: new Set() } as unknown as Pipeline;
  const errors: unknown[] = [];
  new ViewCounts(pipeline, { disposed: new AbortController().signal } as World, (error) =>
    errors.push(error),
  );
  port1.onmessageerror?.(new MessageEvent('messageerror'));
  port1.close();
  const details = { port: 'counts per view' };
  expect(errors).toEqual([expect.objectContaining({ code: 'message-lost', details })]);
});
