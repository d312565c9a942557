/**
 * Records every GPUDevice that an engine opens on the page's main thread. So one harness can wait for any engine's
 * queue, and fail on any engine's GPU errors. Call `watchDevices` before the engine starts.
 */
export interface DeviceWatch {
  /** The device that this thread opened last. */
  device: GPUDevice | undefined;
  readonly errors: string[];
}

export function watchDevices(): DeviceWatch {
  const watch: DeviceWatch = { device: undefined, errors: [] };
  if (!('GPUAdapter' in globalThis)) return watch;
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (descriptor) {
    const device = await request.call(this, descriptor);
    device.addEventListener('uncapturederror', (event) => watch.errors.push(event.error.message));
    void device.lost.then((info) => {
      if (info.reason !== 'destroyed') watch.errors.push(`Device lost: ${info.message}`);
    });
    watch.device = device;
    return device;
  };
  return watch;
}
