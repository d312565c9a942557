import { expect, it } from 'vitest';
import { setUpNull } from './capture.test-support.js';
import { CaptureListing } from './capture-listing.js';
import { decodeCapture } from './decode-capture.js';

it('lists a draw bundle made before the capture as one step, with its records', async () => {
  const { rhi, capture } = setUpNull();
  const { context } = rhi;
  const vertices = context.createBuffer({ label: 'vertices', byteLength: 24, usage: 0x20 });
  const target = context.createViewportTarget('canvas');
  const bundle = context.createDrawBundle({ label: 'trees' }, (draws) => {
    draws.pushDebugGroup('near');
    draws.setVertexBuffer(0, vertices, 8);
    draws.draw(2);
    draws.popDebugGroup();
  });
  capture.start();
  context.beginFrame(1);
  context.beginDrawingViewport(target, 4, 4);
  context.beginRenderPass({
    label: 'main',
    colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
  });
  context.setVertexBuffer(1, vertices);
  context.setScissorRect(0, 0, 2, 2);
  context.executeDrawBundle(bundle);
  context.draw(3);
  context.endRenderPass();
  context.endDrawingViewport(target);
  context.endFrame();
  context.publish();
  rhi.executor.pump();
  const listing = new CaptureListing(decodeCapture(await capture.stop()));
  const [frame] = listing.frames;
  const index = frame!.commands.findIndex(({ name }) => name === 'executeDrawBundle');
  const step = frame!.commands[index]!;
  expect(step).toEqual({
    name: 'executeDrawBundle',
    line: '      executeDrawBundle bundle=<draw bundle 0.0 "trees">',
    inner: [
      'pushDebugGroup label="near"',
      '  setVertexBuffer slot=0 buffer=<buffer 0.0 "vertices"> byteOffset=8 byteLength=16',
      '  draw vertexCount=2 instanceCount=1 firstVertex=0 firstInstance=0',
      'popDebugGroup',
    ],
    isWork: true,
    pass: 0,
  });
  expect(
    frame!.commands.filter(({ name }) => name !== 'executeDrawBundle').flatMap(({ inner }) => inner),
  ).toEqual([]);
  // The bundle's command shows the state of the bundle's draws. After it, only the pass's scissor rectangle is set.
  const rectangle = { setScissorRect: '0 0 2 2' };
  expect(listing.boundState(frame!, index - 1).vertexBuffers).toEqual({
    1: '<buffer 0.0 "vertices"> from 0, 24 bytes',
  });
  const [at, behind] = [listing.boundState(frame!, index), listing.boundState(frame!, index + 1)];
  expect(at.vertexBuffers).toEqual({ 0: '<buffer 0.0 "vertices"> from 8, 16 bytes' });
  expect(behind.vertexBuffers).toEqual({});
  expect([at.other, behind.other]).toEqual([rectangle, rectangle]);
});
