/**
 * Calls the device within an error scope. WebGPU reports the scope's error a little later.
 * @param onError receives the error, and the call's result: undefined if the call threw, which is reported separately
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
      // It rejects only if the device is lost, which is reported separately.
      () => {},
    );
  }
}
