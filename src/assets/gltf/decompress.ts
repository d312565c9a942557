/**
 * Decompresses a file before the rest of it is read. Buffer views of meshopt and meshes of Draco become plain buffers,
 * and references are redirected to them. All later code sees an uncompressed file.
 *
 * A piece is one buffer view or mesh. Several pieces start before the first is awaited, so that workers can share them.
 * Results are stored in the file's order.
 *
 *   bufferView ─ extension: bytes, mode, filter ─► meshopt ─► buffer of its own
 *   primitive  ─ extension: bufferView, ids ─────► Draco ──► a buffer per attribute, and one of indices ─► accessors
 */
import { GLB_BUFFER, type JSONDocument } from '@gltf-transform/core';
import { isTyped } from '../../core/errors.js';
import { assetError, checkSize, invalidGltf, orWarn, outOfBounds } from '../asset-error.js';
import { type Decoders, isWasmBlocked, type LoadDecoder } from '../decoders/decoders.js';
import type { CompressedBufferView } from '../decoders/meshopt.js';
import { extensionOf, GltfChecks, type JsonObject } from './gltf-checks.js';
import { elementSize, neededByGeometry } from './gltf-validation.js';

export const DRACO = 'KHR_draco_mesh_compression';
export const MESHOPT = ['KHR_meshopt_compression', 'EXT_meshopt_compression'] as const;

const MESHOPT_MODES = ['ATTRIBUTES', 'TRIANGLES', 'INDICES'];
const MESHOPT_FILTERS = ['NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR'];

/**
 * Largest count of pieces that start before the first result is stored. It is enough for several workers, and few
 * enough that the size check stops early.
 */
const BEGUN_AHEAD = 16;

/** Number of a primitive mode in glTF. */
const TRIANGLES = 4;
/** Number of a component type in glTF. */
const UNSIGNED_INT = 5125;

interface Decompression {
  readonly file: string;
  readonly loadDecoder: LoadDecoder;
  readonly onWork: () => void;
  /** Receives a warning for each part that is left out. */
  readonly warnings: string[];
}

/**
 * Rewrites the JSON and its resources.
 * @throws AssetError for damaged data that geometry needs, `asset-too-large`, `decoder-blocked`; errors of
 *   `loadDecoder`
 */
export async function decompress(parsed: JSONDocument, context: Decompression): Promise<void> {
  const work = new DecompressionWork(parsed, context);
  await work.decodeViews();
  await work.decodeMeshes();
}

class DecompressionWork {
  readonly #resources: JSONDocument['resources'];
  readonly #root: JsonObject;
  readonly #checks: GltfChecks;
  readonly #context: Decompression;
  #decodedBytes = 0;

  constructor({ json, resources }: JSONDocument, context: Decompression) {
    this.#resources = resources;
    this.#context = context;
    this.#checks = new GltfChecks(context.file);
    this.#root = this.#checks.object(json, 'the root');
  }

  async decodeViews(): Promise<void> {
    const views = this.#checks.objects(this.#root, 'bufferViews');
    const needed = neededByGeometry(this.#root, this.#checks).views;
    const fallbacks = new Set<unknown>();
    let decoder: Decoders['meshopt'] | undefined;
    const begun: (() => Promise<void>)[] = [];
    for (const [index, view] of views.entries()) {
      const name = MESHOPT.find((extension) => (view.extensions as JsonObject | undefined)?.[extension]);
      if (!name) continue;
      decoder ??= await this.#context.loadDecoder('meshopt');
      const jsonPath = `bufferViews[${index}].extensions.${name}`;
      // A faulty view that geometry does not need becomes empty.
      const tolerate = <Value>(read: () => Value): Value | null =>
        needed.has(index)
          ? read()
          : orWarn(this.#context.warnings, 'Parts that need it are left out.', null, read);
      const compressed = tolerate(() => this.#compressedView(view, name, jsonPath));
      if (begun.length === BEGUN_AHEAD) await begun.shift()?.();
      const decoding = compressed && begin(decoder.decodeView(compressed));
      begun.push(async () => {
        const decoded = decoding && (await settled(this.#decode(jsonPath, decoding)));
        const bytes = (decoded && tolerate(decoded)) ?? new Uint8Array(0);
        fallbacks.add(view.buffer);
        view.buffer = this.#addBuffer(bytes);
        view.byteOffset = 0;
        view.byteLength = bytes.byteLength;
      });
    }
    for (const finish of begun) await finish();
    // Fallback buffers, which serve loaders without a decoder, may have no data.
    for (const [index, buffer] of this.#checks.objects(this.#root, 'buffers').entries()) {
      const hasBytes = buffer.uri !== undefined || (index === 0 && this.#resources[GLB_BUFFER] !== undefined);
      if (hasBytes || !fallbacks.has(index)) continue;
      buffer.uri = this.#addResource(new Uint8Array(0));
      buffer.byteLength = 0;
    }
  }

  async decodeMeshes(): Promise<void> {
    const done = new Set<string>();
    const begun: (() => Promise<void>)[] = [];
    for (const [meshIndex, mesh] of this.#checks.objects(this.#root, 'meshes').entries()) {
      const primitives = this.#checks.objects(mesh, 'primitives', `meshes[${meshIndex}]`);
      for (const [index, primitive] of primitives.entries()) {
        const jsonPath = `meshes[${meshIndex}].primitives[${index}].extensions.${DRACO}`;
        const extension = extensionOf(primitive, DRACO, jsonPath, this.#checks);
        if (!extension) continue;
        // Primitives with different materials may share a compressed mesh.
        const key = JSON.stringify([extension, primitive.attributes, primitive.indices]);
        if (begun.length === BEGUN_AHEAD) await begun.shift()?.();
        if (!done.has(key)) begun.push(await this.#beginMesh(primitive, extension, jsonPath));
        done.add(key);
        primitive.mode = TRIANGLES;
      }
    }
    for (const finish of begun) await finish();
  }

  /** Starts to decode a mesh. @returns a function that awaits the mesh and stores it */
  async #beginMesh(
    primitive: JsonObject,
    extension: JsonObject,
    jsonPath: string,
  ): Promise<() => Promise<void>> {
    const checks = this.#checks;
    const accessors = checks.objects(this.#root, 'accessors');
    const given = checks.object(primitive.attributes ?? {}, `${jsonPath}.attributes`);
    const ids = checks.object(extension.attributes ?? {}, `${jsonPath}.attributes`);
    const wanted = Object.keys(ids)
      .filter((semantic) => given[semantic] !== undefined)
      .map((semantic) => {
        const where = `${jsonPath}.attributes.${semantic}`;
        const number = checks.index(given[semantic], accessors.length, where, 'accessors') ?? 0;
        const accessor = accessors[number] as JsonObject;
        const size = elementSize(accessor.type);
        const componentType = checks.integer(accessor, 'componentType', `accessors[${number}]`);
        return { accessor, id: checks.integer(ids, semantic, `${jsonPath}.attributes`), size, componentType };
      });
    const views = checks.objects(this.#root, 'bufferViews');
    const view = checks.index(
      extension.bufferView ?? null,
      views.length,
      `${jsonPath}.bufferView`,
      'bufferViews',
    );
    const bytes = this.#bytesOf(views[view ?? 0] as JsonObject, `bufferViews[${view}]`);
    const { decodeMesh } = await this.#context.loadDecoder('draco');
    const decoding = begin(
      decodeMesh(
        bytes,
        wanted.map(({ id, size, componentType }) => ({ id, size, componentType })),
      ),
    );
    return async () => {
      const mesh = await this.#decode(jsonPath, decoding);
      const put = (accessor: JsonObject, data: Uint8Array, count: number): void => {
        accessor.bufferView = this.#addView(data, jsonPath);
        accessor.byteOffset = 0;
        accessor.count = count;
      };
      wanted.forEach(({ accessor }, index) => {
        put(accessor, mesh.attributes[index] as Uint8Array, mesh.vertexCount);
      });
      const number = checks.index(primitive.indices, accessors.length, `${jsonPath}.indices`, 'accessors');
      const indices = number === undefined ? this.#addIndices() : (accessors[number] as JsonObject);
      primitive.indices ??= accessors.length;
      indices.componentType = UNSIGNED_INT;
      put(indices, new Uint8Array(mesh.indices.buffer), mesh.indices.length);
    };
  }

  #addIndices(): JsonObject {
    const accessor: JsonObject = { type: 'SCALAR' };
    (this.#root.accessors as JsonObject[]).push(accessor);
    return accessor;
  }

  #compressedView(view: JsonObject, name: string, jsonPath: string): CompressedBufferView {
    const checks = this.#checks;
    const extension = extensionOf(view, name, jsonPath, checks) as JsonObject;
    const { mode, filter = 'NONE' } = extension;
    if (!MESHOPT_MODES.includes(mode as string))
      throw invalidGltf(checks.file, `${jsonPath}.mode`, `It should be one of ${MESHOPT_MODES.join(', ')}.`);
    if (!MESHOPT_FILTERS.includes(filter as string))
      throw invalidGltf(
        checks.file,
        `${jsonPath}.filter`,
        `It should be one of ${MESHOPT_FILTERS.join(', ')}.`,
      );
    const count = checks.integer(extension, 'count', jsonPath);
    const byteStride = checks.integer(extension, 'byteStride', jsonPath, undefined, 1);
    const isStride =
      mode === 'ATTRIBUTES'
        ? byteStride % 4 === 0 && byteStride <= 256
        : byteStride === 2 || byteStride === 4;
    if (!isStride || (mode === 'TRIANGLES' && count % 3 !== 0)) {
      throw invalidGltf(
        checks.file,
        jsonPath,
        `The mode ${mode} does not allow ${count} elements of ${byteStride} bytes.`,
      );
    }
    this.#count(count * byteStride, jsonPath);
    const bytes = this.#bytesOf(extension, jsonPath);
    return { bytes, count, byteStride, mode: String(mode), filter: String(filter) };
  }

  /** Returns the bytes of a buffer view or of its extension. */
  #bytesOf(view: JsonObject, jsonPath: string): Uint8Array {
    const checks = this.#checks;
    const buffers = checks.objects(this.#root, 'buffers');
    const index = checks.index(view.buffer ?? null, buffers.length, `${jsonPath}.buffer`, 'buffers') ?? 0;
    const key = (buffers[index]?.uri ?? GLB_BUFFER) as string;
    const bytes = Object.hasOwn(this.#resources, key) ? this.#resources[key] : undefined;
    const begin = checks.integer(view, 'byteOffset', jsonPath, 0);
    const end = begin + checks.integer(view, 'byteLength', jsonPath);
    if (!bytes || end > bytes.byteLength) {
      throw outOfBounds(
        checks.file,
        jsonPath,
        `ends at byte ${end} of buffers[${index}]`,
        bytes?.byteLength ?? 0,
      );
    }
    return bytes.subarray(begin, end);
  }

  async #decode<T>(jsonPath: string, decoded: Promise<T>): Promise<T> {
    const { file, onWork } = this.#context;
    try {
      const result = await decoded;
      onWork();
      return result;
    } catch (cause) {
      if (isTyped(cause)) throw cause;
      if (isWasmBlocked(cause)) {
        throw assetError('decoder-blocked', file, jsonPath, (cause as Error).message, cause);
      }
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw invalidGltf(file, jsonPath, `It cannot be decompressed: ${reason}`, cause);
    }
  }

  #addView(bytes: Uint8Array, jsonPath: string): number {
    this.#count(bytes.byteLength, jsonPath);
    this.#root.bufferViews ??= [];
    return (
      (this.#root.bufferViews as JsonObject[]).push({
        buffer: this.#addBuffer(bytes),
        byteOffset: 0,
        byteLength: bytes.byteLength,
      }) - 1
    );
  }

  #addBuffer(bytes: Uint8Array): number {
    const buffers = this.#root.buffers as JsonObject[];
    return buffers.push({ byteLength: bytes.byteLength, uri: this.#addResource(bytes) }) - 1;
  }

  /** Adds a resource under a URI that no file uses. */
  #addResource(bytes: Uint8Array): string {
    const uri = `decompressed:${Object.keys(this.#resources).length}`;
    this.#resources[uri] = bytes as Uint8Array<ArrayBuffer>;
    return uri;
  }

  /** Adds up and limits the decoded bytes, because a small file can reference the same data many thousand times. */
  #count(bytes: number, jsonPath: string): void {
    this.#decodedBytes += bytes;
    checkSize(this.#decodedBytes, this.#context.file, jsonPath);
  }
}

/** Resolves with a function that returns the promise's result, or throws its error. */
function settled<Value>(promise: Promise<Value>): Promise<() => Value> {
  return promise.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
}

/** Marks a promise as handled, because its error is thrown later, when the promise is awaited in order. */
function begin<T>(decoding: Promise<T>): Promise<T> {
  decoding.catch(() => {});
  return decoding;
}
