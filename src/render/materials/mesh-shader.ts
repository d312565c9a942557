import brdf from '../../../shaders/brdf.wgsl?raw';
import mesh from '../../../shaders/mesh.wgsl?raw';
import { LightKind } from '../../proxy/commands.js';
import { GpuLight, GpuMaterial, GpuPrimitive, GpuPrimitiveFlag, GpuView } from '../buffers/gpu-layouts.js';
import { staticVertices } from '../geometry/vertex-policy.js';
import { featureCode } from './feature-code.js';
import { withVaryings } from './varyings.js';

const NO_VARYINGS = 'fn passVaryings(out: ptr<function, Varying>) {}\n';
const NO_ENVIRONMENT = `
fn environmentLight(
  normal: vec3f, toViewer: vec3f, baseColor: vec3f, metallic: f32, roughness: f32, occlusion: f32
) -> vec3f {
  if !HAS_INTERIOR {
    return vec3f(0.0);
  }
  let below = interiorEnvironment(vec3f(0.0), normal, toViewer, baseColor, clamp(roughness, 0.0, 1.0));
  return below * leavingShare(dot(normal, toViewer)) * (1.0 - metallic) * occlusion;
}
fn diffuseLight(normal: vec3f) -> vec3f {
  return vec3f(0.0);
}
fn radianceFrom(direction: vec3f, roughness: f32) -> vec3f {
  return vec3f(0.0);
}
fn environmentRadiance(normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f {
  return vec3f(0.0);
}
fn fibreRadiance(normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f {
  return vec3f(0.0);
}
`;
const NO_AMBIENT_OCCLUSION = `
const ambientVisibility = 1.0;
fn findAmbientVisibility(place: ShadedPlace) {
}
fn visibleAmbient(albedo: vec3f) -> vec3f {
  return vec3f(1.0);
}
fn visibleReflection(nDotV: f32, roughness: f32) -> f32 {
  return 1.0;
}
`;
const ENVIRONMENT_BEHIND = `
fn lightBehind(position: vec3f, direction: vec3f, blur: f32) -> vec4f {
  return foggedFrom(vec4f(radianceFrom(direction, blur), 1.0), position, direction);
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
const NO_DISPLAY = `
fn displayColor(color: vec4f) -> vec4f {
  return color;
}
fn displayedLight(light: vec3f) -> vec3f {
  return min(light * view.exposure, vec3f(1.0));
}
`;
const NO_FOG = `
fn enterFog(position: vec3f) {}
fn foggedColor(color: vec4f) -> vec4f {
  return color;
}
fn foggedUnmapped(color: vec4f) -> vec4f {
  return color;
}
fn fogInFront() -> vec4f {
  return vec4f(0.0);
}
fn dimmedByFog(light: vec3f, position: vec3f) -> vec3f {
  return light;
}
fn clearedOfFog(color: vec4f) -> vec4f {
  return color;
}
fn foggedFrom(color: vec4f, begin: vec3f, direction: vec3f) -> vec4f {
  return color;
}
`;
const NO_MOVES =
  'const IS_MOVED = false; fn movedVertex(vertex: Vertex, slot: u32) -> Vertex { return vertex; }';

/** WGSL of optional features. The shader omits a feature without an entry. */
export interface MeshShaderSources {
  /** WGSL of the material policy: `applyMaterial`, and the parts of the reflection that its features change. */
  readonly material?: string | undefined;
  /** Whether the material moves vertices: `material` then contains `movedVertex` and `passVaryings` too. */
  readonly movesVertices?: boolean;
  /** Types of the material's varyings, as `packVaryings` returns them. */
  readonly varyings?: number;
  /** environment.wgsl: light of the environment. */
  readonly environment?: string | undefined;
  /** ambient-visibility.wgsl: ambient light is dimmed where nearby surfaces block it. */
  readonly ambientOcclusion?: string | undefined;
  /** Whether a debug view shows surfaces. The shader then reads occlusion textures even without an environment. */
  readonly showsSurfaces?: boolean;
  /** scene-behind.wgsl: glass shows the opaque scene. Default: it shows the environment. */
  readonly behind?: string | undefined;
  /** shadows.wgsl: objects cast shadows. */
  readonly shadows?: string | undefined;
  /** light-clusters.wgsl: pixels loop over the lights of their cluster instead of all lights. */
  readonly clusters?: string | undefined;
  /** WGSL of the vertex policy. */
  readonly vertices?: string;
  /** fog-density.wgsl and fog.wgsl: fog between the camera and surfaces. */
  readonly fog?: string | undefined;
  /** WGSL of `displayColor`, for scene colour that holds display colours. */
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
const READS_OCCLUSION = ${sources.environment !== undefined || sources.showsSurfaces === true};
const BLENDS_ENCODED = ${!!sources.display};
`,
    brdf,
    withVaryings(mesh, sources.varyings ?? 0),
    sources.material ?? featureCode(0, 0),
    sources.movesVertices ? '' : NO_VARYINGS + NO_MOVES,
    sources.environment ?? NO_ENVIRONMENT,
    sources.ambientOcclusion ?? NO_AMBIENT_OCCLUSION,
    sources.behind ?? ENVIRONMENT_BEHIND,
    sources.shadows ?? NO_SHADOWS,
    sources.clusters ?? NO_CLUSTERS,
    sources.vertices ?? staticVertices.code,
    sources.display || NO_DISPLAY,
    sources.fog ?? NO_FOG,
    sources.surfaces ?? '',
  ].join('');
}
