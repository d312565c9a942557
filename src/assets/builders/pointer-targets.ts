/**
 * Resolves the pointers of KHR_animation_pointer to properties of materials, lights and cameras, and to the
 * visibility of nodes.
 *
 *   /materials/2/pbrMetallicRoughness/roughnessFactor
 *     ─► { path: material, targets: [numbers of material 2], first: MaterialOffset.roughness, size: 1, factor: 1 }
 */

import {
  MATERIAL_PARAMETERS,
  MaterialOffset,
  RECORD_PARAMETERS,
  TEXTURE_SLOT_DECLARATIONS,
  TEXTURE_SLOTS,
} from '../../proxy/materials/material-layout.js';
import {
  CameraProperty,
  EMISSIVE_COLOR,
  EMISSIVE_STRENGTH,
  LightProperty,
  UV_PART_FLOATS,
  UV_PARTS,
  UvField,
} from '../../proxy/motion/clip-properties.js';
import { ClipPath } from '../../proxy/motion/clip-tracks.js';
import type { GltfChecks, JsonObject } from '../gltf/gltf-checks.js';
import { excessOf } from './node-builder.js';

/** The numbers that a pointer refers to. */
interface PointerTarget {
  readonly path: number;
  /** Numbers of materials, or of the nodes that have the property. Empty if the scene shows none of them. */
  readonly targets: readonly number[];
  /** First property, as numbered in `clip-properties.ts`. */
  readonly first: number;
  readonly size: number;
  /** Factor on the file's numbers. */
  readonly factor: number;
}

/** The materials and nodes of the built scene, by their numbers in the file. */
export interface PointerScene {
  readonly checks: GltfChecks;
  readonly json: JsonObject;
  materialsOf(material: number): readonly number[];
  nodesWithLight(light: number): readonly number[];
  nodesWithCamera(camera: number): readonly number[];
  /** Returns an array with the index of the node, or an empty one if the scene lacks the node. */
  nodesAt(node: number): readonly number[];
}

type Property = readonly [first: number, size: number];

const STRENGTH = 'extensions/KHR_materials_emissive_strength/emissiveStrength';
const LIGHTS = 'KHR_lights_punctual';
const POINTER = /^\/(materials|cameras|extensions\/KHR_lights_punctual\/lights)\/(\d+)\/(.+)$/;

const MATERIAL_PROPERTY: ReadonlyMap<string, Property> = new Map([
  ...RECORD_PARAMETERS.map((name): [string, Property] => {
    const { pointer, size } = MATERIAL_PARAMETERS[name];
    // The record stores the product of colour and strength, but clips animate each separately.
    return [pointer, [name === 'emissive' ? EMISSIVE_COLOR : MaterialOffset[name], size]];
  }),
  [STRENGTH, [EMISSIVE_STRENGTH, 1]],
  ...TEXTURE_SLOTS.flatMap((slot, index): [string, Property][] => {
    const jsonPath = `${TEXTURE_SLOT_DECLARATIONS[slot].pointer}/extensions/KHR_texture_transform`;
    const first = UV_PARTS + index * UV_PART_FLOATS;
    return [
      [`${jsonPath}/offset`, [first + UvField.offset, 2]],
      [`${jsonPath}/rotation`, [first + UvField.rotation, 1]],
      [`${jsonPath}/scale`, [first + UvField.scale, 2]],
    ];
  }),
]);

const LIGHT_PROPERTY: ReadonlyMap<string, Property> = new Map([
  ['color', [LightProperty.color, 3]],
  ['intensity', [LightProperty.intensity, 1]],
  ['range', [LightProperty.range, 1]],
  ['spot/innerConeAngle', [LightProperty.innerConeAngle, 1]],
  ['spot/outerConeAngle', [LightProperty.outerConeAngle, 1]],
]);

/** Camera properties by pointer. Null marks pointers without effect, because clips don't change a view's width. */
const CAMERA_PROPERTY: ReadonlyMap<string, Property | null> = new Map([
  ['perspective/yfov', [CameraProperty.extentY, 1]],
  ['perspective/znear', [CameraProperty.near, 1]],
  ['perspective/zfar', [CameraProperty.far, 1]],
  ['perspective/aspectRatio', null],
  ['orthographic/ymag', [CameraProperty.extentY, 1]],
  ['orthographic/znear', [CameraProperty.near, 1]],
  ['orthographic/zfar', [CameraProperty.far, 1]],
  ['orthographic/xmag', null],
]);

const VISIBILITY = /^\/nodes\/(\d+)\/extensions\/KHR_node_visibility\/visible$/;

/** Resolves a pointer. @returns undefined if it is unsupported; null if it has no effect */
export function pointerTarget(pointer: string, scene: PointerScene): PointerTarget | null | undefined {
  const [, node] = VISIBILITY.exec(pointer) ?? [];
  if (node !== undefined) return target(ClipPath.visibility, scene.nodesAt(Number(node)), [0, 1], 1);
  const [, kind, digits, property = ''] = POINTER.exec(pointer) ?? [];
  const number = Number(digits);
  if (kind === 'materials') {
    const found = MATERIAL_PROPERTY.get(property);
    // At rest, the colour that clips animate includes the file's strength, and their strength is 1. So the strength is
    // a factor on animated colours, and a divisor of animated strengths.
    const strength = strengthOf(number, scene);
    const factor = property === STRENGTH ? 1 / strength : property === 'emissiveFactor' ? strength : 1;
    return found && target(ClipPath.material, scene.materialsOf(number), found, factor);
  }
  if (kind === 'cameras') {
    const found = CAMERA_PROPERTY.get(property);
    return found && target(ClipPath.camera, scene.nodesWithCamera(number), found, 1);
  }
  if (kind === undefined) return undefined;
  const found = LIGHT_PROPERTY.get(property);
  // Move the part of the colour above 1 to the intensity, as `buildLight` does.
  const excess = excessOfLight(number, scene);
  const factor = property === 'color' ? 1 / excess : property === 'intensity' ? excess : 1;
  return found && target(ClipPath.light, scene.nodesWithLight(number), found, factor);
}

function target(
  path: number,
  targets: readonly number[],
  [first, size]: Property,
  factor: number,
): PointerTarget {
  return { path, targets, first, size, factor };
}

/** Returns the emissive strength of a material; 1 if it is 0 or missing, because the caller divides by it. */
function strengthOf(material: number, { checks, json }: PointerScene): number {
  const found = checks.objects(json, 'materials')[material];
  const { emissiveStrength } = read(read(found?.extensions).KHR_materials_emissive_strength);
  return Number(emissiveStrength ?? 1) || 1;
}

function excessOfLight(light: number, { json }: PointerScene): number {
  const { lights } = read(read(json.extensions)[LIGHTS]);
  return excessOf(Array.isArray(lights) ? lights[light]?.color : undefined);
}

const read = (value: unknown): JsonObject => (value ?? {}) as JsonObject;
