import coverCode from '../../../shaders/cover-target.wgsl?raw';
import code from '../../../shaders/outline.wgsl?raw';
import { defineGpuStruct } from '../buffers/gpu-struct.js';
import type { ScreenShader } from '../pipelines/screen-pipelines.js';

export const GpuOutline = /* @__PURE__ */ defineGpuStruct('Outline', {
  /** Colour of the line in the encoding of the target: linear, or sRGB without `hdr`. */
  color: 'vec3f',
  /** Width of the line, in pixels of the scene. */
  width: 'f32',
  /** Share with which the line covers the picture. */
  opacity: 'f32',
});

export const OUTLINE_SHADER: ScreenShader = {
  label: 'outline',
  code: `${GpuOutline.wgsl}${coverCode}${code}`,
};
