import { describe, expect, it } from 'vitest';
import { nullCapabilities } from '../null/executor.js';
import { type OpenDeviceOptions, openRequiredDevice } from '../webgpu/device/open-device.js';
import {
  capabilityVersion,
  hasFeature,
  OPTIONAL_FEATURES,
  type OptionalFeature,
  requireCapabilities,
  usableFeatures,
} from './capabilities.js';
import type { RhiCapabilities } from './descriptors.js';

const capabilities: RhiCapabilities = {
  backend: 'webgpu',
  adapter: 'acme GPU 1',
  surfaceFormat: 'rgba8unorm',
  features: [
    'timestamp-query',
    'subgroups@3',
    'subgroups@2',
    'texture-formats-tier1',
    'texture-formats-tier2',
    'odd@',
    '@5',
  ],
  limits: { maxBindGroups: 4, minUniformBufferOffsetAlignment: 256 },
};

describe('H10 capabilityVersion', () => {
  it.each([
    ['timestamp-query', 1],
    ['subgroups', 3],
    ['shader-f16', 0],
    ['texture-formats', 2],
    ['texture-formats-tier1', 1],
    ['timestamp', 0],
    ['odd', 0],
    ['', 0],
  ])('%s: %i', (name, version) => {
    expect(capabilityVersion(capabilities, name)).toBe(version);
  });
});

describe('H10 the engine’s own optional features', () => {
  const names = Object.keys(OPTIONAL_FEATURES) as OptionalFeature[];

  it('are usable from the listed version on, but not if they are absent or too old', () => {
    for (const name of names) {
      const version = OPTIONAL_FEATURES[name];
      expect(hasFeature({ features: [] }, name), name).toBe(false);
      expect(hasFeature({ features: [`${name}@${version - 1}`] }, name), name).toBe(false);
      expect(hasFeature({ features: [`${name}@${version}`] }, name), name).toBe(true);
      expect(hasFeature({ features: [`${name}@${version + 1}`] }, name), name).toBe(true);
    }
  });

  it('are listed if the device has them; features that the engine does not use are left out', () => {
    const features = ['shader-f16', 'depth-clip-control', 'timestamp-query@0', 'texture-compression-bc'];
    expect(usableFeatures({ features })).toEqual(['texture-compression-bc', 'depth-clip-control']);
  });
});

describe('H10 requireCapabilities', () => {
  it('accepts features of the required version or a later one', () => {
    requireCapabilities(capabilities, {});
    requireCapabilities(capabilities, { 'timestamp-query': 1, subgroups: 2 });
  });

  it('names all features that are absent or too old, the backend and the adapter', () => {
    const require = () =>
      requireCapabilities(capabilities, { 'shader-f16': 1, subgroups: 4, 'timestamp-query': 1 });
    expect(require).toThrow(
      expect.objectContaining({
        name: 'PlatformError',
        code: 'capability-missing',
        message:
          'The webgpu backend on "acme GPU 1" lacks shader-f16, subgroups (version 4; the device has version 3). Do without them, or choose another device.',
      }),
    );
  });

  it('names limits that are too small, alignments that are too large, and unknown limits', () => {
    requireCapabilities(capabilities, {}, { maxBindGroups: 4, minUniformBufferOffsetAlignment: 256 });
    const limits = { maxBindGroups: 5, minUniformBufferOffsetAlignment: 64, maxTypo: 1 };
    expect(() => requireCapabilities(capabilities, {}, limits)).toThrow(
      'lacks maxBindGroups 5 (the device has 4), minUniformBufferOffsetAlignment 64 (the device has 256), maxTypo (no such limit).',
    );
  });

  it('checks the null backend in the same way', () => {
    expect(() => requireCapabilities(nullCapabilities(), { 'timestamp-query': 1 })).toThrow(
      expect.objectContaining({ code: 'capability-missing' }),
    );
  });
});

describe('H10 openDevice', () => {
  function open(
    required: Record<string, number>,
    has: readonly string[],
    optionsFor: (required: Record<string, number>) => OpenDeviceOptions = (requiredCapabilities) => ({
      requiredCapabilities,
    }),
  ) {
    const asked: string[] = [];
    let isDestroyed = false;
    const adapter = {
      features: new Set(has),
      limits: {},
      info: { vendor: 'acme' },
      requestDevice: async ({ requiredFeatures = [] }: GPUDeviceDescriptor) => {
        asked.push(...requiredFeatures);
        return {
          features: new Set(requiredFeatures),
          limits: {},
          queue: { onSubmittedWorkDone: async () => {} },
          destroy: () => {
            isDestroyed = true;
          },
        };
      },
    };
    const gpu = { requestAdapter: async () => adapter } as unknown as GPU;
    return { result: openRequiredDevice(gpu, optionsFor(required)), asked, isDestroyed: () => isDestroyed };
  }

  it('requests required features in addition to the default ones', async () => {
    const { result, asked } = open({ 'shader-f16': 1 }, ['shader-f16', 'timestamp-query', 'subgroups']);
    expect((await result).capabilities.features).toEqual(['shader-f16', 'timestamp-query']);
    expect(asked).toEqual(['shader-f16', 'timestamp-query']);
  });

  it('checks the features in the option `required`, an older name of `requiredCapabilities`', async () => {
    const missing = { code: 'capability-missing', message: expect.stringContaining('lacks shader-f64.') };
    const { result } = open({ 'shader-f64': 1 }, [], (required) => ({ required }));
    await expect(result).rejects.toMatchObject(missing);
    const both = open({ 'shader-f64': 1 }, ['shader-f16'], (required) => ({
      required,
      requiredCapabilities: { 'shader-f16': 1 },
    }));
    await expect(both.result).rejects.toMatchObject(missing);
    expect(both.asked).toEqual(['shader-f16']);
  });

  it('rejects, and destroys the device, if a required feature is absent', async () => {
    const { result, isDestroyed } = open({ 'shader-f16': 1, 'shader-f64': 1 }, ['shader-f16']);
    await expect(result).rejects.toMatchObject({
      code: 'capability-missing',
      message: expect.stringContaining('lacks shader-f64.'),
    });
    expect(isDestroyed()).toBe(true);
  });
});
