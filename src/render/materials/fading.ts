import fadingCode from '../../../shaders/fading.wgsl?raw';
import meshFadingCode from '../../../shaders/mesh-fading.wgsl?raw';
import surfacesFadingCode from '../../../shaders/surfaces-fading.wgsl?raw';
import { FADE_SHIFT, GpuPrimitiveFlag } from '../buffers/gpu-layouts.js';

/** WGSL of `isFadedOut`: which pixels are left out of a primitive while two levels of detail fade into each other. */
export const FADING_CODE = `const FADE_SHIFT = ${FADE_SHIFT}u;\nconst PRIMITIVE_IS_COARSER = ${GpuPrimitiveFlag.isCoarser}u;\n${fadingCode}`;

/** Joined to the mesh shader for keys with `KeyBit.fading`. @param isDeferred surfaces are written down */
export const meshFadingParts = (isDeferred: boolean): string =>
  `${FADING_CODE}${meshFadingCode}${isDeferred ? surfacesFadingCode : ''}`;
