/**
 * What a pointer of KHR_animation_pointer means here, where it names a material, a light, a camera, or whether a node is seen: which
 * numbers of what.
 *
 *   /materials/2/pbrMetallicRoughness/roughnessFactor ─► { path: material, targets: [numbers of material 2], first: 9, size: 1 }
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

/** Numbers that a channel drives. */
interface PointerTarget {
  readonly path: number;
  /** Materials, nodes, or nodes with the light or camera; none: nothing that is shown has it. */
  readonly targets: readonly number[];
  /** Of `clip-properties.ts`. */
  readonly first: number;
  readonly size: number;
  /** What the file's numbers are multiplied by. */
  readonly factor: number;
}

/** What of the file is shown, by the file's own numbers. */
export interface PointerScene {
  readonly checks: GltfChecks;
  readonly json: JsonObject;
  materialsOf(material: number): readonly number[];
  nodesWithLight(light: number): readonly number[];
  nodesWithCamera(camera: number): readonly number[];
  /** That node, where the scene has it. */
  nodesAt(node: number): readonly number[];
}

type Property = readonly [first: number, size: number];

const STRENGTH = 'extensions/KHR_materials_emissive_strength/emissiveStrength';
const LIGHTS = 'KHR_lights_punctual';
const POINTER = /^\/(materials|cameras|extensions\/KHR_lights_punctual\/lights)\/(\d+)\/(.+)$/;

const OF_MATERIAL: ReadonlyMap<string, Property> = new Map([
  ...RECORD_PARAMETERS.map((name): [string, Property] => {
    const { pointer, size } = MATERIAL_PARAMETERS[name];
    // The record has the colour times the strength, and clips drive each alone.
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

const OF_LIGHT: ReadonlyMap<string, Property> = new Map([
  ['color', [LightProperty.color, 3]],
  ['intensity', [LightProperty.intensity, 1]],
  ['range', [LightProperty.range, 1]],
  ['spot/innerConeAngle', [LightProperty.innerConeAngle, 1]],
  ['spot/outerConeAngle', [LightProperty.outerConeAngle, 1]],
]);

/** Widths follow the surface: they are known, and drive nothing. */
const OF_CAMERA: ReadonlyMap<string, Property | null> = new Map([
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

/** @returns undefined: it is unknown here; null: it is known, and nothing follows it */
export function pointerTarget(pointer: string, scene: PointerScene): PointerTarget | null | undefined {
  const [, node] = VISIBILITY.exec(pointer) ?? [];
  if (node !== undefined) return target(ClipPath.visibility, scene.nodesAt(Number(node)), [0, 1], 1);
  const [, kind, digits, property = ''] = POINTER.exec(pointer) ?? [];
  const number = Number(digits);
  if (kind === 'materials') {
    const found = OF_MATERIAL.get(property);
    // The material has the colour times the strength: each is driven as a share of what the other one is in the file.
    const strength = strengthOf(number, scene);
    const factor = property === STRENGTH ? 1 / strength : property === 'emissiveFactor' ? strength : 1;
    return found && target(ClipPath.material, scene.materialsOf(number), found, factor);
  }
  if (kind === 'cameras') {
    const found = OF_CAMERA.get(property);
    return found && target(ClipPath.camera, scene.nodesWithCamera(number), found, 1);
  }
  if (kind === undefined) return undefined;
  const found = OF_LIGHT.get(property);
  // As the light itself was read: what exceeds 1 in its colour is brightness.
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

/** A material that does not glow has nothing that could be scaled: its strength counts as 1. */
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
