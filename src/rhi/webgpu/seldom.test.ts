import { expect, it } from 'vitest';
import type { FencepostError } from '../../core/errors.js';
import { createLocalStream } from '../../core/page-stream.js';
import { rhiCommands } from '../commands/commands.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import { ImmediateContext } from '../record/immediate-context.js';
import * as bundles from './bundles.js';
import { LoadingExecutor } from './executor.js';
import { createFakeDevice } from './fake-device.test-support.js';
import * as seldom from './seldom.js';

/** An executor whose seldom code comes when the test says so. */
function setUp() {
  const fake = createFakeDevice(['timestamp-query']);
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const errors: string[] = [];
  const loads: { arrive: () => void; fail: (error: Error) => void }[] = [];
  const executor = new LoadingExecutor(
    {
      device: fake.device,
      reader,
      surface: null,
      maxFramesInFlight: 2,
      surfaceFormat: 'rgba8unorm',
      onError: (error) => errors.push((error as FencepostError).code ?? (error as Error).message),
      onReadback: () => {},
    },
    {
      bundles,
      seldom: () =>
        new Promise((resolve, reject) => loads.push({ arrive: () => resolve(seldom), fail: reject })),
    },
  );
  const context = new ImmediateContext(writer, { maxFramesInFlight: 2 });
  const [a, b] = ['a', 'b'].map((label) =>
    context.createBuffer({ label, byteLength: 16, usage: BufferUsage.copySource | BufferUsage.copyTarget }),
  );
  const texture = context.createTexture({
    label: 'target',
    width: 4,
    height: 4,
    format: 'rgba8unorm',
    usage: TextureUsage.renderAttachment,
  });
  const run = () => {
    context.publish();
    executor.pump();
    return fake.take().filter((line) => !line.startsWith('create'));
  };
  run();
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  return { fake, executor, context, errors, loads, a, b, texture, run, settle };
}

it('holds the list at the first command whose code is not there, so that nothing overtakes it', async () => {
  const { fake, context, loads, errors, a, b, texture, run, settle } = setUp();
  context.beginFrame(1);
  context.clearTexture(texture);
  context.copyBufferToBuffer(a, 0, b, 0, 4);
  context.endFrame();
  expect(run()).toEqual([]);
  loads[0].arrive();
  await settle();
  const log = fake.take().join('\n');
  expect(log).toMatch(/beginRenderPass clear of "target"[\s\S]*copyBufferToBuffer a 0 b 0 4[\s\S]*submit/);
  context.beginFrame(2);
  context.clearTexture(texture);
  context.endFrame();
  expect(run().join()).toMatch('clear of "target"');
  expect([loads.length, errors]).toEqual([1, []]);
});

it('leaves the command out where the code can’t be had, says why, and tries again at the next', async () => {
  const { fake, context, loads, errors, a, b, texture, run, settle } = setUp();
  context.clearTexture(texture);
  context.copyBufferToBuffer(a, 0, b, 0, 4);
  run();
  loads[0].fail(new Error('no such file'));
  await settle();
  expect(errors).toEqual(['command-refused']);
  expect(fake.take()).toContain('copyBufferToBuffer a 0 b 0 4');
  context.renameBuffer(a);
  run();
  loads[1].arrive();
  await settle();
  expect(fake.take()).toContain('createBuffer a');
});

it('refuses to wait once the list has used the surface’s texture', () => {
  const { context, errors, loads, texture, run } = setUp();
  const viewport = context.createViewportTarget('canvas');
  context.beginFrame(1);
  context.beginDrawingViewport(viewport, 8, 8);
  context.beginRenderPass({
    label: 'main',
    colorAttachments: [{ view: { texture: viewport }, loadOp: 'clear', storeOp: 'store' }],
  });
  context.endRenderPass();
  context.clearTexture(texture);
  context.endDrawingViewport(viewport);
  context.endFrame();
  expect(run()).toContain('submit 1');
  expect([errors, loads.length]).toEqual([['command-not-loaded'], 0]);
});

it('waits for nothing when it is disposed of: what is destroyed behind such a command is no leak', () => {
  const { executor, context, a, b, texture, run } = setUp();
  context.clearTexture(texture);
  for (const resource of [a, b, texture]) context.destroy(resource);
  run();
  expect(executor.dispose()).toEqual({ leaks: [] });
});

it('measures passes from the frame after the code has arrived', async () => {
  const { fake, executor, loads } = setUp();
  const measuring = executor.measureGpu();
  expect(fake.take()).toEqual([]);
  loads[0].arrive();
  await measuring;
  expect(fake.take().join()).toMatch('createBuffer frame time read-back');
});
