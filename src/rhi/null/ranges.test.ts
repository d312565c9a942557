import { describe, expect, it } from 'vitest';
import type { FencepostError } from '../../core/errors.js';
import type { BufferHandle, TextureHandle } from '../commands/descriptors.js';
import { createRhi } from '../host/create-rhi.js';
import type { CheckedImmediateContext } from '../record/checked-contexts.js';

/** Returns the errors of the commands that `record` records, on resources of known sizes. */
function errorsOf(record: (context: CheckedImmediateContext, stage: Stage) => void): string[] {
  const errors: string[] = [];
  const rhi = createRhi({
    device: null,
    onError: (error) => errors.push(`${(error as FencepostError).code}: ${(error as Error).message}`),
  });
  const { context } = rhi;
  const texture = (label: string, more: object = {}): TextureHandle =>
    context.createTexture({ label, width: 16, height: 8, format: 'rgba8unorm', usage: 31, ...more });
  const stage: Stage = {
    buffer: context.createBuffer({ label: 'terrain', byteLength: 64, usage: 12 }),
    other: context.createBuffer({ label: 'other', byteLength: 1024, usage: 12 }),
    texture: texture('sky', { mipLevelCount: 3, depthOrArrayLayers: 2 }),
    small: texture('small', { width: 4, height: 4 }),
    blocks: texture('blocks', { format: 'bc1-rgba-unorm', mipLevelCount: 3 }),
    solid: texture('solid', { dimension: '3d', depthOrArrayLayers: 8, mipLevelCount: 3 }),
    image: () => ({ close: () => {}, width: 4, height: 4 }) as unknown as ImageBitmap,
  };
  try {
    record(context, stage);
  } catch (error) {
    // Some errors are thrown by the recording call, not by the executor.
    errors.push(`${(error as FencepostError).code}: ${(error as Error).message}`);
  }
  context.publish();
  rhi.executor.pump();
  return errors;
}

interface Stage {
  readonly buffer: BufferHandle;
  readonly other: BufferHandle;
  readonly texture: TextureHandle;
  readonly small: TextureHandle;
  readonly blocks: TextureHandle;
  readonly solid: TextureHandle;
  readonly image: () => ImageBitmap;
}

type Record = (context: CheckedImmediateContext, stage: Stage) => void;

const fitting: { [what: string]: Record } = {
  'a write to the end': (c, { buffer }) => c.writeBuffer(buffer, 48, new Uint8Array(16)),
  'a write of an attachment': (c, { buffer }) => c.writeBufferFromAttachment(buffer, 0, new ArrayBuffer(64)),
  'a clear of all': (c, { buffer }) => c.clearBuffer(buffer, 0, 64),
  'a copy to the end': (c, { buffer, other }) => c.copyBufferToBuffer(other, 960, buffer, 0, 64),
  'texels to the end': (c, { texture }) =>
    c.writeTexture(
      texture,
      { width: 4, height: 2, bytesPerRow: 16, mipLevel: 2, origin: [0, 0, 1] },
      bytes(32),
    ),
  'a last row that is shorter': (c, { texture }) =>
    c.writeTexture(texture, { width: 2, height: 2, bytesPerRow: 256 }, bytes(264)),
  'a block at the edge': (c, { blocks }) =>
    c.writeTexture(blocks, { width: 4, height: 4, bytesPerRow: 8, mipLevel: 2 }, bytes(8)),
  'a clear of all slices of a mip level': (c, { solid }) => c.clearTexture(solid, { baseMipLevel: 2 }),
  'a copy of the last slice of a mip level': (c, { solid, texture }) =>
    c.copyTextureToTexture(solid, texture, {
      ...{ width: 4, height: 2, sourceMipLevel: 2, sourceOrigin: [0, 0, 1] },
    }),
  'an image': (c, { small, image }) => c.copyExternalImage(image(), small, { width: 4, height: 4 }),
};

const beyond: { [what: string]: Record } = {
  'a write': (c, { buffer }) => c.writeBuffer(buffer, 52, bytes(16)),
  'a write of an attachment': (c, { buffer }) => c.writeBufferFromAttachment(buffer, 4, new ArrayBuffer(64)),
  'a clear': (c, { buffer }) => c.clearBuffer(buffer, 0, 1024),
  'the source of a copy between buffers': (c, { buffer, other }) =>
    c.copyBufferToBuffer(buffer, 4, other, 0, 64),
  'the target of a copy between buffers': (c, { buffer, other }) =>
    c.copyBufferToBuffer(other, 0, buffer, 4, 64),
  'texels in a row': (c, { texture }) =>
    c.writeTexture(texture, { width: 400, height: 1, bytesPerRow: 1600 }, bytes(1600)),
  'a layer': (c, { texture }) =>
    c.writeTexture(texture, { width: 1, height: 1, origin: [0, 0, 2] }, bytes(4)),
  'a mip level': (c, { texture }) => c.writeTexture(texture, { width: 1, height: 1, mipLevel: 3 }, bytes(4)),
  'the bytes of a write': (c, { texture }) =>
    c.writeTexture(texture, { width: 4, height: 2, bytesPerRow: 16 }, bytes(28)),
  'texels of an attachment': (c, { texture }) =>
    c.writeTextureFromAttachment(texture, { width: 17, height: 1 }, new ArrayBuffer(68)),
  'texels of an image': (c, { small, image }) => c.copyExternalImage(image(), small, { width: 5, height: 4 }),
  'the buffer that texels come from': (c, { buffer, texture }) =>
    c.copyBufferToTexture(buffer, texture, { width: 4, height: 2, bytesPerRow: 256 }),
  'the buffer that texels go to': (c, { buffer, texture }) =>
    c.copyTextureToBuffer(texture, buffer, { width: 4, height: 1, byteOffset: 56 }),
  'the texture that texels come from': (c, { other, small }) =>
    c.copyTextureToBuffer(small, other, { width: 4, height: 1, origin: [1, 0, 0] }),
  'the source of a copy between textures': (c, { texture, small }) =>
    c.copyTextureToTexture(small, texture, { width: 4, height: 4, sourceOrigin: [0, 1, 0] }),
  'the target of a copy between textures': (c, { texture, small }) =>
    c.copyTextureToTexture(texture, small, { width: 8, height: 4 }),
  'a clear of layers': (c, { texture }) => c.clearTexture(texture, { baseArrayLayer: 1, arrayLayerCount: 2 }),
  'a clear of mip levels': (c, { texture }) => c.clearTexture(texture, { baseMipLevel: 3 }),
  'a clear from array layer 1 of a 3D texture, which has only one layer': (c, { solid }) =>
    c.clearTexture(solid, { baseArrayLayer: 1 }),
};

const bytes = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(count);

describe('H8 the null backend and ranges', () => {
  it.each(Object.entries(fitting))('accepts %s', (_, record) => {
    expect(errorsOf(record)).toEqual([]);
  });

  it.each(Object.entries(beyond))('refuses a range beyond its resource: %s', (_, record) => {
    expect(errorsOf(record)).toEqual([
      expect.stringMatching(/^(out-of-range|bad-write): .*"(terrain|other|sky|small|solid)"/),
    ]);
  });

  it('reports each range that exceeds its resource', () => {
    const errors = errorsOf((c, { buffer, texture }) => {
      c.beginFrame(0);
      c.clearBuffer(buffer, 0, 1024);
      c.copyBufferToBuffer(buffer, 1024, buffer, 4096, 64);
      c.clearTexture(texture, { baseMipLevel: 9 });
      c.endFrame();
    });
    expect(errors).toHaveLength(3);
    expect(errors[0]).toBe(
      'out-of-range: A clear of 1024 bytes at byte 0 does not fit the buffer "terrain" of 64 bytes, or its offset or length is not a multiple of 4. Pass an aligned range inside the buffer.',
    );
  });
});
