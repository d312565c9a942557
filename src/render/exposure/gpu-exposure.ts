import { defineGpuStruct } from '../buffers/gpu-struct.js';

/** Number of bins of the histogram. It is also the number of threads in a workgroup of each entry point. */
export const BIN_COUNT = 256;

/** Exposure of the last frame that measured it. Frames that measure nothing keep it. */
export const GpuMeasuredExposure = /* @__PURE__ */ defineGpuStruct('MeasuredExposure', {
  /** Factor on light. */
  factor: 'f32',
  /** log2 of the factor. */
  stops: 'f32',
});

/** Settings by which the exposure follows the picture in this frame. */
export const GpuAdaptation = /* @__PURE__ */ defineGpuStruct('Adaptation', {
  /** Least exposure, as log2 of the factor. */
  minimum: 'f32',
  /** Greatest exposure, as log2 of the factor. */
  maximum: 'f32',
  /** Share of the distance to the wanted exposure that this frame covers if the exposure increases. */
  upShare: 'f32',
  /** The same share if the exposure decreases. */
  downShare: 'f32',
  /** 1 if the wanted exposure applies at once, else 0. */
  isNew: 'u32',
});
