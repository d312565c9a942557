import { expect, it } from 'vitest';
import { createRhi } from '../../rhi/host/create-rhi.js';
import { createFakeDevice } from '../../rhi/webgpu/fake-device.test-support.js';
import { createFences, joinFences } from '../../sync/fences/fences.js';
import { QueueFences } from './queue-fences.js';
import { RenderFences } from './render-fences.js';

/** Creates the fences of a render thread that also executes RHI commands, as in the modes `single` and `render`. */
async function setUp() {
  const page = createFences({ name: 'the page', shared: true });
  const seen = page.create('seen');
  const fences = joinFences(page.invite().invitation, { name: 'the render thread' });
  const fake = createFakeDevice();
  const rhi = createRhi({ device: fake.device, onError: () => {} });
  const progress = page.create('progress', { isProgress: true });
  const frames = { completed: rhi.completed };
  const queue = new QueueFences(fences, { ...rhi, frames } as never, progress.share());
  const { port1: port, port2 } = new MessageChannel();
  port2.close();
  const render = new RenderFences({ fences, rhi: rhi.context, port, queue, onLoss: () => {} });
  return { page, progress, seen, fake, rhi, render, fence: await render.open(seen.share()) };
}

it('F7: a module’s open fences survive a lost device until their thread ends', async () => {
  const { seen, fake, render, fence } = await setUp();
  fence.signal(1);
  await fake.lose('gone');
  fence.signal(2); // The signal of the frame that was in flight.
  expect(seen.value).toBe(2);
  render.stop();
  expect(() => fence.signal(3)).toThrow(expect.objectContaining({ code: 'fence-closed' }));
});

it('F7: if the render thread ends first, the group of fences ends with the executor', async () => {
  const { seen, rhi, render, fence } = await setUp();
  render.stop();
  fence.signal(1);
  expect(seen.value).toBe(1);
  rhi.dispose();
  expect(() => fence.signal(2)).toThrow(expect.objectContaining({ code: 'fence-closed' }));
});

it('F1: rejects invalid fence values before they reach the GPU', async () => {
  const { render, fence } = await setUp();
  for (const value of [-1, 1.5, Number.NaN, '1', 2n ** 64n, undefined]) {
    const refusal = expect.objectContaining({ code: 'bad-fence-value' });
    expect(() => render.signal(fence, value as never, true)).toThrow(refusal);
    expect(() => render.wait(fence, value as never)).toThrow(refusal);
  }
});
