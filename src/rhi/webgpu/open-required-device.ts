/** Opens a device that must be able to do certain things, or none (SYSTEMS H10). */
import { checkOption, checkOptionNames, isObject } from '../../core/option-names.js';
import { type RequiredCapabilities, requireCapabilities } from '../commands/capabilities.js';
import { checkVersions } from '../record/class-arguments.js';
import { type OpenDevice, openDevice } from './open-device.js';

export interface OpenDeviceOptions {
  /** Lowest version needed, by feature, as in `createRhi`. What the adapter has of these is asked for. */
  readonly requiredCapabilities?: RequiredCapabilities;
  /** @deprecated The name that `requiredCapabilities` had first. */
  readonly required?: RequiredCapabilities;
}

/**
 * @param gpu `navigator.gpu`, of a page, a worker or Node
 * @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing`; `capability-missing`, naming all that
 * is required and absent; OptionError `option-invalid`, `option-unknown`
 *
 * @example
 * const requiredCapabilities = { 'timestamp-query': 1 };
 * const { device, capabilities } = await openDevice(navigator.gpu, { requiredCapabilities });
 */
export async function openRequiredDevice(
  gpu: GPU | undefined,
  options: OpenDeviceOptions = {},
): Promise<OpenDevice> {
  const isGpu = !gpu || (isObject(gpu) && typeof gpu.requestAdapter === 'function');
  checkOption('The GPU of openDevice', gpu, isGpu, 'navigator.gpu');
  checkOptionNames('openDevice', options, 'requiredCapabilities, required');
  const { requiredCapabilities = {}, required: formerly = {} } = options;
  checkVersions('The option "requiredCapabilities" of openDevice', requiredCapabilities);
  checkVersions('The option "required" of openDevice', formerly);
  const required = { ...formerly, ...requiredCapabilities };
  const opened = await openDevice(gpu, Object.keys(required));
  try {
    requireCapabilities(opened.capabilities, required);
  } catch (error) {
    opened.device.destroy();
    throw error;
  }
  return opened;
}
