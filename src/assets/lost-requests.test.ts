import { describe, expect, it } from 'vitest';
import { serveDecoding } from './decoding-workers/serve-decoding.js';
import { serveAssets } from './loading/serve-assets.js';

const createPort = () => ({
  postMessage: () => {},
  addEventListener: () => {},
  onmessageerror: null as ((event: MessageEvent) => void) | null,
});

describe('requests that the browser could not read', () => {
  it.each([
    ['loads', (port: ReturnType<typeof createPort>) => serveAssets(port)],
    [
      'pictures to decode',
      (port: ReturnType<typeof createPort>) => serveDecoding(port, async () => ({}) as never),
    ],
  ])('end the worker that serves %s, so that its pending work is rejected or repeated', (name, serve) => {
    const port = createPort();
    serve(port);
    expect(() => port.onmessageerror?.({} as MessageEvent)).toThrow(
      expect.objectContaining({
        code: 'message-lost',
        message: expect.stringContaining(`the port of ${name}.`),
      }),
    );
  });
});
