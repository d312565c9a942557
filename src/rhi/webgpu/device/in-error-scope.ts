/**
 * Calls the device with an error scope around it. What the GPU finds wrong is told a little later.
 * @param onError is given what the call returned; undefined: it threw, and that is reported by itself
 */
export function inErrorScope<T>(
  device: GPUDevice,
  filter: GPUErrorFilter,
  call: () => T,
  onError: (error: GPUError, result: T | undefined) => void,
): T {
  let result: T | undefined;
  device.pushErrorScope(filter);
  try {
    result = call();
    return result;
  } finally {
    device.popErrorScope().then(
      (error) => {
        if (error !== null) onError(error, result);
      },
      // It rejects only when the device is lost, and that is reported by itself.
      () => {},
    );
  }
}
