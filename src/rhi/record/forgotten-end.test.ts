/** If a frame's `endFrame` is forgotten, the pending reads of that frame reject. */
import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { BufferUsage } from '../commands/descriptors.js';
import { createRhi } from '../host/create-rhi.js';
import { connectRhi, serveRhi } from '../host/two-threads.js';
import type { RecordingRhi } from './rhi-recorder.js';

type Disposable = RecordingRhi & { dispose(): unknown };

async function twoThreads(): Promise<Disposable> {
  const { port1, port2 } = new MessageChannel();
  serveRhi(port2 as unknown as MessagePort, { device: null }).catch(() => {});
  return connectRhi(port1 as unknown as MessagePort, { onError: () => {} });
}

const rhis: readonly [string, () => Disposable | Promise<Disposable>][] = [
  ['one thread', () => createRhi({ device: null, onError: () => {} })],
  ['two threads', twoThreads],
];

const codeOf = (read: Promise<unknown>): Promise<string> =>
  read.then(
    () => 'bytes',
    ({ code, message }) => `${code}: ${message}`,
  );

function setUp(rhi: RecordingRhi) {
  const usage = BufferUsage.copySource | BufferUsage.copyTarget;
  return rhi.context.createBuffer({ label: 'results', byteLength: 4, usage });
}

it.each(rhis)(
  'beginFrame in an open frame is refused, and the reads of the open frame reject, %s',
  async (_, open) => {
    const rhi = await open();
    const buffer = setUp(rhi);
    const before = codeOf(rhi.read(buffer));
    rhi.context.beginFrame(3);
    const inside = codeOf(rhi.read(buffer));
    expect(() => rhi.context.beginFrame(4)).toThrow('Frame 4 was begun while frame 3 is open. Call endFrame');
    expect(await inside).toMatch(/^frame-not-ended: The buffer "results" .* frame 3, .* was never ended/);
    rhi.context.endFrame();
    expect(await before).toBe('bytes');
    rhi.context.beginFrame(4);
    const next = codeOf(rhi.read(buffer));
    rhi.context.endFrame();
    expect(await next).toBe('bytes');
    await rhi.dispose();
  },
);

it.each(rhis)('dispose in an open frame rejects the reads of the frame, %s', async (_, open) => {
  const rhi = await open();
  const buffer = setUp(rhi);
  rhi.context.beginFrame(7);
  const read = codeOf(rhi.read(buffer));
  await rhi.dispose();
  expect(await read).toMatch(/^frame-not-ended: The buffer "results" .* frame 7, .* was never ended/);
});
