import fadingCode from '../../../shaders/fading.wgsl?raw';
import meshFadingCode from '../../../shaders/mesh-fading.wgsl?raw';
import surfacesFadingCode from '../../../shaders/surfaces-fading.wgsl?raw';
import { FADE_SHIFT, GpuPrimitiveFlag } from '../buffers/gpu-layouts.js';

/**
 * WGSL of `isFadedOut`, which returns whether a pixel is omitted while two levels of detail fade into each
 * other.
 */
export const FADING_CODE = `const FADE_SHIFT = ${FADE_SHIFT}u;\nconst PRIMITIVE_IS_COARSER = ${GpuPrimitiveFlag.isCoarser}u;\n${fadingCode}`;

/** WGSL of `isFadedOut` for primitives that do not fade. */
export const NO_FADING_CODE = 'fn isFadedOut(flags: u32, pixel: vec2f) -> bool { return false; }';

/**
 * Returns the part of the mesh shader for keys with `KeyBit.fading`.
 * @param isDeferred whether the shader writes surfaces for the deferred renderer
 */
export const meshFadingParts = (isDeferred: boolean): string =>
  `${FADING_CODE}${meshFadingCode}${isDeferred ? surfacesFadingCode : ''}`;
