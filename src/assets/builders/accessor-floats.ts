/**
 * Reads accessors as 32-bit floats, including accessors of integers. In the engine's vertices every attribute except
 * joint numbers is a float, so that one shader reads all geometries.
 */
import type { Accessor, TypedArray } from '@gltf-transform/core';
import { invalidGltf } from '../asset-error.js';

/** Checks that an attribute has one element per vertex. @throws AssetError `gltf-invalid` */
export function checkElementCount(
  accessor: Accessor,
  vertexCount: number,
  file: string,
  jsonPath: string,
): void {
  if (accessor.getCount() === vertexCount) return;
  const counts = `It has ${accessor.getCount()} elements, and the primitive's POSITION has ${vertexCount}.`;
  throw invalidGltf(file, jsonPath, counts);
}

/** Returns the divisor of normalised integers (glTF 2.0 §3.11). The caller clamps signed integers to −1. */
function normalizedDivisor(array: TypedArray): number {
  if (array instanceof Int8Array) return 127;
  if (array instanceof Uint8Array) return 255;
  if (array instanceof Int16Array) return 32767;
  if (array instanceof Uint16Array) return 65535;
  if (array instanceof Uint32Array) return 4294967295;
  return 1;
}

/**
 * Returns the elements of an accessor as tightly packed 32-bit floats. Normalised integers are divided by their maximum
 * (KHR_mesh_quantization). The caller must not write to the result, because floats are not copied.
 *
 * @param componentCounts allowed component counts per element
 * @throws AssetError `gltf-invalid` for another component count
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
