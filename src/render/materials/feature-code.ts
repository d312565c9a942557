import interiorCode from '../../../shaders/interior.wgsl?raw';
import tangentFrameCode from '../../../shaders/tangent-frame.wgsl?raw';
import coordinatesCode from '../../../shaders/texture-coordinates.wgsl?raw';
import { VertexFormat } from '../../proxy/geometry/vertex-format.js';
import { MATERIAL_FEATURE_NAMES, MATERIAL_FEATURES } from '../../proxy/materials/material-features.js';
import {
  CORE_SLOT_COUNT,
  slotBitsOf,
  TEXTURE_SLOTS,
  type TextureSlot,
} from '../../proxy/materials/material-layout.js';
import { materialFeatures } from './features/index.js';
import type { FeatureSource, MaterialFeature } from './features/material-feature.js';
import { slotCode } from './texture-slots.js';

/** A feature with its declared texture slots. */
export interface ListedFeature {
  readonly feature: MaterialFeature;
  readonly slots: readonly TextureSlot[];
  /** `slots` as bits. */
  readonly slotBits: number;
}

/** All features by number. In a set of features, bit N is feature N. */
export const LISTED_FEATURES: readonly ListedFeature[] = /* @__PURE__ */ MATERIAL_FEATURE_NAMES.map(
  (name) => ({
    feature: materialFeatures[name],
    slots: Object.keys(MATERIAL_FEATURES[name].slots) as TextureSlot[],
    slotBits: slotBitsOf(name),
  }),
);

/** Features that shape passes need too. These passes draw shapes without colours. */
export const SHAPE_FEATURES = /* @__PURE__ */ setOf(({ decidesShape }) => decidesShape === true);
/** Features whose surfaces the deferred renderer cannot store. It draws them forward. */
export const FORWARD_FEATURES = /* @__PURE__ */ setOf(
  ({ base, lobe, interior }) => (base ?? lobe ?? interior) !== undefined,
);

/** Features whose pipelines depend on whether vertices have tangents. */
const NORMAL_FEATURES = /* @__PURE__ */ setOf(({ readsNormals }) => readsNormals === true);
/** Features that show the scene behind the surface. */
export const SCENE_FEATURES = /* @__PURE__ */ setOf(({ showsScene }) => showsScene === true);
/** Slots that all materials with a texture bind, as bits. */
export const CORE_SLOTS = 2 ** CORE_SLOT_COUNT - 1;

function setOf(is: (feature: MaterialFeature) => boolean): number {
  return LISTED_FEATURES.reduce((set, { feature }, number) => set | (is(feature) ? 1 << number : 0), 0);
}

/** Per changed material: returns the set of features that it uses. */
export function usedFeatures(material: FeatureSource): number {
  let set = 0;
  for (let number = 0; number < LISTED_FEATURES.length; number++) {
    if ((LISTED_FEATURES[number] as ListedFeature).feature.isUsed(material)) set |= 1 << number;
  }
  return set;
}

/** Per changed material: returns the slots that its draws bind. @param textures slots that have a texture */
export function boundSlots(features: number, textures: number): number {
  let bound = textures === 0 ? 0 : CORE_SLOTS;
  for (let number = 0; number < LISTED_FEATURES.length; number++) {
    const { slotBits } = LISTED_FEATURES[number] as ListedFeature;
    if (features & (1 << number)) bound |= textures & slotBits;
  }
  return bound;
}

/**
 * Composes the part of the mesh shader for a set of features. It contains the features' WGSL and the functions that
 * mesh.wgsl calls.
 *
 * @param slots the bound slots
 * @param listed all features, by number
 */
export function featureCode(features: number, slots: number, listed = LISTED_FEATURES): string {
  const used = listed.filter((_, number) => features & (1 << number));
  return [
    slots ? coordinatesCode : '',
    used.some(({ feature }) => feature.readsNormals) ? tangentFrameCode : '',
    used.some(({ feature }) => feature.interior) ? interiorCode : '',
    ...used.flatMap(({ feature, slots: names }) => [
      ...names.map((slot) => slotCode(slot, (slots & (1 << TEXTURE_SLOTS.indexOf(slot))) !== 0)),
      feature.code,
    ]),
    'fn applyMaterial(input: Varying, appearance: ptr<function, Appearance>) {\n',
    ...used.flatMap(({ feature: { surface } }) => (surface ? `  ${surface}(input, appearance);\n` : [])),
    '}\n',
    reflectionCode(used.map(({ feature }) => feature)),
  ].join('');
}

/**
 * The functions for reflected light that mesh.wgsl and brdf.wgsl call, for materials with a shader of the page. Such
 * materials use no features.
 */
export const PLAIN_REFLECTION = /* @__PURE__ */ reflectionCode([]);

/** Composes the WGSL of the reflection: the parts of the base layer, then the lobes above it. */
function reflectionCode(features: readonly MaterialFeature[]): string {
  const base = features.flatMap((feature) => feature.base ?? []);
  const lobes = features.flatMap(({ lobe }) => lobe ?? []);
  const interiors = features.flatMap(({ interior }) => interior ?? []);
  const isVaried = base.some(({ variesReflectance }) => variesReflectance);
  const declaration = isVaried ? 'var<private>' : 'const';
  /** Returns the call of the last feature that names the part. */
  const part = (name: 'facets' | 'mirror' | 'film', usual: string, parameters: string): string => {
    const own = base.findLast((each) => each[name] !== undefined)?.[name];
    return own === undefined ? usual : `${own}(${parameters})`;
  };
  const through = (lines: readonly string[]): string =>
    `  var light = below;\n${lines.map((line) => `  light = ${line};\n`).join('')}  return light;`;
  const environmentArguments = 'light, normal, toViewer, baseColor, roughness';
  return `const HAS_INTERIOR = ${interiors.length > 0};
const READS_SCALE = ${features.some(({ readsScale }) => readsScale)};
const SPLITS_COLORS = ${interiors.some(({ splitsColors }) => splitsColors)};
// Share of the background that is visible through the surface.
var<private> openness = 0.0;
const VARIES_REFLECTANCE = ${isVaried};
// Reflectance of the dielectric at normal incidence, and a factor on its reflection in all directions.
${declaration} dielectricReflectance = vec3f(DIELECTRIC_REFLECTANCE);
${declaration} dielectricWeight = 1.0;

fn facetsOf(surface: Surface, toLight: vec3f, cosines: Cosines) -> f32 {
  return ${part('facets', 'microfacets(cosines, surface.masking, surface.alphaSquared)', 'surface, toLight, cosines')};
}

fn mirrorNormal(normal: vec3f, toViewer: vec3f, roughness: f32) -> vec3f {
  return ${part('mirror', 'normal', 'normal, toViewer, roughness')};
}

fn throughFilm(below: vec3f, specular: vec3f, received: vec3f) -> vec3f {
  return ${part('film', 'below', 'below, specular, received')};
}

fn interiorLight(below: vec3f, surface: Surface, toLight: vec3f) -> vec3f {
${through(interiors.flatMap(({ light }) => (light ? `${light}(light, surface, toLight)` : [])))}
}

fn interiorEnvironment(
  below: vec3f, normal: vec3f, toViewer: vec3f, baseColor: vec3f, roughness: f32
) -> vec3f {
${through(interiors.flatMap(({ environment }) => (environment ? `${environment}(${environmentArguments})` : [])))}
}

fn emissionThroughLobes(below: vec3f, toViewer: vec3f) -> vec3f {
${through(lobes.flatMap(({ emission }) => (emission ? `${emission}(light, toViewer)` : [])))}
}

fn lightThroughLobes(below: vec3f, surface: Surface, toLight: vec3f, intensity: vec3f) -> vec3f {
${through(lobes.map(({ light }) => `${light}(light, surface, toLight, intensity)`))}
}

fn environmentThroughLobes(below: vec3f, surface: Surface, occlusion: f32) -> vec3f {
${through(lobes.map(({ environment }) => `${environment}(light, surface, occlusion)`))}
}
`;
}

/** Returns the `override` constants of the WGSL of a set of features. */
export function featureConstants(features: number, vertexFormat: number): Record<string, number> {
  if ((features & NORMAL_FEATURES) === 0) return {};
  return { hasTangents: vertexFormat & VertexFormat.tangents ? 1 : 0 };
}

/** Returns the names of the features of a set, for labels. */
export const featureNames = (features: number): string =>
  MATERIAL_FEATURE_NAMES.filter((_, number) => features & (1 << number)).join(' ');
