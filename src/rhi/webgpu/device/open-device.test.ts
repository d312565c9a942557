import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDevice } from './open-device.js';

const adapter = (requestDevice: (descriptor: GPUDeviceDescriptor) => Promise<unknown>) => ({
  features: new Set(['timestamp-query', 'shader-f16']),
  limits: { maxBufferSize: 1000, maxStorageBufferBindingSize: 500, maxTextureDimension2D: 16384 },
  info: { vendor: 'acme', architecture: '', description: 'GPU 1' },
  requestDevice,
});

/** A queue that reports finished work at once. */
const queue = { onSubmittedWorkDone: async () => {} };

const gpu = (found: unknown) => ({ requestAdapter: async () => found }) as unknown as GPU;

describe('H10 openDevice', () => {
  it('requests the adapter’s limits, and each default feature that the adapter has', async () => {
    let asked: GPUDeviceDescriptor = {};
    const { capabilities } = await openDevice(
      gpu(
        adapter(async (descriptor) => {
          asked = descriptor;
          return { features: new Set(['timestamp-query']), limits: { maxBufferSize: 1000 }, queue };
        }),
      ),
    );
    expect(asked.requiredFeatures).toEqual(['timestamp-query']);
    expect(asked.requiredLimits).toMatchObject({ maxBufferSize: 1000, maxStorageBufferBindingSize: 500 });
    expect(capabilities).toEqual({
      backend: 'webgpu',
      adapter: 'acme GPU 1',
      surfaceFormat: 'rgba8unorm',
      features: ['timestamp-query'],
      limits: { maxBufferSize: 1000 },
    });
  });

  it.each([
    ['webgpu-missing', undefined],
    ['adapter-missing', gpu(null)],
    ['device-missing', gpu(adapter(() => Promise.reject(new Error('too many devices'))))],
  ])('rejects with %s', async (code, from) => {
    await expect(openDevice(from)).rejects.toMatchObject({ name: 'PlatformError', code });
  });

  describe('without an answer', () => {
    afterEach(() => void vi.useRealTimers());

    it('gives up waiting for an adapter after 20 s', async () => {
      vi.useFakeTimers();
      const opening = openDevice({ requestAdapter: () => new Promise(() => {}) } as unknown as GPU);
      vi.advanceTimersByTime(20_000);
      await expect(opening).rejects.toMatchObject({ name: 'PlatformError', code: 'adapter-missing' });
      expect(vi.getTimerCount()).toBe(0);
    });

    it('gives up waiting for a device after 20 s, and destroys a device that arrives later', async () => {
      vi.useFakeTimers();
      let give: (device: unknown) => void = () => {};
      const device = new Promise<unknown>((resolve) => {
        give = resolve;
      });
      const stuck = adapter(() => {
        queueMicrotask(() => vi.advanceTimersByTime(20_000));
        return device;
      });
      const opening = openDevice(gpu(stuck));
      await expect(opening).rejects.toMatchObject({ name: 'PlatformError', code: 'device-missing' });
      await expect(opening).rejects.toThrow('returned no device: No answer for 20 s. Close');
      expect(vi.getTimerCount()).toBe(0);
      await new Promise<void>((destroy) => give({ destroy }));
    });
  });
});
