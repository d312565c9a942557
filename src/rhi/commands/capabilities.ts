/**
 * Features are required before they are used (SYSTEMS H10). Each optional feature has a version: 0 means absent, 1 is
 * the first. WebGPU writes some versions into the feature's name, as tiers; a tier contains the tiers before it. All
 * other WebGPU features have version 1. A backend lists version 2 of such a feature as `name@2`. Limits are required by
 * value: a minimum, or a maximum for alignments (`min…`).
 *
 *   features: ['timestamp-query', 'texture-formats-tier2', 'replay@2']
 *   timestamp-query ► 1    texture-formats ► 2    replay ► 2    subgroups ► 0
 */
import { PlatformError } from '../../core/errors.js';
import { checkOption } from '../../core/options/check-options.js';
import { isObject } from '../../core/options/shown-value.js';
import type { RhiCapabilities } from './descriptors.js';

/** Lowest version required of each feature, by name. */
export type RequiredCapabilities = Readonly<Record<string, number>>;

/**
 * The optional features that the engine and `fencepost/rhi` use, with the lowest usable version of each. `openDevice`
 * requests them if the adapter has them. Code asks `hasFeature` before it uses a feature. `hasFeature` accepts only
 * these names, so a feature that was never requested is never used.
 */
export const OPTIONAL_FEATURES = {
  'timestamp-query': 1,
  'indirect-first-instance': 1,
  'texture-compression-bc': 1,
  'texture-compression-etc2': 1,
  'texture-compression-astc': 1,
  'float32-filterable': 1,
  'rg11b10ufloat-renderable': 1,
  'bgra8unorm-storage': 1,
  'depth-clip-control': 1,
} as const satisfies RequiredCapabilities;

export type OptionalFeature = keyof typeof OPTIONAL_FEATURES;

/** Returns whether a device has an optional feature in a version that may be used. */
export const hasFeature = (device: Pick<RhiCapabilities, 'features'>, name: OptionalFeature): boolean =>
  versionIn(device.features, name) >= OPTIONAL_FEATURES[name];

/** Returns the optional features that may be used on a device, by name. */
export const usableFeatures = (device: Pick<RhiCapabilities, 'features'>): OptionalFeature[] =>
  (Object.keys(OPTIONAL_FEATURES) as OptionalFeature[]).filter((name) => hasFeature(device, name));

/** Returns the name of a feature without its version. @param listed the feature as its backend lists it */
export const featureName = (listed: string): string => listed.replace(VERSION, '');

const VERSION = /(?<=.)(?:@|-tier)(\d*)$/;

/** Required value of each limit, by its name in WebGPU. */
type RequiredLimits = Readonly<Record<string, number>>;

/** Returns a feature's version, from 1 on; 0 if it is absent. @throws OptionError `option-invalid` */
export function capabilityVersion(capabilities: Pick<RhiCapabilities, 'features'>, name: string): number {
  checkCapabilities('capabilityVersion', capabilities);
  return versionIn(capabilities.features, name);
}

function versionIn(features: readonly string[], name: string): number {
  let version = 0;
  for (const feature of features) {
    if (feature === name) version = Math.max(version, feature.includes('@') ? 0 : 1);
    else if (featureName(feature) === name)
      version = Math.max(version, Number(VERSION.exec(feature)?.[1]) || 0);
  }
  return version;
}

/**
 * Checks that the capabilities include all required features and limits.
 * @throws PlatformError `capability-missing`, naming everything that is absent or too old; OptionError `option-invalid`
 *
 * @example
 * requireCapabilities(capabilities, { 'timestamp-query': 1 }, { maxTextureDimension2D: 16384 });
 */
export function requireCapabilities(
  capabilities: RhiCapabilities,
  required: RequiredCapabilities,
  limits: RequiredLimits = {},
): void {
  checkCapabilities('requireCapabilities', capabilities);
  const wanted = 'an object with the lowest version of each feature, { "timestamp-query": 1 }';
  checkOption('The second argument of requireCapabilities', required, isObject(required), wanted);
  const missing: string[] = [];
  for (const [name, version] of Object.entries(required)) {
    const isVersion = Number.isInteger(version) && version >= 1;
    checkOption(`The version required of "${name}"`, version, isVersion, 'a whole number from 1 on');
    const present = capabilityVersion(capabilities, name);
    if (present >= version) continue;
    missing.push(present === 0 ? name : `${name} (version ${version}; the device has version ${present})`);
  }
  for (const [name, wanted] of Object.entries(limits)) {
    const value = capabilities.limits[name];
    if (value === undefined) missing.push(`${name} (no such limit)`);
    else if (name.startsWith('min') ? value > wanted : value < wanted)
      missing.push(`${name} ${wanted} (the device has ${value})`);
  }
  if (missing.length === 0) return;
  throw new PlatformError(
    'capability-missing',
    `The ${capabilities.backend} backend on "${capabilities.adapter}" lacks ${missing.join(', ')}. Do without them, or choose another device.`,
  );
}

function checkCapabilities(call: string, capabilities: Pick<RhiCapabilities, 'features'>): void {
  const isRight = isObject(capabilities) && Array.isArray(capabilities.features);
  checkOption(
    `The first argument of ${call}`,
    capabilities,
    isRight,
    'the capabilities of an RHI or a device',
  );
}
