/**
 * `clearTexture` in all its implementations: passes, copies of zeros, aspects, integers, mip levels, layers and
 * slices.
 */
import type { TextureClear } from 'fencepost/rhi';
import { TextureUsage } from 'fencepost/rhi';
import { bytesOf, CLEAR, type CommandList, filled, repeated } from './list.js';

const ones = (byteLength: number): Uint8Array => new Uint8Array(byteLength).fill(255);

/** Returns a list that fills a texture with ones, clears it and reads it. */
function clearList(
  format: GPUTextureFormat,
  bytesPerTexel: number,
  clear: TextureClear,
  expected: readonly number[],
): CommandList {
  return {
    commands: ['clearTexture'],
    title: `${format} to ${clear.color?.join(' ') ?? 'zeros'}`,
    expected: { texels: expected },
    record: (stage) => {
      const texture = stage.texture({ format });
      stage.frame(() => {
        const bytesPerRow = 4 * bytesPerTexel;
        stage.context.writeTexture(texture, { width: 4, height: 4, bytesPerRow }, ones(bytesPerRow * 4));
        stage.context.clearTexture(texture, clear);
        stage.readTexture('texels', texture, bytesPerTexel);
      });
    },
  };
}

const aspects = (clear: TextureClear, depth: number, stencil: number): CommandList => ({
  commands: ['clearTexture'],
  title: `depth and stencil, aspect ${clear.aspect ?? 'all'}`,
  expected: {
    depth: repeated(16, bytesOf(new Uint16Array([depth]))),
    stencil: repeated(16, [stencil]),
  },
  record: (stage) => {
    // Depth of depth24plus-stencil8 can't be copied to a buffer, so a depth16unorm texture tests the depth.
    const depthTexture = stage.texture({ format: 'depth16unorm', clear: { depth: 1 } });
    const both = stage.texture({ format: 'depth24plus-stencil8', clear: { depth: 1, stencil: 255 } });
    stage.frame(() => {
      if (clear.aspect !== 'stencil-only') stage.context.clearTexture(depthTexture, clear);
      stage.context.clearTexture(both, clear);
      stage.readTexture('depth', depthTexture, 2, { aspect: 'depth-only' });
      stage.readTexture('stencil', both, 1, { aspect: 'stencil-only' });
    });
  },
});

export const clears: readonly CommandList[] = [
  clearList('rgba8unorm', 4, {}, filled(CLEAR)),
  clearList('rgba8unorm', 4, { color: [1, 0.2, 0.4, 0.6] }, filled([255, 51, 102, 153])),
  clearList('rgba8uint', 4, { color: [1, 2, 250, 255] }, filled([1, 2, 250, 255])),
  clearList('rg16sint', 4, { color: [-2, 300, 0, 0] }, repeated(16, bytesOf(new Int16Array([-2, 300])))),
  clearList('r32uint', 4, { color: [4000000, 0, 0, 0] }, repeated(16, bytesOf(new Uint32Array([4000000])))),
  clearList(
    'rgba32float',
    16,
    { color: [0.1, -5, 1e20, 0] },
    repeated(16, bytesOf(new Float32Array([0.1, -5, 1e20, 0]))),
  ),
  // Formats that can't be rendered to are cleared by copies of zeros.
  clearList('rgba8snorm', 4, {}, filled(CLEAR)),
  clearList('rgb9e5ufloat', 4, { color: [0, 0, 0, 0] }, filled(CLEAR)),
  aspects({ depth: 0.2, stencil: 3 }, 13107, 3),
  aspects({ aspect: 'depth-only', depth: 0, stencil: 3 }, 0, 255),
  aspects({ aspect: 'stencil-only', depth: 0, stencil: 4 }, 65535, 4),
  {
    commands: ['clearTexture'],
    title: 'some mip levels and layers',
    expected: {
      cleared: repeated(4, [255, 0, 0, 255]),
      otherLayer: repeated(4, [9]).flatMap((value) => [value, value, value, value]),
      otherMip: repeated(64, [9]),
    },
    record: (stage) => {
      const { context } = stage;
      const texture = stage.texture({ mipLevelCount: 3, depthOrArrayLayers: 3 });
      const nines = new Uint8Array(64).fill(9);
      stage.frame(() => {
        for (const layer of [0, 1, 2]) {
          context.writeTexture(
            texture,
            { width: 4, height: 4, bytesPerRow: 16, origin: [0, 0, layer] },
            nines,
          );
          const half = { width: 2, height: 2, bytesPerRow: 8, mipLevel: 1 } as const;
          context.writeTexture(texture, { ...half, origin: [0, 0, layer] }, nines.subarray(0, 16));
        }
        context.clearTexture(texture, {
          baseMipLevel: 1,
          mipLevelCount: 2,
          baseArrayLayer: 1,
          arrayLayerCount: 2,
          color: [1, 0, 0, 1],
        });
        const mip = { width: 2, height: 2, mipLevel: 1 } as const;
        stage.readTexture('cleared', texture, 4, { ...mip, origin: [0, 0, 2] });
        stage.readTexture('otherLayer', texture, 4, { ...mip, origin: [0, 0, 0] });
        stage.readTexture('otherMip', texture, 4, { origin: [0, 0, 1] });
      });
    },
  },
  ...(['rgba8unorm', 'rgba8snorm'] as const).map(
    (format): CommandList => ({
      commands: ['clearTexture'],
      title: `the slices of a 3D texture, ${format}`,
      expected: { slices: repeated(128, [0]) },
      record: (stage) => {
        const texture = stage.texture({ format, dimension: '3d', depthOrArrayLayers: 2 });
        const region = { width: 4, height: 4, depthOrArrayLayers: 2 };
        stage.frame(() => {
          const layout = { bytesPerRow: 16, rowsPerImage: 4 };
          stage.context.writeTexture(texture, { ...region, ...layout }, ones(128));
          stage.context.clearTexture(texture);
          stage.readTexture('slices', texture, 4, region);
        });
      },
    }),
  ),
  {
    commands: ['clearTexture'],
    title: 'a compressed texture, whose smallest mip level is part of a block',
    needs: 'texture-compression-bc',
    expected: { blocks: repeated(8, [0]), lastMip: repeated(8, [0]), otherLayer: repeated(8, [255]) },
    record: (stage) => {
      const { context } = stage;
      const texture = stage.texture({
        format: 'bc1-rgba-unorm',
        width: 8,
        height: 8,
        mipLevelCount: 3,
        depthOrArrayLayers: 2,
      });
      stage.frame(() => {
        const block = { width: 4, height: 4, bytesPerRow: 8 };
        for (const layer of [0, 1]) {
          const origin = [0, 0, layer] as const;
          context.writeTexture(texture, { width: 8, height: 8, bytesPerRow: 16, origin }, ones(32));
          context.writeTexture(texture, { ...block, mipLevel: 2, origin }, ones(8));
        }
        context.clearTexture(texture, { arrayLayerCount: 1 });
        // Each row of the buffer holds a row of blocks.
        const rows = stage.buffer(1024);
        const into = (name: string, byteOffset: number, region: object): void => {
          context.copyTextureToBuffer(texture, rows, {
            width: 4,
            height: 4,
            bytesPerRow: 256,
            byteOffset,
            ...region,
          });
          stage.readBuffer(name, rows, 8, byteOffset);
        };
        into('lastMip', 0, { mipLevel: 2 });
        into('otherLayer', 256, { mipLevel: 2, origin: [0, 0, 1] });
        into('blocks', 512, {});
      });
    },
  },
  {
    commands: ['clearTexture'],
    title: 'refuses wrong usages, mip levels, aspects and depths',
    expected: { texels: filled([255, 255, 255, 255]) },
    errors: ['clear-unsupported', 'clear-unsupported', 'out-of-range', 'clear-unsupported', 'bad-record'],
    record: (stage) => {
      const { context } = stage;
      const { copySource, copyTarget } = TextureUsage;
      const plain = stage.texture({ usage: copySource | copyTarget });
      const sealed = stage.texture({ usage: TextureUsage.textureBinding });
      const drawn = stage.texture();
      stage.frame(() => {
        context.writeTexture(plain, { width: 4, height: 4, bytesPerRow: 16 }, ones(64));
        context.clearTexture(plain, { color: [1, 0, 0, 1] });
        context.clearTexture(sealed);
        context.clearTexture(drawn, { baseMipLevel: 1 });
        context.clearTexture(drawn, { aspect: 'depth-only' });
        context.clearTexture(drawn, { depth: 2 });
        stage.readTexture('texels', plain);
      });
    },
  },
];
