/** B2 through `fencepost/rhi`: recorded into a stream, read from it and translated on the same thread. */
import {
  BufferUsage,
  createLocalStream,
  type DrawBundleHandle,
  type DrawRecorder,
  ImmediateContext,
  RESERVED_WRITE_BYTES,
  rhiCommands,
  ShaderStage,
  type StreamReader,
  TextureUsage,
  WebGpuExecutor,
} from '../../src/rhi.js';
import type { QueueMarks } from '../lib/queue-marks.js';
import {
  DRAW_COUNT,
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

/** As many transforms as fit into one reserved write. */
const OBJECTS_PER_WRITE = Math.floor(RESERVED_WRITE_BYTES / (TRANSFORM_FLOATS * 4));

export interface RhiLoopOptions {
  readonly name: string;
  /** Records a draw bundle when the set stays the same, and executes it while it does. */
  readonly usesBundle?: boolean;
  /** What stands between the stream and the executor: validation, capture, trace. */
  readonly wrapReader?: (reader: StreamReader) => StreamReader;
}

export async function createRhiLoop(
  device: GPUDevice,
  marks: QueueMarks,
  { name, usesBundle = false, wrapReader = (reader) => reader }: RhiLoopOptions,
): Promise<DrawLoop> {
  const errors: string[] = [];
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  const readbacks = new Map<number, (bytes: ArrayBuffer) => void>();
  const executor = new WebGpuExecutor({
    device,
    reader: wrapReader(reader),
    surface: null,
    maxFramesInFlight: 2,
    onError: (error) => errors.push(String(error)),
    onReadback: (request, bytes) => readbacks.get(request)?.(bytes),
  });
  const rhi = new ImmediateContext(writer, { maxFramesInFlight: 2 });

  const bufferWith = (label: string, usage: number, data: Float32Array | Uint32Array) => {
    const buffer = rhi.createBuffer({
      label,
      byteLength: data.byteLength,
      usage: usage | BufferUsage.copyTarget,
    });
    rhi.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const vertices = bufferWith('vertices', BufferUsage.vertex, geometryData());
  const indices = bufferWith('indices', BufferUsage.index, indexData());
  const materials = bufferWith('materials', BufferUsage.uniform, materialData());
  const transformBuffer = bufferWith(
    'transforms',
    BufferUsage.storage,
    new Float32Array(OBJECT_COUNT * TRANSFORM_FLOATS),
  );
  const transformLayout = rhi.createBindGroupLayout({
    label: 'transforms',
    entries: [{ binding: 0, visibility: ShaderStage.vertex, buffer: { type: 'read-only-storage' } }],
  });
  const materialLayout = rhi.createBindGroupLayout({
    label: 'material',
    entries: [{ binding: 0, visibility: ShaderStage.fragment, buffer: { type: 'uniform' } }],
  });
  const transformGroup = rhi.createBindGroup({
    label: 'transforms',
    layout: transformLayout,
    entries: [{ binding: 0, buffer: transformBuffer }],
  });
  const materialGroups = Array.from({ length: OBJECT_COUNT }, (_, i) =>
    rhi.createBindGroup({
      label: 'material',
      layout: materialLayout,
      entries: [
        { binding: 0, buffer: materials, byteOffset: i * MATERIAL_STRIDE, byteLength: MATERIAL_BYTES },
      ],
    }),
  );
  const module = rhi.createShaderModule({ label: 'unmergeable', code: SHADER });
  const pipeline = rhi.createGraphicsPipeline({
    label: 'unmergeable',
    bindGroupLayouts: [transformLayout, materialLayout],
    vertex: { module, entryPoint: 'vertexMain', buffers: [VERTEX_LAYOUT] },
    fragment: { module, entryPoint: 'fragmentMain', targets: [{ format: TARGET_FORMAT }] },
  });
  const target = rhi.createTexture({
    label: 'target',
    width: TARGET_SIZE,
    height: TARGET_SIZE,
    format: TARGET_FORMAT,
    usage: TextureUsage.renderAttachment | TextureUsage.copySource,
  });
  const pass = {
    label: 'unmergeable',
    colorAttachments: [
      { view: { texture: target }, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 1] },
    ],
  } as const;
  rhi.publish();
  executor.pump();
  await executor.whenPipelinesReady();
  let number = 0;
  const recordDraws = (draws: DrawRecorder, visible: Uint32Array): void => {
    draws.setGraphicsPipeline(pipeline);
    draws.setBindGroup(0, transformGroup);
    draws.setIndexBuffer(indices, 'uint32', 0, OBJECT_COUNT * 12);
    for (let i = 0; i < visible.length; i++) {
      const object = visible[i] as number;
      draws.setBindGroup(1, materialGroups[object] as (typeof materialGroups)[number]);
      draws.setVertexBuffer(0, vertices, object * GEOMETRY_STRIDE, GEOMETRY_STRIDE);
      draws.drawIndexed(3, 1, object * 3, 0, object);
    }
  };
  // The set of the frame before, and the bundle of its draws, once it has stayed the same.
  const lastVisible = new Uint32Array(DRAW_COUNT);
  let bundle: DrawBundleHandle | undefined;
  /** Per frame, measured: the application asks itself whether anything has changed. */
  const executeBundle = (visible: Uint32Array): boolean => {
    let i = 0;
    while (i < visible.length && visible[i] === lastVisible[i]) i++;
    if (i < visible.length) {
      lastVisible.set(visible);
      rhi.destroy(bundle);
      bundle = undefined;
      return false;
    }
    bundle ??= rhi.createDrawBundle({ label: 'visible' }, (draws) => recordDraws(draws, visible));
    rhi.executeDrawBundle(bundle);
    return true;
  };

  return {
    name,
    errors,
    frame(visible, frame) {
      let start = performance.now();
      rhi.beginFrame(++number);
      // Straight to where they are sent from. What the arithmetic itself takes is not measured, here as by hand.
      for (let first = 0; first < OBJECT_COUNT; first += OBJECTS_PER_WRITE) {
        const count = Math.min(OBJECTS_PER_WRITE, OBJECT_COUNT - first);
        const bytes = TRANSFORM_FLOATS * 4;
        const at = rhi.reserveBufferWrite(transformBuffer, first * bytes, count * bytes);
        const began = performance.now();
        moveObjects(frame, first, count, writer.floats, at);
        start += performance.now() - began;
      }
      const written = performance.now();
      rhi.beginRenderPass(pass);
      const before = writer.bytesWritten;
      if (!usesBundle || !executeBundle(visible)) recordDraws(rhi, visible);
      const drawBytes = writer.bytesWritten - before;
      rhi.endRenderPass();
      rhi.endFrame();
      const recorded = performance.now();
      rhi.publish();
      executor.pump();
      const done = performance.now();
      if (executor.stats.frame !== number) errors.push(`Frame ${number} was not executed at once.`);
      const translateMs = marks.submitBegin - marks.writeEnd;
      return { recordMs: recorded - written, translateMs, totalMs: done - start, drawBytes };
    },
    async pixels() {
      const bytesPerRow = 256;
      const byteLength = bytesPerRow * TARGET_SIZE;
      const buffer = rhi.createBuffer({
        label: 'read-back',
        byteLength,
        usage: BufferUsage.copyTarget | BufferUsage.mapRead,
      });
      rhi.copyTextureToBuffer(target, buffer, { width: TARGET_SIZE, height: TARGET_SIZE, bytesPerRow });
      rhi.readBuffer(1, buffer, 0, byteLength);
      const bytes = new Promise<ArrayBuffer>((resolve) => readbacks.set(1, resolve));
      rhi.publish();
      executor.pump();
      return new Uint8Array(await bytes);
    },
  };
}
