/**
 * Draws 64 overlapping quads, whose order shows in the picture. N deferred lists, recorded by this thread or
 * by two workers, share the draws. `window.drawDeferred` returns the picture and a hash of all executed
 * records.
 */
import {
  BufferUsage,
  type CommandList,
  createRhi,
  DeferredContext,
  FrameFlag,
  openDevice,
  type StreamReader,
  TextureUsage,
  transferablesOf,
} from 'fencepost/rhi';
import { QUADS, type RecordRequest, recordQuads, type WorkerRequest } from './deferred-draws.js';

const SIZE = 64;
const code = /* wgsl */ `
struct Varying { @builtin(position) position: vec4f, @location(0) color: vec4f }

@vertex fn vertex(@builtin(vertex_index) corner: u32, @builtin(instance_index) quad: u32, @location(0) color: vec4f)
    -> Varying {
  let corners = array(vec2f(0, 0), vec2f(1, 0), vec2f(0, 1), vec2f(0, 1), vec2f(1, 0), vec2f(1, 1));
  let origin = vec2f(f32((quad * 37u) % 48u), f32((quad * 23u) % 48u));
  let pixel = origin + corners[corner] * 16.0;
  return Varying(vec4f(pixel / 32.0 - 1.0, 0.0, 1.0), color);
}

@fragment fn fragment(in: Varying) -> @location(0) vec4f { return in.color; }
`;

interface DrawOptions {
  /** Number of lists that share the draws. With 0, the immediate context records them. */
  readonly parts: number;
  readonly onWorkers?: boolean;
  /** Whether each frame opens the lists of the previous frame again. */
  readonly keepsLists?: boolean;
  readonly bypass?: boolean;
  readonly frames?: number;
}

/** Returns the FNV-1a hash of words. */
function hashWords(words: Uint32Array, hash = 0x811c9dc5): number {
  for (const word of words) hash = Math.imul(hash ^ word, 0x01000193) >>> 0;
  return hash;
}

/** Returns a reader that calls `see` with every executed record. */
function watchRecords(reader: StreamReader, see: (record: Uint32Array) => void): StreamReader {
  const next = (): boolean => {
    const isThere = reader.next();
    if (isThere) see(reader.words.subarray(reader.fields - 1, reader.fields + reader.fieldWords));
    return isThere;
  };
  return new Proxy(reader, {
    get: (target, key) => (key === 'next' ? next : bound(target, Reflect.get(target, key, target))),
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}

const bound = (owner: object, value: unknown): unknown =>
  typeof value === 'function' ? value.bind(owner) : value;

/** Returns recorders on this thread, or on two workers that share the parts. */
function createRecorders(onWorkers: boolean) {
  if (!onWorkers) {
    const context = new DeferredContext();
    return {
      record: async (list: CommandList, range: RecordRequest, lastUseOf: never) => {
        context.begin(list);
        recordQuads(context, range);
        if (lastUseOf !== null) context.destroy(lastUseOf);
        return context.finish();
      },
      recycle: () => {},
      pagesMade: () => [context.pageCounts.made],
      dispose: () => {},
    };
  }
  const workers = [0, 1].map(
    () => new Worker(new URL('./deferred-worker.ts', import.meta.url), { type: 'module' }),
  );
  const made = [0, 0];
  const workerOf = (list: CommandList): number => list.id % 2;
  const post = (list: CommandList, request: WorkerRequest, transfer: Transferable[] = []): void =>
    workers[workerOf(list)].postMessage(request, transfer);
  const waiting = new Map<number, (list: CommandList) => void>();
  for (const [index, worker] of workers.entries()) {
    worker.onmessage = ({ data }: MessageEvent<{ list: CommandList; pagesMade: number }>) => {
      made[index] = data.pagesMade;
      waiting.get(data.list.id)!(data.list);
    };
  }
  return {
    record: (list: CommandList, range: RecordRequest, lastUseOf: never) =>
      new Promise<CommandList>((resolve) => {
        waiting.set(list.id, resolve);
        // A list that was opened again is sent with its pages.
        post(list, { record: list, range, lastUseOf }, transferablesOf(list));
      }),
    recycle: (list: CommandList) => post(list, { recycle: list }, transferablesOf(list)),
    pagesMade: () => made,
    dispose: () => {
      for (const worker of workers) worker.terminate();
    },
  };
}

async function drawDeferred({ parts, onWorkers, keepsLists, bypass, frames = 1 }: DrawOptions) {
  const { device } = await openDevice(navigator.gpu);
  const recorders = createRecorders(onWorkers ?? false);
  const errors: string[] = [];
  let bytesHash = 0x811c9dc5;
  let recordCount = 0;
  const rhi = createRhi({
    device,
    bypass,
    onError: (error) => errors.push(String(error)),
    wrapReader: (reader) =>
      watchRecords(reader, (record) => {
        bytesHash = hashWords(record, bytesHash);
        recordCount++;
      }),
  });
  const { context } = rhi;
  const layouts = [{ arrayStride: 16, stepMode: 'instance', attributes: [attribute()] }] as const;
  const module = context.createShaderModule({ label: 'quads', code });
  const pipeline = context.createGraphicsPipeline({
    label: 'quads',
    bindGroupLayouts: [],
    vertex: { module, entryPoint: 'vertex', buffers: layouts as never },
    fragment: { module, entryPoint: 'fragment', targets: [{ format: 'rgba8unorm' }] },
  });
  const target = context.createTexture({
    label: 'target',
    width: SIZE,
    height: SIZE,
    format: 'rgba8unorm',
    usage: TextureUsage.renderAttachment | TextureUsage.copySource,
  });
  const result = context.createBuffer({
    label: 'result',
    byteLength: SIZE * SIZE * 4,
    usage: BufferUsage.copyTarget | BufferUsage.copySource,
  });
  const pass = {
    label: 'quads',
    colorAttachments: [
      { view: { texture: target }, loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 1] },
    ],
  } as const;

  let kept: CommandList[] = [];
  let pixels = new Uint8Array();
  for (let frame = 0; frame < frames; frame++) {
    context.beginFrame(frame, FrameFlag.waitForPipelines);
    const colors = context.createBuffer({
      label: `colors of frame ${frame}`,
      byteLength: QUADS * 16,
      usage: BufferUsage.vertex | BufferUsage.copyTarget,
    });
    const values = Float32Array.from({ length: QUADS * 4 }, (_, i) =>
      i % 4 === 3 ? 1 : ((i * 53) % 256) / 255,
    );
    context.writeBuffer(colors, 0, values);
    context.beginRenderPass(pass);
    context.setGraphicsPipeline(pipeline);
    context.setVertexBuffer(0, colors, 0, QUADS * 16);
    if (parts === 0) {
      recordQuads(context, { from: 0, to: QUADS });
      context.destroy(colors);
    } else {
      for (const list of kept) context.reopenSubList(list);
      const opened =
        kept.length > 0
          ? kept
          : Array.from({ length: parts }, (_, index) => context.openSubList(`part ${index}`));
      const edge = (index: number): number => Math.round((index * QUADS) / parts);
      // The lists are requested from the last to the first. Only their order in executeSubLists decides the
      // picture.
      const recorded = opened
        .map((list, index) => ({ list, index }))
        .reverse()
        .map(({ list, index }) =>
          recorders.record(
            list,
            { from: edge(index), to: edge(index + 1) },
            (index === parts - 1 ? colors : null) as never,
          ),
        );
      const lists = (await Promise.all(recorded)).reverse();
      context.executeSubLists(lists);
      if (keepsLists) kept = lists;
      else for (const list of lists) recorders.recycle(list);
    }
    context.endRenderPass();
    context.copyTextureToBuffer(target, result, { width: SIZE, height: SIZE, bytesPerRow: SIZE * 4 });
    const read = rhi.read(result, 0, SIZE * SIZE * 4);
    context.endFrame();
    await rhi.flush();
    pixels = new Uint8Array(await read);
  }
  for (const handle of [pipeline, module, target, result]) context.destroy(handle);
  await rhi.flush();
  const { leaks } = rhi.dispose();
  recorders.dispose();
  device.destroy();
  const colorsSeen = new Set(new Uint32Array(pixels.buffer));
  return {
    errors,
    leaks,
    recordCount,
    bytes: bytesHash.toString(16),
    picture: hashWords(new Uint32Array(pixels.buffer)).toString(16),
    colorCount: colorsSeen.size,
    pagesMade: recorders.pagesMade(),
  };
}

function attribute() {
  return { shaderLocation: 0, offset: 0, format: 'float32x4' };
}

/** Returns the outcome of each call in bypass mode. An execution error is thrown from the call that causes it. */
async function findFailingCall() {
  const { device } = await openDevice(navigator.gpu);
  const heard: unknown[] = [];
  const { context, dispose } = createRhi({ device, bypass: true, onError: (error) => heard.push(error) });
  const calls: string[] = [];
  const attempt = (name: string, call: () => void): void => {
    try {
      call();
      calls.push(`${name}: done`);
    } catch (error) {
      calls.push(`${name}: ${(error as { code: string }).code}`);
    }
  };
  context.beginFrame(0);
  const buffer = context.createBuffer({ label: 'small', byteLength: 16, usage: BufferUsage.copyTarget });
  attempt('write inside', () => context.writeBuffer(buffer, 0, new Uint32Array(4)));
  attempt('write outside', () => context.writeBuffer(buffer, 8, new Uint32Array(4)));
  attempt('write inside again', () => context.writeBuffer(buffer, 8, new Uint32Array(2)));
  context.destroy(buffer);
  attempt('end', () => context.endFrame());
  dispose();
  device.destroy();
  return { calls, heard: heard.length };
}

declare global {
  interface Window {
    drawDeferred: typeof drawDeferred;
    findFailingCall: typeof findFailingCall;
  }
}
window.drawDeferred = drawDeferred;
window.findFailingCall = findFailingCall;
document.documentElement.dataset.loaded = 'true';
