/** If a frame's `endFrame` is forgotten, the pending reads of that frame reject. */
import { expect, it } from 'vitest';
import { BufferUsage } from '../commands/descriptors.js';
import { createRhi } from '../host/create-rhi.js';
import type { RecordingRhi } from './rhi-recorder.js';

const codeOf = (read: Promise<unknown>): Promise<string> =>
  read.then(
    () => 'bytes',
    ({ code, message }) => `${code}: ${message}`,
  );

function setUp(rhi: RecordingRhi) {
  const usage = BufferUsage.copySource | BufferUsage.copyTarget;
  return rhi.context.createBuffer({ label: 'results', byteLength: 4, usage });
}

it('beginFrame in an open frame is refused, and the reads of the open frame reject', async () => {
  const rhi = createRhi({ device: null, onError: () => {} });
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
  rhi.dispose();
});

it('dispose in an open frame rejects the reads of the frame', async () => {
  const rhi = createRhi({ device: null, onError: () => {} });
  const buffer = setUp(rhi);
  rhi.context.beginFrame(7);
  const read = codeOf(rhi.read(buffer));
  rhi.dispose();
  expect(await read).toMatch(/^frame-not-ended: The buffer "results" .* frame 7, .* was never ended/);
});
