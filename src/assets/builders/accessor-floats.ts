/**
 * What glTF stores as integers, read as the 32-bit floats that it stands for: vertices have no other numbers
 * here, so that one shader reads them all.
 */
import type { Accessor, TypedArray } from '@gltf-transform/core';
import { invalidGltf } from '../asset-error.js';

/** Every attribute of a primitive has as many elements as it has vertices. @throws AssetError `gltf-invalid` */
export function checkElementCount(
  accessor: Accessor,
  vertexCount: number,
  file: string,
  jsonPath: string,
): void {
  if (accessor.getCount() === vertexCount) return;
  const counts = `It has ${accessor.getCount()} elements, and POSITION has ${vertexCount}.`;
  throw invalidGltf(file, jsonPath, counts);
}

/** What a normalised integer is divided by, per glTF 2.0 §3.11 (signed ones are clamped to −1). */
function normalizedDivisor(array: TypedArray): number {
  if (array instanceof Int8Array) return 127;
  if (array instanceof Uint8Array) return 255;
  if (array instanceof Int16Array) return 32767;
  if (array instanceof Uint16Array) return 65535;
  if (array instanceof Uint32Array) return 4294967295;
  return 1;
}

/**
 * The elements of an accessor as 32-bit floats, tightly packed: integers are converted, normalised ones
 * divided (KHR_mesh_quantization). Floats come as they are, without a copy: do not write to the result.
 *
 * @param componentCounts the element sizes that are allowed here
 */
export function accessorFloats(
  accessor: Accessor,
  componentCounts: readonly number[],
  file: string,
  jsonPath: string,
): Float32Array {
  if (!componentCounts.includes(accessor.getElementSize())) {
    throw invalidGltf(file, jsonPath, `It should have ${componentCounts.join(' or ')} components.`);
  }
  const array = accessor.getArray();
  if (array instanceof Float32Array) return array;
  if (!array) return new Float32Array(0);
  const divisor = accessor.getNormalized() ? normalizedDivisor(array) : 1;
  const floats = new Float32Array(array.length);
  for (let i = 0; i < array.length; i++)
    floats[i] = Math.max((array[i] ?? 0) / divisor, divisor === 1 ? -Infinity : -1);
  return floats;
}
