/** B2 by hand: the loop that somebody writes who knows WebGPU and wants nothing else. */
import type { QueueMarks } from '../lib/queue-marks.js';
import {
  type DrawLoop,
  GEOMETRY_STRIDE,
  geometryData,
  indexData,
  MATERIAL_BYTES,
  MATERIAL_STRIDE,
  materialData,
  moveObjects,
  OBJECT_COUNT,
  SHADER,
  TARGET_FORMAT,
  TARGET_SIZE,
  TRANSFORM_FLOATS,
  VERTEX_LAYOUT,
} from '../lib/unmergeable.js';

export async function createHandWrittenLoop(device: GPUDevice, marks: QueueMarks): Promise<DrawLoop> {
  const transforms = new Float32Array(OBJECT_COUNT * TRANSFORM_FLOATS);
  const bufferWith = (
    usage: number,
    data: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>,
  ): GPUBuffer => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const vertices = bufferWith(GPUBufferUsage.VERTEX, geometryData());
  const indices = bufferWith(GPUBufferUsage.INDEX, indexData());
  const materials = bufferWith(GPUBufferUsage.UNIFORM, materialData());
  const transformBuffer = bufferWith(
    GPUBufferUsage.STORAGE,
    new Float32Array(OBJECT_COUNT * TRANSFORM_FLOATS),
  );
  const layoutOf = (visibility: number, type: GPUBufferBindingType) =>
    device.createBindGroupLayout({ entries: [{ binding: 0, visibility, buffer: { type } }] });
  const transformLayout = layoutOf(GPUShaderStage.VERTEX, 'read-only-storage');
  const materialLayout = layoutOf(GPUShaderStage.FRAGMENT, 'uniform');
  const transformGroup = device.createBindGroup({
    layout: transformLayout,
    entries: [{ binding: 0, resource: { buffer: transformBuffer } }],
  });
  const materialGroups = Array.from({ length: OBJECT_COUNT }, (_, i) =>
    device.createBindGroup({
      layout: materialLayout,
      entries: [
        { binding: 0, resource: { buffer: materials, offset: i * MATERIAL_STRIDE, size: MATERIAL_BYTES } },
      ],
    }),
  );
  const module = device.createShaderModule({ code: SHADER });
  const pipeline = await device.createRenderPipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [transformLayout, materialLayout] }),
    vertex: { module, entryPoint: 'vertexMain', buffers: [VERTEX_LAYOUT] },
    fragment: { module, entryPoint: 'fragmentMain', targets: [{ format: TARGET_FORMAT }] },
  });
  const target = device.createTexture({
    size: [TARGET_SIZE, TARGET_SIZE],
    format: TARGET_FORMAT,
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
  });
  const view = target.createView();

  return {
    name: 'by hand',
    errors: [],
    frame(visible, frame) {
      moveObjects(frame, 0, OBJECT_COUNT, transforms, 0);
      const start = performance.now();
      device.queue.writeBuffer(transformBuffer, 0, transforms);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 1] }],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, transformGroup);
      pass.setIndexBuffer(indices, 'uint32');
      for (let i = 0; i < visible.length; i++) {
        const object = visible[i] as number;
        pass.setBindGroup(1, materialGroups[object] as GPUBindGroup);
        pass.setVertexBuffer(0, vertices, object * GEOMETRY_STRIDE, GEOMETRY_STRIDE);
        pass.drawIndexed(3, 1, object * 3, 0, object);
      }
      pass.end();
      device.queue.submit([encoder.finish()]);
      const totalMs = performance.now() - start;
      return { recordMs: 0, translateMs: marks.submitBegin - marks.writeEnd, totalMs, drawBytes: 0 };
    },
    async pixels() {
      const bytesPerRow = 256;
      const buffer = device.createBuffer({
        size: bytesPerRow * TARGET_SIZE,
        usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
      });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow }, [TARGET_SIZE, TARGET_SIZE]);
      device.queue.submit([encoder.finish()]);
      await buffer.mapAsync(GPUMapMode.READ);
      return new Uint8Array(buffer.getMappedRange().slice(0));
    },
  };
}
