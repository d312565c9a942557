/** Captures for unit tests. They are made on the null backend. The contents of resources are added afterwards. */
import { FencepostError } from '../../core/errors.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import { createRhi, type Rhi } from '../host/create-rhi.js';
import { createFakeDevice, type FakeDevice } from '../webgpu/fake-device.test-support.js';
import { type Capture, captureChecksum, encodeCapture, HEADER_WORDS } from './capture-file.js';
import { CaptureListing } from './capture-listing.js';
import { decodeCapture } from './decode-capture.js';
import { replay } from './replay.js';
import { openReplay } from './replay-session.js';
import { RhiCapture } from './rhi-capture.js';

/** Creates an RHI on the null backend, with a capture that sees all creations. */
export function setUpNull(): { readonly rhi: Rhi; readonly capture: RhiCapture; readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const rhi = createRhi({ device: null, onError: (error) => errors.push(error) });
  return { rhi, capture: new RhiCapture(rhi), errors };
}

/** Makes a capture of two frames with many kinds of commands, a buffer, a mip chain and both kinds of attachments. */
export async function makeTestCapture(): Promise<ArrayBuffer> {
  const { rhi, capture } = setUpNull();
  const { context } = rhi;
  const vertices = context.createBuffer({ label: 'vertices', byteLength: 24, usage: BufferUsage.vertex });
  const texture = context.createTexture({
    label: 'stones',
    width: 6,
    height: 4,
    mipLevelCount: 2,
    depthOrArrayLayers: 2,
    format: 'rgba8unorm',
    usage: TextureUsage.textureBinding | TextureUsage.copyTarget,
  });
  const module = context.createShaderModule({ label: 'shader', code: '@vertex fn main() {}' });
  const layout = context.createBindGroupLayout({ label: 'layout', entries: [] });
  const pipeline = context.createGraphicsPipeline({
    label: 'pipeline',
    bindGroupLayouts: [layout],
    vertex: { module, entryPoint: 'main', buffers: [{ arrayStride: 12, attributes: [] }] },
  });
  const group = context.createBindGroup({ label: 'group', layout, entries: [] });
  const viewport = context.createViewportTarget('canvas');
  context.destroy(module);
  const bundle = context.createDrawBundle({ label: 'bundle' }, (draws) => {
    draws.setGraphicsPipeline(pipeline);
    draws.setBindGroup(0, group);
    draws.setVertexBuffer(0, vertices);
    draws.draw(2);
  });
  capture.start();
  for (const frame of [7, 8]) {
    context.beginFrame(frame);
    context.writeBuffer(vertices, 4, Float32Array.of(1, 2, 3));
    if (frame === 8) {
      context.writeBufferFromAttachment(vertices, 0, Uint32Array.of(5, 6, 7).buffer);
      const bitmap = { close: () => {} } as ImageBitmap;
      context.copyExternalImage(bitmap, texture, { width: 6, height: 4 });
    }
    context.beginDrawingViewport(viewport, 32, 16);
    context.beginRenderPass({
      label: 'main',
      colorAttachments: [{ view: { texture: viewport }, loadOp: 'clear', storeOp: 'store' }],
    });
    context.setGraphicsPipeline(pipeline);
    context.setBindGroup(0, group);
    context.setVertexBuffer(0, vertices, 0, 24);
    context.draw(2);
    context.draw(1, 4);
    context.executeDrawBundle(bundle);
    context.endRenderPass();
    context.endDrawingViewport(viewport);
    context.endFrame();
  }
  context.publish();
  rhi.executor.pump();
  const made = decodeCapture(await capture.stop());
  const bytes = (length: number, from: number): Uint8Array =>
    Uint8Array.from({ length }, (_, index) => (from + index) & 0xff);
  const filled: Capture = {
    ...made,
    contents: [
      { handle: vertices >>> 0, mipLevel: 0, bytes: bytes(24, 1) },
      { handle: texture >>> 0, mipLevel: 0, bytes: bytes(6 * 4 * 4 * 2, 50) },
      { handle: texture >>> 0, mipLevel: 1, bytes: bytes(3 * 2 * 4 * 2, 90) },
    ],
    renderCommands: {
      names: ['', 'beginFrame', 'endFrame'],
      stream: Uint32Array.of(1 | (2 << 9), 7, 2 | (1 << 9)),
    },
  };
  return encodeCapture(filled);
}

/** Updates the checksum of a changed file. */
export function sealCapture(file: ArrayBuffer): void {
  const words = new Uint32Array(file, 0, file.byteLength >>> 2);
  words[HEADER_WORDS - 1] = captureChecksum(words);
}

/**
 * Returns a copy with one to four changed bytes, often JSON characters, and a matching checksum.
 * @param random returns whole numbers from 0 to n − 1
 */
export function mutateCapture(file: ArrayBuffer, random: (n: number) => number): ArrayBuffer {
  const changed = file.slice(0);
  const bytes = new Uint8Array(changed);
  const characters = '0123456789{}[]",:-.eEntfabc';
  for (let count = random(4); count >= 0; count--) {
    const byte = random(2) === 0 ? random(256) : characters.charCodeAt(random(characters.length));
    bytes[random(bytes.length)] = byte;
  }
  sealCapture(changed);
  return changed;
}

/**
 * Decodes, lists and replays a file. Then replays it up to command 7 of its first frame.
 * @param createDevice creates the device of each replay. Default: devices that draw nothing.
 * @returns the codes of the errors, with 'hang' if a replay does not end. Errors that are not Fencepost's are thrown.
 */
export async function exerciseCapture(
  file: ArrayBuffer,
  createDevice: () => ExerciseDevice = createFakeDevice,
): Promise<string[]> {
  const codes: string[] = [];
  const note = (error: unknown): void => {
    if (!(error instanceof FencepostError)) throw error;
    codes.push(error.code);
  };
  try {
    const capture = decodeCapture(file);
    const listing = new CaptureListing(capture);
    for (const frame of listing.frames) listing.boundState(frame, frame.commands.length - 1);
    const isOver =
      (await finish(createDevice(), (device) =>
        replay(capture, device).then(({ errors }) => errors.forEach(note)),
      )) &&
      (await finish(createDevice(), (device) =>
        openReplay(capture, device)
          .pictureAfter(0, 7)
          .then((picture) => picture?.errors.forEach(note)),
      ));
    if (!isOver) codes.push('hang');
  } catch (error) {
    note(error);
  }
  return codes;
}

/** A device, and the calls that complete its work. */
type ExerciseDevice = Pick<FakeDevice, 'device' | 'finishPipeline' | 'completeWork'>;

/** Completes the device's work until `work` has ended. Returns false if it does not end in 2,000 turns. */
async function finish(fake: ExerciseDevice, work: (device: GPUDevice) => Promise<unknown>): Promise<boolean> {
  let isOver = false;
  const over = work(fake.device).finally(() => {
    isOver = true;
  });
  // `over` is awaited only after it has settled. This handler prevents an unhandled rejection before that.
  over.catch(() => {});
  for (let turn = 0; turn < 2000 && !isOver; turn++) {
    await fake.finishPipeline();
    await fake.completeWork();
  }
  if (isOver) await over;
  return isOver;
}
