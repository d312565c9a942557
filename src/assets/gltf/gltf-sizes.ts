/**
 * Adds up the bytes of a file's geometries from its JSON, before the first is built. A file of a few megabytes can
 * reference the same vertices many thousand times, which would exhaust the machine's memory.
 *
 *   primitives of the nodes' meshes ─ distinct accessors ─► counts ─► geometryBytes ─► sum ≤ 2 GiB, each ≤ 1 GiB
 */
import { geometryBytes, MAXIMUM_GEOMETRY_BYTES } from '../../proxy/geometry/geometry-size.js';
import { VertexFormat } from '../../proxy/geometry/vertex-format.js';
import { assetError, checkSize } from '../asset-error.js';
import { VERTEX_SEMANTICS } from './attribute-semantics.js';
import type { GltfChecks, JsonObject } from './gltf-checks.js';
import { TOPOLOGY_OF_MODE } from './topology.js';

/**
 * Checks the sizes of all geometries.
 * @param root JSON whose references are in range
 * @throws AssetError `asset-too-large`
 */
export function checkGeometrySizes(root: JsonObject, checks: GltfChecks): void {
  let totalBytes = 0;
  for (const [jsonPath, bytes] of geometrySizes(root, checks)) {
    if (bytes > MAXIMUM_GEOMETRY_BYTES) {
      throw assetError(
        'asset-too-large',
        checks.file,
        jsonPath,
        `It takes ${bytes} bytes when it is drawn, and one geometry may take 1 GiB. Split it.`,
      );
    }
    totalBytes += bytes;
    checkSize(totalBytes, checks.file, jsonPath);
  }
}

/** Yields the place and the bytes of each geometry that will be built. */
export function* geometrySizes(
  root: JsonObject,
  checks: GltfChecks,
): Generator<[jsonPath: string, bytes: number]> {
  const accessors = checks.objects(root, 'accessors');
  const shown = new Set(checks.objects(root, 'nodes').map(({ mesh }) => mesh));
  const counted = new Set<string>();
  for (const [meshIndex, mesh] of checks.objects(root, 'meshes').entries()) {
    if (!shown.has(meshIndex)) continue;
    const primitives = checks.objects(mesh, 'primitives', `meshes[${meshIndex}]`);
    for (const [index, primitive] of primitives.entries()) {
      const key = geometryKey(primitive);
      if (counted.has(key)) continue;
      counted.add(key);
      yield [`meshes[${meshIndex}].primitives[${index}]`, primitiveBytes(primitive, accessors)];
    }
  }
}

/** Returns the key of a geometry. Primitives with the same accessors share their geometry. */
function geometryKey({ mode, indices, attributes, targets }: JsonObject): string {
  const named = (attributes ?? {}) as JsonObject;
  const own = VERTEX_SEMANTICS.map((semantic) => named[semantic]).join(' ');
  return `${mode ?? 4} ${indices} ${own} ${JSON.stringify(targets ?? [])}`;
}

function primitiveBytes(
  { mode = 4, indices, attributes, targets = [] }: JsonObject,
  accessors: readonly JsonObject[],
): number {
  const named = (attributes ?? {}) as JsonObject;
  const countOf = (index: unknown): number => Number(accessors[index as number]?.count ?? 0);
  const vertexCount = countOf(named.POSITION);
  if (vertexCount === 0) return 0;
  const hasNormals = named.NORMAL !== undefined;
  const has = (semantic: string, bit: number): number => (named[semantic] === undefined ? 0 : bit);
  const vertexFormat =
    (hasNormals ? has('TANGENT', VertexFormat.tangents) : 0) |
    has('TEXCOORD_1', VertexFormat.uv1) |
    has('COLOR_0', VertexFormat.colors) |
    (named.WEIGHTS_0 === undefined ? 0 : has('JOINTS_0', VertexFormat.joints));
  const topology = TOPOLOGY_OF_MODE[mode as number] ?? 'triangle-list';
  const given = indices === undefined ? undefined : countOf(indices);
  const indexCount = drawnIndices(mode as number, given, vertexCount);
  // Without normals each triangle gets its own vertices.
  const shownCount = hasNormals ? vertexCount : Math.max(vertexCount, (indexCount ?? vertexCount) * 3);
  const deltaBytes = vertexFormat & VertexFormat.tangents ? 36 : 24;
  const morphBytes = (targets as readonly unknown[]).length * shownCount * deltaBytes;
  return geometryBytes({ topology, vertexFormat, vertexCount, indexCount, hasNormals }) + morphBytes;
}

/**
 * Returns the count of indices after the conversion of `topology.ts`. A loop gets one more index, a fan becomes
 * triangles.
 */
function drawnIndices(mode: number, given: number | undefined, vertexCount: number): number | undefined {
  if (mode === 2) return (given ?? vertexCount) + 1;
  if (mode === 6) return Math.max(0, (given ?? vertexCount) - 2) * 3;
  return given;
}
