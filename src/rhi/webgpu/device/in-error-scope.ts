/**
 * Calls `call` within an error scope of the device, and returns its result. WebGPU reports the scope's error a little
 * later.
 * @param onError receives the error and the result of `call`. The result is undefined if `call` threw
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
      // The promise rejects only if the device is lost, which is reported elsewhere.
      () => {},
    );
  }
}
