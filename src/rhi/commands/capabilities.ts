/**
 * Asking before using (SYSTEMS H10). Each optional feature has a version: 0 is absent, 1 the first. WebGPU's own
 * features have no versions, so what it lists has version 1; a backend that has more writes `name@2`.
 *
 *   features: ['timestamp-query', 'replay@2']    timestamp-query ► 1    replay ► 2    subgroups ► 0
 */
import { PlatformError } from '../../core/errors.js';
import { checkOption, isObject } from '../../core/option-names.js';
import type { RhiCapabilities } from './descriptors.js';

/** Lowest version needed, by feature. */
export type RequiredCapabilities = Readonly<Record<string, number>>;

/**
 * @returns 0 where the feature is absent, else its version, from 1 on
 * @throws OptionError `option-invalid`
 */
export function capabilityVersion(capabilities: Pick<RhiCapabilities, 'features'>, name: string): number {
  checkCapabilities('capabilityVersion', capabilities);
  let version = 0;
  for (const feature of capabilities.features) {
    const at = feature.lastIndexOf('@');
    const isVersioned = at > 0;
    if ((isVersioned ? feature.slice(0, at) : feature) !== name) continue;
    version = Math.max(version, isVersioned ? Number(feature.slice(at + 1)) || 0 : 1);
  }
  return version;
}

/**
 * @throws PlatformError `capability-missing`, naming all that is absent or too old; OptionError `option-invalid`
 *
 * @example
 * requireCapabilities(capabilities, { 'timestamp-query': 1 });
 */
export function requireCapabilities(capabilities: RhiCapabilities, required: RequiredCapabilities): void {
  checkCapabilities('requireCapabilities', capabilities);
  const wanted = 'an object with the lowest version of each feature, { "timestamp-query": 1 }';
  checkOption('What requireCapabilities requires', required, isObject(required), wanted);
  const missing: string[] = [];
  for (const [name, version] of Object.entries(required)) {
    const isVersion = Number.isInteger(version) && version >= 1;
    checkOption(`The version required of "${name}"`, version, isVersion, 'a whole number from 1 on');
    const present = capabilityVersion(capabilities, name);
    if (present >= version) continue;
    missing.push(present === 0 ? name : `${name} (version ${version}; there is ${present})`);
  }
  if (missing.length === 0) return;
  throw new PlatformError(
    'capability-missing',
    `The ${capabilities.backend} backend on "${capabilities.adapter}" lacks ${missing.join(', ')}. Do without, or choose another device.`,
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
