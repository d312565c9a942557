import { expect, it } from 'vitest';
import type { ResolvedOptions } from '../../engine/options/engine-options.js';
import type { RhiCapabilities } from '../../rhi/commands/descriptors.js';
import { checkRequired } from './connection.js';

const options = {
  required: { features: { 'texture-compression-bc': 1 }, limits: {} },
} as unknown as ResolvedOptions;

const having = (...features: string[]): RhiCapabilities =>
  ({ features, limits: { maxTextureDimension2D: 4096 } }) as unknown as RhiCapabilities;

it('accepts threads whose device has the required features', () => {
  const capabilities = having('texture-compression-bc');
  expect(checkRequired(capabilities, options)).toBe(capabilities);
  expect(checkRequired(having(), { required: null } as ResolvedOptions)).toBeDefined();
});

it('rejects threads whose device lacks a required feature, with an error that names it', () => {
  expect(() => checkRequired(having(), options)).toThrow(
    expect.objectContaining({
      name: 'PlatformError',
      message: expect.stringContaining('texture-compression-bc'),
    }),
  );
});
