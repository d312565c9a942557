/**
 * Checks all that later code relies on before anything is built: every reference is in range, every accessor
 * lies within its buffer view, that within its buffer, that within the bytes which are really there, and the
 * nodes are a forest. A hostile file therefore ends here with its place named; what passes is safe to read.
 *
 *   accessor ─► bufferView ─► buffer ─► bytes        node ─► children, mesh, camera, skin
 */
import { Accessor, GLB_BUFFER, type JSONDocument } from '@gltf-transform/core';
import { assetError, checkSize, invalidGltf } from './asset-error.js';
import { GltfChecks, type JsonObject } from './gltf-checks.js';
import { unsupportedVersion } from './gltf-container.js';
import { checkGeometrySizes } from './gltf-sizes.js';

/** Bytes that all accessors without data (zero-filled, or sparse alone) may take in one file. */
const ZERO_FILLED_LIMIT_BYTES = 1 << 28;

const COMPONENT_BYTES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };

/** Throws an AssetError at the first fault. */
export function validateGltf({ json, resources }: JSONDocument, file: string): void {
  const checks = new GltfChecks(file);
  const root = checks.object(json, 'the root');
  checkVersion(root, checks);
  checkBuffers(root, resources, checks);
  checkAccessors(root, checks);
  checkImages(root, checks);
  checkMeshes(root, checks);
  checkGeometrySizes(root, checks);
  checkNodes(root, checks);
  checkAnimations(root, checks);
}

function checkVersion(root: JsonObject, checks: GltfChecks): void {
  if (root.asset === undefined) {
    throw assetError(
      'not-gltf',
      checks.file,
      '',
      'It is JSON, but no glTF: it has no "asset". Only glTF 2.0 (.gltf, .glb) can be loaded.',
    );
  }
  const version = checks.object(root.asset, 'asset').version;
  if (version !== '2.0') throw unsupportedVersion(checks.file, `version ${JSON.stringify(version)}`);
}

function checkBuffers(root: JsonObject, resources: JSONDocument['resources'], checks: GltfChecks): void {
  const buffers = checks.objects(root, 'buffers');
  const sizes = buffers.map((buffer, index) => {
    const place = `buffers[${index}]`;
    const declared = checks.integer(buffer, 'byteLength', place);
    const key = buffer.uri ?? GLB_BUFFER;
    const bytes = typeof key === 'string' && Object.hasOwn(resources, key) ? resources[key] : undefined;
    if (!bytes) {
      throw invalidGltf(checks.file, place, 'It has no data: neither a URI nor the binary chunk of a .glb.');
    }
    if (bytes.byteLength < declared) {
      throw assetError(
        'gltf-truncated',
        checks.file,
        place,
        `It should have ${declared} bytes and has ${bytes.byteLength}. Download or export it again.`,
      );
    }
    return bytes.byteLength;
  });
  checks.objects(root, 'bufferViews').forEach((view, index) => {
    const place = `bufferViews[${index}]`;
    const buffer = checks.index(view.buffer ?? null, buffers.length, `${place}.buffer`, 'buffers') ?? 0;
    const end = checks.integer(view, 'byteOffset', place, 0) + checks.integer(view, 'byteLength', place);
    const size = sizes[buffer] ?? 0;
    if (view.byteStride !== undefined) checks.integer(view, 'byteStride', place, undefined, 1);
    if (end > size) throw outOfBounds(checks.file, place, `ends at byte ${end} of buffers[${buffer}]`, size);
  });
}

function outOfBounds(file: string, place: string, what: string, size: number) {
  return assetError(
    'accessor-out-of-bounds',
    file,
    place,
    `It ${what}, which has ${size} bytes. Export the file again.`,
  );
}

function checkAccessors(root: JsonObject, checks: GltfChecks): void {
  const views = checks.objects(root, 'bufferViews');
  let zeroFilledBytes = 0;
  let totalBytes = 0;

  const checkRange = (parent: JsonObject, place: string, count: number, elementBytes: number): void => {
    const index =
      checks.index(parent.bufferView ?? null, views.length, `${place}.bufferView`, 'bufferViews') ?? 0;
    const view = views[index] ?? {};
    const stride = view.byteStride === undefined ? elementBytes : Number(view.byteStride);
    const size = Number(view.byteLength);
    const offset = checks.integer(parent, 'byteOffset', place, 0);
    const end = count === 0 ? 0 : offset + (count - 1) * stride + elementBytes;
    if (end > size)
      throw outOfBounds(checks.file, place, `ends at byte ${end} of bufferViews[${index}]`, size);
  };

  checks.objects(root, 'accessors').forEach((accessor, index) => {
    const place = `accessors[${index}]`;
    const count = checks.integer(accessor, 'count', place);
    const componentBytes = COMPONENT_BYTES[checks.integer(accessor, 'componentType', place)];
    const components = elementSize(accessor.type);
    if (!componentBytes)
      throw invalidGltf(checks.file, `${place}.componentType`, 'It is no type of glTF 2.0.');
    if (!components) throw invalidGltf(checks.file, `${place}.type`, 'It is no type of glTF 2.0.');
    const elementBytes = componentBytes * components;
    totalBytes += count * elementBytes;
    checkSize(totalBytes, checks.file, place);
    if (accessor.bufferView !== undefined) checkRange(accessor, place, count, elementBytes);
    else zeroFilledBytes += count * elementBytes;
    if (zeroFilledBytes > ZERO_FILLED_LIMIT_BYTES) {
      throw assetError(
        'asset-too-large',
        checks.file,
        place,
        `With it, accessors without data take more than ${ZERO_FILLED_LIMIT_BYTES / 2 ** 20} MiB. Export the file again.`,
      );
    }
    if (accessor.sparse === undefined) return;
    const sparse = checks.object(accessor.sparse, `${place}.sparse`);
    const indices = checks.object(sparse.indices, `${place}.sparse.indices`);
    const values = checks.object(sparse.values, `${place}.sparse.values`);
    const sparseCount = checks.integer(sparse, 'count', `${place}.sparse`);
    const indexBytes = COMPONENT_BYTES[checks.integer(indices, 'componentType', `${place}.sparse.indices`)];
    if (!indexBytes) {
      throw invalidGltf(checks.file, `${place}.sparse.indices.componentType`, 'It is no type of glTF 2.0.');
    }
    checkRange(indices, `${place}.sparse.indices`, sparseCount, indexBytes);
    checkRange(values, `${place}.sparse.values`, sparseCount, elementBytes);
    // The parser takes an absent offset for the accessor's own.
    indices.byteOffset ??= 0;
    values.byteOffset ??= 0;
  });
}

/** The numbers of an accessor's element, by the accessor's type; 0: it is no type. */
export function elementSize(type: unknown): number {
  try {
    return typeof type === 'string' ? Accessor.getElementSize(type as 'SCALAR') : 0;
  } catch {
    return 0;
  }
}

function checkImages(root: JsonObject, checks: GltfChecks): void {
  const views = checks.objects(root, 'bufferViews');
  const images = checks.objects(root, 'images');
  const samplers = checks.objects(root, 'samplers');
  let totalBytes = 0;
  images.forEach((image, index) => {
    const place = `images[${index}].bufferView`;
    const view = checks.index(image.bufferView, views.length, place, 'bufferViews');
    totalBytes += view === undefined ? 0 : Number(views[view]?.byteLength);
    checkSize(totalBytes, checks.file, place);
  });
  checks.objects(root, 'textures').forEach((texture, index) => {
    checks.index(texture.source, images.length, `textures[${index}].source`, 'images');
    checks.index(texture.sampler, samplers.length, `textures[${index}].sampler`, 'samplers');
  });
}

function checkMeshes(root: JsonObject, checks: GltfChecks): void {
  const accessors = checks.objects(root, 'accessors').length;
  const materials = checks.objects(root, 'materials').length;
  const checkAttributes = (attributes: unknown, place: string): void => {
    for (const [semantic, accessor] of Object.entries(checks.object(attributes ?? {}, place))) {
      checks.index(accessor ?? null, accessors, `${place}.${semantic}`, 'accessors');
    }
  };
  checks.objects(root, 'meshes').forEach((mesh, meshIndex) => {
    checks.objects(mesh, 'primitives', `meshes[${meshIndex}]`).forEach((primitive, index) => {
      const place = `meshes[${meshIndex}].primitives[${index}]`;
      checkAttributes(primitive.attributes, `${place}.attributes`);
      checks.index(primitive.indices, accessors, `${place}.indices`, 'accessors');
      checks.index(primitive.material, materials, `${place}.material`, 'materials');
      if (checks.integer(primitive, 'mode', place, 4) > 6) {
        throw invalidGltf(checks.file, `${place}.mode`, 'It is no mode of glTF 2.0.');
      }
      checks.objects(primitive, 'targets', place).forEach((target, i) => {
        checkAttributes(target, `${place}.targets[${i}]`);
      });
    });
  });
}

function checkNodes(root: JsonObject, checks: GltfChecks): void {
  const count = (key: string) => checks.objects(root, key).length;
  const nodes = checks.objects(root, 'nodes');
  const [meshes, cameras, skins] = [count('meshes'), count('cameras'), count('skins')];
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach((node, index) => {
    const place = `nodes[${index}]`;
    checks.index(node.mesh, meshes, `${place}.mesh`, 'meshes');
    checks.index(node.camera, cameras, `${place}.camera`, 'cameras');
    checks.index(node.skin, skins, `${place}.skin`, 'skins');
    checks.numbers(node.matrix, 16, `${place}.matrix`);
    checks.numbers(node.translation, 3, `${place}.translation`);
    checks.numbers(node.rotation, 4, `${place}.rotation`);
    checks.numbers(node.scale, 3, `${place}.scale`);
    for (const child of checks.indices(node.children, nodes.length, `${place}.children`, 'nodes')) {
      if (parents[child] !== -1) {
        throw invalidGltf(
          checks.file,
          `${place}.children`,
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
  checks.index(root.scene, count('scenes'), 'scene', 'scenes');
  checks.objects(root, 'skins').forEach((skin, index) => {
    checks.indices(skin.joints ?? null, nodes.length, `skins[${index}].joints`, 'nodes');
    checks.index(skin.skeleton, nodes.length, `skins[${index}].skeleton`, 'nodes');
    checks.index(skin.inverseBindMatrices, count('accessors'), `skins[${index}]`, 'accessors');
  });
}

/** With one parent each, whoever climbs from a node and does not come to a root is in a cycle. */
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

function checkAnimations(root: JsonObject, checks: GltfChecks): void {
  const accessors = checks.objects(root, 'accessors').length;
  const nodes = checks.objects(root, 'nodes').length;
  checks.objects(root, 'animations').forEach((animation, index) => {
    const place = `animations[${index}]`;
    const samplers = checks.objects(animation, 'samplers', place);
    samplers.forEach((sampler, i) => {
      checks.index(sampler.input ?? null, accessors, `${place}.samplers[${i}].input`, 'accessors');
      checks.index(sampler.output ?? null, accessors, `${place}.samplers[${i}].output`, 'accessors');
    });
    checks.objects(animation, 'channels', place).forEach((channel, i) => {
      const target = checks.object(channel.target, `${place}.channels[${i}].target`);
      checks.index(channel.sampler ?? null, samplers.length, `${place}.channels[${i}].sampler`, 'samplers');
      checks.index(target.node, nodes, `${place}.channels[${i}].target.node`, 'nodes');
    });
  });
}
