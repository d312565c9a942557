/** Validation works with both backends of `createRhi` (SYSTEMS H8). Commands that it drops reach no device. */
import { describe, expect, it } from 'vitest';
import { BufferUsage } from '../commands/descriptors.js';
import { createRhi } from '../host/create-rhi.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { type ValidatingReader, validate } from './validate.js';

describe('H8 validation before an executor', () => {
  it.each(['null', 'webgpu'])(
    '%s: drops and counts faulty draws, and executes all other draws',
    async (backend) => {
      const fake = createFakeDevice();
      const errors: string[] = [];
      let validator: ValidatingReader | undefined;
      const skipped: number[] = [];
      const rhi = createRhi({
        device: backend === 'null' ? null : fake.device,
        surfaceFormat: 'rgba8unorm',
        onError: (error) => errors.push(String(error)),
        onFrame: (stats) => skipped.push(stats.skippedDraws + (validator?.skippedDraws ?? 0)),
        wrapReader: (reader) => {
          validator = validate(reader, {
            onError: ({ code }) => errors.push(code),
          });
          return validator;
        },
      });
      const { context } = rhi;
      const target = context.createViewportTarget('canvas');
      const module = context.createShaderModule({ label: 'shader', code: '' });
      const pipeline = context.createGraphicsPipeline({
        label: 'pipeline',
        bindGroupLayouts: [],
        vertex: { module, entryPoint: 'v', buffers: [{ arrayStride: 4, attributes: [] }] },
        fragment: { module, entryPoint: 'f', targets: [{ format: 'rgba8unorm' }] },
      });
      const vertices = context.createBuffer({ label: 'vertices', byteLength: 16, usage: BufferUsage.vertex });
      context.publish();
      rhi.executor.pump();
      await fake.finishPipeline();
      context.beginFrame(1);
      context.beginDrawingViewport(target, 8, 8);
      context.beginRenderPass({
        label: 'main',
        colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
      });
      context.setGraphicsPipeline(pipeline);
      context.setVertexBuffer(0, vertices, 0, 16);
      context.draw(4);
      context.draw(5);
      context.pushDebugGroup('left open');
      context.endDrawingViewport(target);
      context.endFrame();
      context.publish();
      rhi.executor.pump();
      expect(errors).toEqual(['pass-not-ended', 'debug-group-not-ended']);
      expect(skipped).toEqual([0]);
      context.beginFrame(2);
      context.beginDrawingViewport(target, 8, 8);
      context.beginRenderPass({
        label: 'second',
        colorAttachments: [{ view: { texture: target }, loadOp: 'clear', storeOp: 'store' }],
      });
      context.setGraphicsPipeline(pipeline);
      context.setVertexBuffer(0, vertices, 0, 16);
      context.draw(-1);
      context.draw(1);
      context.endRenderPass();
      context.endDrawingViewport(target);
      context.endFrame();
      context.publish();
      rhi.executor.pump();
      expect(errors.slice(2)).toEqual(['field-range']);
      expect(skipped).toEqual([0, 1]);
      const draws = fake.take().filter((line) => line.startsWith('draw '));
      const made = ['draw 4 1 0 0', 'draw 5 1 0 0', 'draw 1 1 0 0'];
      expect(draws).toEqual(backend === 'null' ? [] : made);
    },
  );
});
