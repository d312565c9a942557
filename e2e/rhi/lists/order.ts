/** Frames, the drawing viewport, fences and local commands. */
import type { FenceHandle, TextureHandle } from 'fencepost/rhi';
import { type CommandList, filled, GREEN, RED, type Stage } from './list.js';

const cleared = (
  stage: Stage,
  texture: TextureHandle,
  clearValue: [number, number, number, number],
): void => {
  stage.context.beginRenderPass({
    label: 'clear',
    colorAttachments: [{ view: { texture }, loadOp: 'clear', storeOp: 'store', clearValue }],
  });
  stage.context.endRenderPass();
};

export const order: readonly CommandList[] = [
  {
    commands: ['beginFrame', 'endFrame', 'beginDrawingViewport', 'endDrawingViewport'],
    expected: { first: filled(RED), second: filled(GREEN) },
    record: (stage) => {
      const { context } = stage;
      const target = context.createViewportTarget('viewport');
      for (const [name, color] of [
        ['first', [1, 0, 0, 1]],
        ['second', [0, 1, 0, 1]],
      ] as const) {
        stage.frame(() => {
          context.beginDrawingViewport(target, 4, 4);
          cleared(stage, target, [...color]);
          stage.readTexture(name, target);
          context.endDrawingViewport(target);
        });
      }
    },
  },
  {
    commands: ['useSurface', 'beginDrawingViewport', 'endDrawingViewport'],
    title: 'draws to each surface in turn, also to an unknown one; a frame begins with the executor’s own',
    expected: { other: filled(GREEN), own: filled(RED), next: filled(RED) },
    record: (stage) => {
      const { context } = stage;
      const [own, other] = [context.createViewportTarget('own'), context.createViewportTarget('other')];
      stage.frame(() => {
        context.useSurface(7);
        context.beginDrawingViewport(other, 4, 4);
        cleared(stage, other, [0, 1, 0, 1]);
        stage.readTexture('other', other);
        context.endDrawingViewport(other);
        context.useSurface(0);
        context.beginDrawingViewport(own, 4, 4);
        cleared(stage, own, [1, 0, 0, 1]);
        stage.readTexture('own', own);
        context.endDrawingViewport(own);
        context.useSurface(7);
      });
      // Each frame begins with the executor's own surface.
      stage.frame(() => {
        context.beginDrawingViewport(own, 4, 4);
        cleared(stage, own, [1, 0, 0, 1]);
        stage.readTexture('next', own);
        context.endDrawingViewport(own);
      });
    },
  },
  {
    commands: ['createFence', 'signalFence', 'waitFence'],
    title: 'the list waits for the CPU, and the CPU for the list',
    expected: { bytes: [4, 4, 4, 4] },
    record: async (stage) => {
      const { context, rhi } = stage;
      const bytes = stage.buffer(new Uint8Array(4).fill(3));
      const copy = stage.buffer(4);
      const [done, go] = [context.createFence('done'), context.createFence('go', 2)];
      context.publish();
      rhi.executor.pump();
      stage.frame(() => {
        context.copyBufferToBuffer(bytes, 0, copy, 0, 4);
        context.signalFence(done, 1);
        context.waitFence(go, 2); // already reached at the beginning
        context.waitFence(go, 3);
        context.writeBuffer(copy, 0, new Uint8Array(4).fill(4));
        stage.readBuffer('bytes', copy, 4);
        context.signalFence(done, 5);
      });
      context.publish();
      rhi.executor.pump();
      await reached(stage, done, 1);
      // Commands after the wait have not executed, whatever the GPU has done.
      if (rhi.submitted.value !== 0) throw new Error('The list did not wait.');
      rhi.executor.fence(go).signal(3);
      await reached(stage, done, 5);
    },
  },
  {
    commands: ['signalFence', 'waitFence'],
    title: 'refuses a signal that does not rise, a destroyed fence and a buffer',
    expected: {},
    errors: ['fence-not-rising', 'stale-handle', 'wrong-handle-kind'],
    record: (stage) => {
      const { context } = stage;
      const fence = context.createFence('fence', 7);
      const gone = context.createFence('gone');
      context.destroy(gone);
      stage.frame(() => {
        context.signalFence(fence, 7);
        context.waitFence(gone, 0);
        context.signalFence(stage.buffer(4) as unknown as FenceHandle, 1);
      });
    },
  },
  {
    commands: ['localCommand'],
    expected: { bytes: [1, 2, 3, 4] },
    errors: ['local-command-unknown', 'local-command-failed'],
    record: (stage) => {
      const { context, localCommands } = stage;
      const bytes = stage.buffer(4);
      const heard: number[] = [];
      localCommands.set('hear', (data) => heard.push(...data));
      localCommands.set('fail', () => {
        throw new Error('On purpose.');
      });
      stage.frame(() => {
        context.localCommand('hear', new Uint8Array([1, 2, 3, 4]));
        context.localCommand('nobody');
        context.localCommand('fail');
      });
      context.publish();
      stage.rhi.executor.pump();
      stage.frame(() => {
        context.writeBuffer(bytes, 0, Uint8Array.from(heard));
        stage.readBuffer('bytes', bytes, 4);
      });
    },
  },
];

async function reached({ rhi }: Stage, fence: FenceHandle, value: number): Promise<void> {
  await rhi.executor.fence(fence).whenReached(value);
}
