import { describe, expect, it } from 'vitest';
import type { TaskContext } from '../tasks/execution/task-context.js';
import { decodingTasks } from './decoding-workers/serve-decoding.js';
import { serveAssets } from './loading/serve-assets.js';

const createPort = () => ({
  postMessage: () => {},
  addEventListener: () => {},
  close: () => {},
  onmessageerror: null as ((event: MessageEvent) => void) | null,
});

const lostAt = (port: string) => ({
  code: 'message-lost',
  message: expect.stringContaining(`the port of ${port}.`),
});

describe('requests that the browser could not read', () => {
  it('end the asset worker, so that its pending loads are rejected or repeated', () => {
    const port = createPort();
    serveAssets(port);
    expect(() => port.onmessageerror?.({} as MessageEvent)).toThrow(expect.objectContaining(lostAt('loads')));
  });

  it('end the task that decodes pieces, so that its pieces are rejected or repeated', async () => {
    const port = createPort();
    const { serve } = decodingTasks(() => async () => ({}) as never);
    const ports = { port, control: createPort() } as unknown as Parameters<typeof serve>[0];
    const ended = serve(ports, 0, 1, {} as TaskContext);
    port.onmessageerror?.({} as MessageEvent);
    await expect(ended).rejects.toMatchObject(lostAt('pieces to decode'));
  });
});
