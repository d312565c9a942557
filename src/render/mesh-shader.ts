import brdf from '../../shaders/brdf.wgsl?raw';
import mesh from '../../shaders/mesh.wgsl?raw';
import { LightKind } from '../proxy/commands.js';
import { GpuLight, GpuMaterial, GpuPrimitive, GpuView, PRIMITIVE_IS_MIRRORED } from './gpu-layouts.js';

const NO_TEXTURES = 'fn readTextures(input: Varying, appearance: ptr<function, Appearance>) {}';

/**
 * The forward shader: structures and constants generated from TypeScript, then the WGSL files.
 *
 * @param readTextures mesh-textures.wgsl; without it, materials have no textures
 */
export function meshShaderCode(readTextures = NO_TEXTURES): string {
  return [
    GpuView.wgsl,
    GpuPrimitive.wgsl,
    GpuMaterial.wgsl,
    GpuLight.wgsl,
    `const PRIMITIVE_IS_MIRRORED = ${PRIMITIVE_IS_MIRRORED}u;\n`,
    `const LIGHT_DIRECTIONAL = ${LightKind.directional}u;\n`,
    brdf,
    mesh,
    readTextures,
  ].join('');
}
