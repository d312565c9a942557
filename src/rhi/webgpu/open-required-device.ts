/** Opens a device that must be able to do certain things, or none (SYSTEMS H10). */
import { type RequiredCapabilities, requireCapabilities } from '../capabilities.js';
import { type OpenDevice, openDevice } from './open-device.js';

export interface OpenDeviceOptions {
  /** Lowest version needed, by feature. What the adapter has of these is asked for. */
  readonly required?: RequiredCapabilities;
}

/**
 * @param gpu `navigator.gpu`, of a page, a worker or Node
 * @throws PlatformError `webgpu-missing`, `adapter-missing`, `device-missing`; `capability-missing`, naming all that
 * is required and absent
 *
 * @example
 * const { device, capabilities } = await openDevice(navigator.gpu, { required: { 'timestamp-query': 1 } });
 */
export async function openRequiredDevice(
  gpu: GPU | undefined,
  { required = {} }: OpenDeviceOptions = {},
): Promise<OpenDevice> {
  const opened = await openDevice(gpu, Object.keys(required));
  try {
    requireCapabilities(opened.capabilities, required);
  } catch (error) {
    opened.device.destroy();
    throw error;
  }
  return opened;
}
