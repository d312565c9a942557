/**
 * Validation accepts the reads and copies that the executor accepts (SYSTEMS H8). The executor adds `copySource` to
 * textures, and to buffers without `mapRead`; validation assumes the same usage.
 */
import { describe, expect, it } from 'vitest';
import { BufferUsage, type TextureHandle, TextureUsage } from '../commands/descriptors.js';
import { createRhi, type Rhi } from '../host/create-rhi.js';
import { createFakeDevice } from '../webgpu/fake-device.test-support.js';
import { validate } from './validate.js';

const { copyTarget, mapRead, storage, vertex } = BufferUsage;

describe.each(['the null backend', 'a device'])(
  'H8 validation agrees with the executor, on %s',
  (backend) => {
    /**
     * Executes one frame with validation. Returns all errors, and the rejection of the promise that `record`
     * returns.
     */
    async function errorsOf(record: (rhi: Rhi) => Promise<unknown>): Promise<unknown[]> {
      const fake = createFakeDevice();
      const errors: unknown[] = [];
      const device = backend === 'a device' ? fake.device : null;
      const rhi = createRhi({ device, validation: validate, onError: (error) => errors.push(error) });
      rhi.context.beginFrame(0);
      const done = record(rhi);
      rhi.context.endFrame();
      rhi.context.publish();
      rhi.executor.pump();
      await fake.completeWork();
      await done.catch((error) => errors.push(error));
      return errors;
    }

    it.each([
      ['storage | copyTarget', storage | copyTarget],
      ['copyTarget', copyTarget],
      ['vertex', vertex],
      ['mapRead | copyTarget', mapRead | copyTarget],
    ])('a buffer of usage %s can be read', async (_, usage) => {
      const read = (rhi: Rhi) => rhi.read(rhi.context.createBuffer({ label: 'b', byteLength: 16, usage }));
      expect(await errorsOf(read)).toEqual([]);
    });

    it('a buffer whose only usage is vertex can be copied from', async () => {
      const copy = async ({ context }: Rhi) => {
        const [source, target] = [vertex, copyTarget].map((usage) =>
          context.createBuffer({ label: 'b', byteLength: 16, usage }),
        );
        context.copyBufferToBuffer(source, 0, target, 0, 16);
      };
      expect(await errorsOf(copy)).toEqual([]);
    });

    const texture = ({ context }: Rhi, usage: number): TextureHandle =>
      context.createTexture({ label: 't', width: 4, height: 4, format: 'rgba8unorm', usage });

    it('a texture can be read', async () => {
      expect(await errorsOf((rhi) => rhi.readTexture(texture(rhi, TextureUsage.copySource)))).toEqual([]);
    });

    it('the target of a viewport can be read', async () => {
      const read = (rhi: Rhi) => {
        const { context } = rhi;
        const target = context.createViewportTarget('canvas');
        context.beginDrawingViewport(target, 8, 8);
        const texels = rhi.readTexture(target);
        context.endDrawingViewport(target);
        return texels;
      };
      expect(await errorsOf(read)).toEqual([]);
    });

    it('a texture whose only usage is textureBinding can be copied from', async () => {
      const copy = async (rhi: Rhi) => {
        const [source, target] = [TextureUsage.textureBinding, TextureUsage.copyTarget].map((usage) =>
          texture(rhi, usage),
        );
        const region = { width: 4, height: 4, bytesPerRow: 256 };
        const buffer = rhi.context.createBuffer({ label: 'b', byteLength: 1024, usage: copyTarget });
        rhi.context.copyTextureToBuffer(source, buffer, region);
        if (backend !== 'a device') rhi.context.copyTextureToTexture(source, target, region);
      };
      expect(await errorsOf(copy)).toEqual([]);
    });
  },
);

describe('H8 validate refuses wrong readers and options', () => {
  it.each([
    [[], 'The reader of validate is undefined; it has to be the reader of a stream.'],
    [[{ next: () => false }], 'The options of validate is undefined; it has to be an object with onError'],
    [[{ next: () => false }, { onErrors: () => {} }], 'The options of validate is an object'],
  ])('%j: %s', (given, message) => {
    const call = validate as unknown as (...given: unknown[]) => void;
    expect(() => call(...given)).toThrow(
      expect.objectContaining({ code: 'option-invalid', message: expect.stringContaining(message) }),
    );
  });
});
