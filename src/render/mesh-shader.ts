import brdf from '../../shaders/brdf.wgsl?raw';
import mesh from '../../shaders/mesh.wgsl?raw';
import { LightKind } from '../proxy/commands.js';
import { GpuLight, GpuMaterial, GpuPrimitive, GpuPrimitiveFlag, GpuView } from './gpu-layouts.js';

const NO_ENVIRONMENT = `
fn environmentLight(
  normal: vec3f, toViewer: vec3f, baseColor: vec3f, metallic: f32, roughness: f32, occlusion: f32
) -> vec3f {
  return vec3f(0.0);
}
`;
const NO_SHADOWS = `
fn shadowedLight(surface: Surface, place: ShadedPlace) -> vec3f {
  return vec3f(0.0);
}
`;
const NO_CLUSTERS = `
fn clusteredLight(surface: Surface, position: vec3f, pixel: vec2f) -> vec3f {
  return vec3f(0.0);
}
`;
const NO_TEXTURES = 'fn readTextures(input: Varying, appearance: ptr<function, Appearance>) {}';

/**
 * The shader of meshes: structures and constants generated from TypeScript, then the WGSL files.
 *
 * @param readTextures mesh-textures.wgsl; without it, materials have no textures
 * @param environmentLight environment.wgsl; without it, no light comes from all around
 * @param shadows shadows.wgsl; without it, nothing keeps light from anything
 * @param clusters light-clusters.wgsl; without it, every pixel goes through all lights
 * @param more mesh-deformed.wgsl and what it needs, for vertices that joints or morph targets move; surfaces.wgsl
 */
export function meshShaderCode(
  readTextures = NO_TEXTURES,
  environmentLight?: string,
  shadows = NO_SHADOWS,
  clusters = NO_CLUSTERS,
  more = '',
): string {
  return [
    GpuView.wgsl,
    GpuPrimitive.wgsl,
    GpuMaterial.wgsl,
    GpuLight.wgsl,
    `const PRIMITIVE_IS_MIRRORED = ${GpuPrimitiveFlag.isMirrored}u;\n`,
    `const PRIMITIVE_RECEIVES_NO_SHADOW = ${GpuPrimitiveFlag.receivesNoShadow}u;\n`,
    `const LIGHT_DIRECTIONAL = ${LightKind.directional}u;\n`,
    `const HAS_ENVIRONMENT = ${environmentLight !== undefined};\n`,
    brdf,
    mesh,
    readTextures,
    environmentLight ?? NO_ENVIRONMENT,
    shadows,
    clusters,
    more,
  ].join('');
}
