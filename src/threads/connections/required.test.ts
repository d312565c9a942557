import { expect, it, vi } from 'vitest';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import type { RenderConnection } from './connection.js';
import { connectRequiring } from './required.js';

/** Threads whose device has these features, once they have started. */
function createThreads(features: readonly string[]) {
  let capabilities: RhiCapabilities | null = null;
  const end = vi.fn();
  const started = new Promise((resolve) => setImmediate(resolve)).then(() => {
    capabilities = { features, limits: { maxTextureDimension2D: 4096 } } as unknown as RhiCapabilities;
    return capabilities;
  });
  const connection = {
    started,
    get capabilities() {
      return capabilities;
    },
    end,
  };
  return { end, connect: async () => connection as unknown as RenderConnection };
}

const required = { features: { 'texture-compression-bc': 1 }, limits: {} } as unknown as Parameters<
  typeof connectRequiring
>[1];

const connectTo = (threads: ReturnType<typeof createThreads>) =>
  connectRequiring(threads.connect, required)({} as never, {} as never, {} as never);

it('starts like any other where the device has what the page requires', async () => {
  const threads = createThreads(['texture-compression-bc']);
  const connection = await connectTo(threads);
  expect(connection.capabilities).toBeNull();
  expect(await connection.started).toMatchObject({ features: ['texture-compression-bc'] });
  expect(connection.capabilities).toMatchObject({ features: ['texture-compression-bc'] });
  expect(threads.end).not.toHaveBeenCalled();
});

it('ends the threads where the device lacks it, and rejects their start with its name', async () => {
  const threads = createThreads([]);
  const connection = await connectTo(threads);
  await expect(connection.started).rejects.toMatchObject({
    name: 'PlatformError',
    message: expect.stringContaining('texture-compression-bc'),
  });
  expect(threads.end).toHaveBeenCalledOnce();
});
