import brdf from '../../../shaders/brdf.wgsl?raw';
import mesh from '../../../shaders/mesh.wgsl?raw';
import { LightKind } from '../../proxy/commands.js';
import { GpuLight, GpuMaterial, GpuPrimitive, GpuPrimitiveFlag, GpuView } from '../buffers/gpu-layouts.js';
import { staticVertices } from '../geometry/vertex-policy.js';
import { featureCode } from './feature-code.js';

const NO_ENVIRONMENT = `
fn environmentLight(
  normal: vec3f, toViewer: vec3f, baseColor: vec3f, metallic: f32, roughness: f32, occlusion: f32
) -> vec3f {
  return vec3f(0.0);
}
fn environmentRadiance(normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f {
  return vec3f(0.0);
}
fn fibreRadiance(normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f {
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
const NO_DISPLAY = 'fn displayColor(color: vec4f) -> vec4f { return color; }';
const NO_MOVES =
  'const IS_MOVED = false; fn movedVertex(vertex: Vertex, slot: u32) -> Vertex { return vertex; }';

/** WGSL of optional features. The shader omits a feature without an entry. */
export interface MeshShaderSources {
  /** WGSL of the material policy: `applyMaterial`, and the parts of the reflection that its features change. */
  readonly material?: string | undefined;
  /** Whether the material moves vertices: `material` then contains `movedVertex` too. */
  readonly movesVertices?: boolean;
  /** environment.wgsl: light of the environment. */
  readonly environment?: string | undefined;
  /** shadows.wgsl: objects cast shadows. */
  readonly shadows?: string | undefined;
  /** light-clusters.wgsl: pixels loop over the lights of their cluster instead of all lights. */
  readonly clusters?: string | undefined;
  /** WGSL of the vertex policy. */
  readonly vertices?: string;
  /** `displayColor`: scene colour holds colours for display. */
  readonly display?: string;
  /** surfaces.wgsl and its dependencies: surfaces are written to targets, to be lit later. */
  readonly surfaces?: string | undefined;
}

/** Returns the shader of meshes: structures and constants generated from TypeScript, then the WGSL files. */
export function meshShaderCode(sources: MeshShaderSources = {}): string {
  return [
    GpuView.wgsl,
    GpuPrimitive.wgsl,
    GpuMaterial.wgsl,
    GpuLight.wgsl,
    `const PRIMITIVE_IS_MIRRORED = ${GpuPrimitiveFlag.isMirrored}u;
const PRIMITIVE_RECEIVES_NO_SHADOW = ${GpuPrimitiveFlag.receivesNoShadow}u;
const PRIMITIVE_COLORED = ${GpuPrimitiveFlag.colored}u;
const LIGHT_DIRECTIONAL = ${LightKind.directional}u;
const HAS_ENVIRONMENT = ${sources.environment !== undefined};
const BLENDS_ENCODED = ${!!sources.display};
`,
    brdf,
    mesh,
    sources.material ?? featureCode(0, 0),
    sources.movesVertices ? '' : NO_MOVES,
    sources.environment ?? NO_ENVIRONMENT,
    sources.shadows ?? NO_SHADOWS,
    sources.clusters ?? NO_CLUSTERS,
    sources.vertices ?? staticVertices.code,
    sources.display || NO_DISPLAY,
    sources.surfaces ?? '',
  ].join('');
}
