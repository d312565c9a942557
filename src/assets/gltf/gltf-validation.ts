/**
 * Validates a file before anything is built. Afterwards every reference is in range. Every accessor lies within its
 * buffer view, the view within its buffer, and the buffer within the actual bytes. The nodes form a forest. Later code
 * relies on these rules.
 *
 *   accessor ─► bufferView ─► buffer ─► bytes        node ─► children, mesh
 *
 * A fault in geometry, buffers, nodes or scenes throws an error with its place. Other faulty views and accessors become
 * empty, with a warning. `gltf-optional.ts` checks the other optional parts.
 */
import { Accessor, GLB_BUFFER, type JSONDocument } from '@gltf-transform/core';
import { assetError, checkSize, invalidGltf, orWarn, outOfBounds } from '../asset-error.js';
import { MORPH_SEMANTICS, VERTEX_SEMANTICS } from './attribute-semantics.js';
import { GltfChecks, type JsonObject } from './gltf-checks.js';
import { checkOptionalParts } from './gltf-optional.js';
import { EMPTY_RESOURCE } from './gltf-resources.js';
import { checkGeometrySizes } from './gltf-sizes.js';

/** Limit for the bytes of all accessors without data (zero-filled, or only sparse) of one file. */
const ZERO_FILLED_LIMIT_BYTES = 1 << 28;

const COMPONENT_BYTES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };

/** Attributes of skins. Without them a mesh is still shown, in its rest pose. */
const SKIN_SEMANTICS: readonly string[] = ['JOINTS_0', 'WEIGHTS_0'];

/**
 * Validates a file, and rewrites its JSON. Faulty optional parts and unread attributes are removed or emptied. Missing
 * offsets of sparse accessors become 0.
 * @throws AssetError with its place, for the first fault in geometry, buffers, nodes or scenes; `asset-too-large`
 */
export function validateGltf({ json, resources }: JSONDocument, file: string, warnings: string[]): void {
  const checks = new GltfChecks(file);
  const root = json as unknown as JsonObject;
  checkMeshes(root, checks, warnings);
  const needed = neededByGeometry(root, checks);
  const sizes = checkBuffers(root, resources, checks);
  checkViews(root, sizes, needed.views, checks, warnings);
  checkAccessors(root, needed.accessors, checks, warnings);
  checkGeometrySizes(root, checks);
  checkNodes(root, checks);
  checkOptionalParts(root, checks, warnings);
}

/** Checks the buffers. @returns the byte count of each */
function checkBuffers(
  root: JsonObject,
  resources: JSONDocument['resources'],
  checks: GltfChecks,
): readonly number[] {
  return checks.objects(root, 'buffers').map((buffer, index) => {
    const jsonPath = `buffers[${index}]`;
    const declared = checks.integer(buffer, 'byteLength', jsonPath);
    const key = buffer.uri ?? GLB_BUFFER;
    const bytes = typeof key === 'string' && Object.hasOwn(resources, key) ? resources[key] : undefined;
    if (!bytes) {
      throw invalidGltf(
        checks.file,
        jsonPath,
        'It has no data: neither a URI nor the binary chunk of a .glb.',
      );
    }
    if (bytes.byteLength < declared) {
      throw assetError(
        'gltf-truncated',
        checks.file,
        jsonPath,
        `It should have ${declared} bytes and has ${bytes.byteLength}. Download or export it again.`,
      );
    }
    return bytes.byteLength;
  });
}

/**
 * Returns the indices of the accessors and buffer views of vertices and indices, without skin data and morph targets.
 */
export function neededByGeometry(
  root: JsonObject,
  checks: GltfChecks,
): { accessors: ReadonlySet<unknown>; views: ReadonlySet<unknown> } {
  const accessors = new Set<unknown>();
  for (const mesh of checks.objects(root, 'meshes')) {
    for (const { attributes, indices } of checks.objects(mesh, 'primitives')) {
      for (const [semantic, accessor] of Object.entries(attributes ?? {}))
        if (isGeometry(semantic)) accessors.add(accessor);
      accessors.add(indices);
    }
  }
  const views = new Set<unknown>();
  for (const [index, { bufferView, sparse }] of checks.objects(root, 'accessors').entries()) {
    if (!accessors.has(index)) continue;
    const { indices, values } = (sparse ?? {}) as Readonly<Record<string, JsonObject | undefined>>;
    for (const view of [bufferView, indices?.bufferView, values?.bufferView]) views.add(view);
  }
  return { accessors, views };
}

const isGeometry = (semantic: string): boolean =>
  (VERTEX_SEMANTICS as readonly string[]).includes(semantic) && !SKIN_SEMANTICS.includes(semantic);

function checkViews(
  root: JsonObject,
  sizes: readonly number[],
  needed: ReadonlySet<unknown>,
  checks: GltfChecks,
  warnings: string[],
): void {
  checks.objects(root, 'bufferViews').forEach((view, index) => {
    const jsonPath = `bufferViews[${index}]`;
    const check = (): true => {
      const buffer = checks.index(view.buffer ?? null, sizes.length, `${jsonPath}.buffer`, 'buffers') ?? 0;
      const end =
        checks.integer(view, 'byteOffset', jsonPath, 0) + checks.integer(view, 'byteLength', jsonPath);
      const size = sizes[buffer] ?? 0;
      if (view.byteStride !== undefined) checks.integer(view, 'byteStride', jsonPath, undefined, 1);
      if (end > size)
        throw outOfBounds(checks.file, jsonPath, `ends at byte ${end} of buffers[${buffer}]`, size);
      return true;
    };
    if (needed.has(index)) check();
    else if (!orWarn(warnings, 'Parts that need it are left out.', false, check))
      (root.bufferViews as JsonObject[])[index] = emptyView(root);
  });
}

function emptyView(root: JsonObject): JsonObject {
  root.buffers ??= [];
  const buffers = root.buffers as JsonObject[];
  if (buffers.length === 0) buffers.push({ byteLength: 0, uri: EMPTY_RESOURCE });
  return { buffer: 0, byteOffset: 0, byteLength: 0 };
}

function checkAccessors(
  root: JsonObject,
  needed: ReadonlySet<unknown>,
  checks: GltfChecks,
  warnings: string[],
): void {
  const views = checks.objects(root, 'bufferViews');
  let zeroFilledBytes = 0;
  let totalBytes = 0;

  const checkRange = (parent: JsonObject, jsonPath: string, count: number, elementBytes: number): void => {
    const index =
      checks.index(parent.bufferView ?? null, views.length, `${jsonPath}.bufferView`, 'bufferViews') ?? 0;
    const view = views[index] ?? {};
    const stride = view.byteStride === undefined ? elementBytes : Number(view.byteStride);
    const size = Number(view.byteLength);
    const offset = checks.integer(parent, 'byteOffset', jsonPath, 0);
    const end = count === 0 ? 0 : offset + (count - 1) * stride + elementBytes;
    if (end > size)
      throw outOfBounds(checks.file, jsonPath, `ends at byte ${end} of bufferViews[${index}]`, size);
  };

  const check = (accessor: JsonObject, index: number): true => {
    const jsonPath = `accessors[${index}]`;
    const count = checks.integer(accessor, 'count', jsonPath);
    const componentBytes = COMPONENT_BYTES[checks.integer(accessor, 'componentType', jsonPath)];
    const components = elementSize(accessor.type);
    if (!componentBytes)
      throw invalidGltf(checks.file, `${jsonPath}.componentType`, 'It is not a component type of glTF 2.0.');
    if (!components)
      throw invalidGltf(checks.file, `${jsonPath}.type`, 'It is not an accessor type of glTF 2.0.');
    const elementBytes = componentBytes * components;
    totalBytes += count * elementBytes;
    checkSize(totalBytes, checks.file, jsonPath);
    if (accessor.bufferView !== undefined) checkRange(accessor, jsonPath, count, elementBytes);
    else zeroFilledBytes += count * elementBytes;
    if (zeroFilledBytes > ZERO_FILLED_LIMIT_BYTES) {
      throw assetError(
        'asset-too-large',
        checks.file,
        jsonPath,
        `Up to this accessor, the accessors without data take more than ${ZERO_FILLED_LIMIT_BYTES / 2 ** 20} MiB. Export the file again.`,
      );
    }
    if (accessor.sparse === undefined) return true;
    const sparse = checks.object(accessor.sparse, `${jsonPath}.sparse`);
    const indices = checks.object(sparse.indices, `${jsonPath}.sparse.indices`);
    const values = checks.object(sparse.values, `${jsonPath}.sparse.values`);
    const sparseCount = checks.integer(sparse, 'count', `${jsonPath}.sparse`);
    const indexBytes =
      COMPONENT_BYTES[checks.integer(indices, 'componentType', `${jsonPath}.sparse.indices`)];
    if (!indexBytes) {
      throw invalidGltf(
        checks.file,
        `${jsonPath}.sparse.indices.componentType`,
        'It is not an accessor type of glTF 2.0.',
      );
    }
    checkRange(indices, `${jsonPath}.sparse.indices`, sparseCount, indexBytes);
    checkRange(values, `${jsonPath}.sparse.values`, sparseCount, elementBytes);
    // The parser would use the accessor's own offset instead of a missing one.
    indices.byteOffset ??= 0;
    values.byteOffset ??= 0;
    return true;
  };

  checks.objects(root, 'accessors').forEach((accessor, index) => {
    if (needed.has(index)) check(accessor, index);
    else if (!orWarn(warnings, 'Parts that need it are left out.', false, () => check(accessor, index)))
      (root.accessors as JsonObject[])[index] = { componentType: 5126, type: 'SCALAR', count: 0 };
  });
}

/** Returns the count of components of an accessor's type; 0 for an invalid type. */
export function elementSize(type: unknown): number {
  try {
    return typeof type === 'string' ? Accessor.getElementSize(type as 'SCALAR') : 0;
  } catch {
    return 0;
  }
}

/**
 * Checks an attribute. An unread attribute is deleted without a check, so that the parser can't fail at it. An invalid
 * optional attribute is deleted with a warning.
 */
type CheckAttribute = (
  attributes: JsonObject,
  semantic: string,
  jsonPath: string,
  kind: 'needed' | 'optional' | 'unread',
) => void;

function checkMeshes(root: JsonObject, checks: GltfChecks, warnings: string[]): void {
  const accessors = checks.objects(root, 'accessors').length;
  const materials = checks.objects(root, 'materials').length;
  const checkAttribute: CheckAttribute = (attributes, semantic, jsonPath, kind) => {
    const check = () => checks.index(attributes[semantic] ?? null, accessors, jsonPath, 'accessors');
    if (kind === 'needed') check();
    else if (kind === 'unread') delete attributes[semantic];
    else if (orWarn(warnings, 'It is left out.', null, check) === null) delete attributes[semantic];
  };
  checks.objects(root, 'meshes').forEach((mesh, meshIndex) => {
    checks.objects(mesh, 'primitives', `meshes[${meshIndex}]`).forEach((primitive, index) => {
      const jsonPath = `meshes[${meshIndex}].primitives[${index}]`;
      const attributes = checks.object(primitive.attributes ?? {}, `${jsonPath}.attributes`);
      for (const semantic of Object.keys(attributes)) {
        const isRead = isGeometry(semantic) || /^(JOINTS|WEIGHTS)_\d+$/.test(semantic);
        const kind = isGeometry(semantic) ? 'needed' : isRead ? 'optional' : 'unread';
        checkAttribute(attributes, semantic, `${jsonPath}.attributes.${semantic}`, kind);
      }
      checks.index(primitive.indices, accessors, `${jsonPath}.indices`, 'accessors');
      const material = orWarn(warnings, 'The default material is used.', undefined, () =>
        checks.index(primitive.material, materials, `${jsonPath}.material`, 'materials'),
      );
      if (material === undefined) delete primitive.material;
      if (checks.integer(primitive, 'mode', jsonPath, 4) > 6) {
        throw invalidGltf(
          checks.file,
          `${jsonPath}.mode`,
          'It is not a primitive mode of glTF 2.0, which are 0 to 6.',
        );
      }
      checkTargets(primitive, jsonPath, checkAttribute, checks, warnings);
    });
  });
}

/** Checks the morph targets. An invalid target becomes empty, so that the other targets keep their weights. */
function checkTargets(
  primitive: JsonObject,
  jsonPath: string,
  checkAttribute: CheckAttribute,
  checks: GltfChecks,
  warnings: string[],
): void {
  if (primitive.targets === undefined) return;
  const at = `${jsonPath}.targets`;
  const given = orWarn(warnings, 'It is left out.', [], () => checks.array(primitive.targets, at));
  primitive.targets = given.map((target, index) => {
    const attributes = orWarn(warnings, 'It has no effect.', {}, () =>
      checks.object(target, `${at}[${index}]`),
    );
    for (const semantic of Object.keys(attributes)) {
      const isRead = (MORPH_SEMANTICS as readonly string[]).includes(semantic);
      checkAttribute(attributes, semantic, `${at}[${index}].${semantic}`, isRead ? 'optional' : 'unread');
    }
    return attributes;
  });
}

function checkNodes(root: JsonObject, checks: GltfChecks): void {
  const nodes = checks.objects(root, 'nodes');
  const meshes = checks.objects(root, 'meshes').length;
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach((node, index) => {
    const jsonPath = `nodes[${index}]`;
    checks.index(node.mesh, meshes, `${jsonPath}.mesh`, 'meshes');
    checks.numbers(node.matrix, 16, `${jsonPath}.matrix`);
    checks.numbers(node.translation, 3, `${jsonPath}.translation`);
    checks.numbers(node.rotation, 4, `${jsonPath}.rotation`);
    checks.numbers(node.scale, 3, `${jsonPath}.scale`);
    for (const child of checks.indices(node.children, nodes.length, `${jsonPath}.children`, 'nodes')) {
      if (parents[child] !== -1) {
        throw invalidGltf(
          checks.file,
          `${jsonPath}.children`,
          `nodes[${child}] has a second parent. A node may have one.`,
        );
      }
      parents[child] = index;
    }
  });
  checkAcyclic(parents, checks);
  checks.objects(root, 'scenes').forEach((scene, index) => {
    checks.indices(scene.nodes, nodes.length, `scenes[${index}].nodes`, 'nodes');
  });
}

/** Rejects cycles. Each node has at most one parent, so a path upwards that never reaches a root enters a cycle. */
function checkAcyclic(parents: Int32Array, checks: GltfChecks): void {
  const visitedBy = new Int32Array(parents.length).fill(-1);
  for (let start = 0; start < parents.length; start++) {
    for (let node = start; node !== -1 && visitedBy[node] === -1; node = parents[node] ?? -1) {
      visitedBy[node] = start;
      const parent = parents[node] ?? -1;
      if (parent !== -1 && visitedBy[parent] === start) {
        throw invalidGltf(checks.file, `nodes[${node}]`, 'It is among its own descendants.');
      }
    }
  }
}
