import { describe, expect, it } from 'vitest';
import { createFakeDevice } from '../fake-device.test-support.js';
import { type Surface, Viewport } from './viewport.js';

/** Creates a canvas that logs changes of its size and calls of its context. */
function createFakeSurface() {
  const log: string[] = [];
  let textures = 0;
  const context = {
    configure: ({ format, viewFormats }: GPUCanvasConfiguration) =>
      log.push(`configure ${format} ${[...(viewFormats ?? [])]}`),
    unconfigure: () => log.push('unconfigure'),
    getCurrentTexture: () => {
      log.push('getCurrentTexture');
      return { label: `texture ${++textures}` };
    },
  };
  let size = [300, 150];
  const surface = {
    get width() {
      return size[0];
    },
    set width(value) {
      log.push(`width ${value}`);
      size = [value, size[1]];
    },
    get height() {
      return size[1];
    },
    set height(value) {
      log.push(`height ${value}`);
      size = [size[0], value];
    },
    getContext: () => context,
  };
  return { surface: surface as unknown as Surface, log };
}

describe('viewport', () => {
  it('acquires one texture per frame, at its first use, and sets the canvas’s size only if it differs', () => {
    const { surface, log } = createFakeSurface();
    const viewport = new Viewport(createFakeDevice().device, surface, 'bgra8unorm');
    const resource = viewport.begin(2, 64, 150);
    expect([log, viewport.isAcquired, resource.gpu]).toEqual([[], false, null]);
    viewport.acquire();
    viewport.acquire();
    expect(log).toEqual(['width 64', 'configure bgra8unorm bgra8unorm-srgb', 'getCurrentTexture']);
    expect(resource.gpu?.label).toBe('texture 1');
    viewport.release();
    expect([viewport.isAcquired, resource.gpu]).toEqual([false, null]);
    log.length = 0;
    expect(viewport.begin(2, 64, 150)).toBe(resource);
    viewport.acquire();
    expect(log).toEqual(['getCurrentTexture']);
    expect(resource.gpu?.label).toBe('texture 2');
  });

  it('draws into a texture of its own without a surface, and creates the texture again when the size changes', () => {
    const fake = createFakeDevice();
    const viewport = new Viewport(fake.device, null, 'rgba8unorm');
    for (const width of [8, 8, 16]) {
      viewport.begin(2, width, 8);
      viewport.acquire();
      viewport.release();
    }
    expect(fake.take()).toEqual(['createTexture viewport', 'destroy viewport', 'createTexture viewport']);
  });

  it('refuses sizes beyond the device’s limits', () => {
    const viewport = new Viewport(createFakeDevice().device, null, 'rgba8unorm');
    for (const [width, height] of [
      [0, 8],
      [8, 8193],
    ]) {
      expect(() => viewport.begin(2, width, height)).toThrow(
        expect.objectContaining({ code: 'limit-exceeded' }),
      );
    }
  });

  it('reports why a canvas provides no texture', () => {
    const surface = { width: 8, height: 8, getContext: () => null } as unknown as Surface;
    const viewport = new Viewport(createFakeDevice().device, surface, 'rgba8unorm');
    viewport.begin(2, 8, 8);
    expect(() => viewport.acquire()).toThrow(/context of another kind/);
    expect(viewport.isAcquired).toBe(false);
  });
});
