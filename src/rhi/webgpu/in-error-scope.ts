/** Calls the device with an error scope around it. What the GPU finds wrong is told a little later. */
export function inErrorScope<T>(
  device: GPUDevice,
  filter: GPUErrorFilter,
  call: () => T,
  onError: (error: GPUError) => void,
): T {
  device.pushErrorScope(filter);
  try {
    return call();
  } finally {
    device.popErrorScope().then(
      (error) => {
        if (error !== null) onError(error);
      },
      // It rejects only when the device is lost, and that is reported by itself.
      () => {},
    );
  }
}
