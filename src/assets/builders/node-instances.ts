/** Reads EXT_mesh_gpu_instancing: the transforms of the instances of a node's mesh. */
import type { Accessor } from '@gltf-transform/core';
import { assetError, invalidGltf } from '../asset-error.js';
import { extensionOf, GltfChecks, type JsonObject } from '../gltf/gltf-checks.js';
import { accessorFloats } from './accessor-floats.js';

const INSTANCING = 'EXT_mesh_gpu_instancing';

/** Largest count of instances per node. */
const MAXIMUM_INSTANCES = 1_000_000;

const IDENTITY = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1] as const;
const PARTS = [
  { semantic: 'TRANSLATION', offset: 0, size: 3 },
  { semantic: 'ROTATION', offset: 3, size: 4 },
  { semantic: 'SCALE', offset: 7, size: 3 },
] as const;

/** Returns 10 numbers per instance, relative to the node; null if the node has no instances. */
export function readInstances(
  node: JsonObject | undefined,
  jsonPath: string,
  accessors: readonly Accessor[],
  file: string,
): Float32Array | null {
  const checks = new GltfChecks(file);
  const path = `${jsonPath}.extensions.${INSTANCING}`;
  const extension = extensionOf(node, INSTANCING, path, checks);
  if (!extension) return null;
  const attributes = checks.object(extension.attributes ?? {}, `${path}.attributes`);
  const given = PARTS.flatMap((part) => {
    const at = `${path}.attributes.${part.semantic}`;
    const index = checks.index(attributes[part.semantic], accessors.length, at, 'accessors');
    const accessor = index === undefined ? undefined : accessors[index];
    return accessor ? [{ ...part, values: accessorFloats(accessor, [part.size], file, at) }] : [];
  });
  const [first] = given;
  if (!first) return null;
  const count = first.values.length / first.size;
  if (count > MAXIMUM_INSTANCES) {
    const text = `It has ${count} instances, and a node may have ${MAXIMUM_INSTANCES}.`;
    throw assetError('asset-too-large', file, path, text);
  }
  const transforms = new Float32Array(count * 10);
  for (let index = 0; index < count; index++) transforms.set(IDENTITY, index * 10);
  for (const { semantic, offset, size, values } of given) {
    const at = `${path}.attributes.${semantic}`;
    if (values.length !== count * size) {
      const counts = `It has ${values.length / size} elements, and ${first.semantic} has ${count}.`;
      throw invalidGltf(file, at, counts);
    }
    if (!values.every(Number.isFinite)) throw invalidGltf(file, at, 'It has a number that is not finite.');
    for (let index = 0; index < count; index++) {
      const value = values.subarray(index * size, (index + 1) * size);
      // Some exporters write the identity rotation as four zeros.
      if (value.some((each) => each !== 0) || semantic !== 'ROTATION')
        transforms.set(value, index * 10 + offset);
    }
  }
  return transforms;
}
