/** Decodes Draco meshes with Google's decoder for glTF. */
import type { Decoder, DecoderModule, Mesh } from 'draco3dgltf';
import wasm from 'draco3dgltf/draco_decoder_gltf.wasm?url&inline';
import createDecoderModule from 'draco3dgltf/draco_decoder_gltf_nodejs.js';
import { bytesOfDataUrl } from './data-url.js';
import { DamagedData, unlessBlocked } from './decoders.js';

/** An attribute of a mesh, and the type to decode it to. */
export interface DracoAttribute {
  readonly id: number;
  /** Components per vertex. */
  readonly size: number;
  /** Component type to decode to, by glTF's number. */
  readonly componentType: number;
}

export interface DracoMesh {
  readonly vertexCount: number;
  /** Indices of a triangle list. */
  readonly indices: Uint32Array;
  /** The requested attributes: tightly packed arrays of the requested types, as bytes. */
  readonly attributes: readonly Uint8Array[];
}

/** Draco's name and the bytes of each component type, by glTF's number. */
const TYPES: Readonly<Record<number, readonly [name: DataTypeName, bytes: number]>> = {
  5120: ['DT_INT8', 1],
  5121: ['DT_UINT8', 1],
  5122: ['DT_INT16', 2],
  5123: ['DT_UINT16', 2],
  5125: ['DT_UINT32', 4],
  5126: ['DT_FLOAT32', 4],
};
type DataTypeName = 'DT_INT8' | 'DT_UINT8' | 'DT_INT16' | 'DT_UINT16' | 'DT_UINT32' | 'DT_FLOAT32';

let compiling: Promise<DecoderModule> | null = null;

/**
 * Decodes a mesh. If the decoder itself fails, its instance is discarded, and the next mesh gets a new one.
 * @throws DamagedData for bytes that are no Draco mesh, or whose attributes differ from the request; WasmBlocked
 */
export async function decodeMesh(
  bytes: Uint8Array,
  attributes: readonly DracoAttribute[],
): Promise<DracoMesh> {
  compiling ??= unlessBlocked(createDecoderModule({ wasmBinary: bytesOfDataUrl(wasm) }));
  try {
    return decodeWith(await compiling, bytes, attributes);
  } catch (error) {
    if (!(error instanceof DamagedData)) compiling = null;
    throw error;
  }
}

function decodeWith(
  draco: DecoderModule,
  bytes: Uint8Array,
  attributes: readonly DracoAttribute[],
): DracoMesh {
  const decoder = new draco.Decoder();
  const buffer = new draco.DecoderBuffer();
  const mesh = new draco.Mesh();
  try {
    buffer.Init(bytes as unknown as Int8Array, bytes.byteLength);
    if (decoder.GetEncodedGeometryType(buffer) !== draco.TRIANGULAR_MESH) {
      throw new DamagedData('Its data is not a mesh of triangles.');
    }
    const status = decoder.DecodeBufferToMesh(buffer, mesh);
    if (!status.ok()) throw new DamagedData(status.error_msg());
    return {
      vertexCount: mesh.num_points(),
      indices: new Uint32Array(readIndices(draco, decoder, mesh).buffer),
      attributes: attributes.map((attribute) => readAttribute(draco, decoder, mesh, attribute)),
    };
  } finally {
    draco.destroy(mesh);
    draco.destroy(buffer);
    draco.destroy(decoder);
  }
}

function readIndices(draco: DecoderModule, decoder: Decoder, mesh: Mesh): Uint8Array {
  return readBytes(draco, mesh.num_faces() * 3 * 4, (byteLength, pointer) =>
    decoder.GetTrianglesUInt32Array(mesh, byteLength, pointer),
  );
}

function readAttribute(
  draco: DecoderModule,
  decoder: Decoder,
  mesh: Mesh,
  { id, size, componentType }: DracoAttribute,
): Uint8Array {
  const [type, componentBytes] = TYPES[componentType] ?? ['DT_FLOAT32', 4];
  const attribute = decoder.GetAttributeByUniqueId(mesh, id);
  // A missing attribute is a null pointer, which the type declarations omit.
  if (!(attribute as unknown as { readonly ptr: number }).ptr)
    throw new DamagedData(`It has no attribute ${id}.`);
  if (attribute.num_components() !== size) {
    throw new DamagedData(
      `Its attribute ${id} has ${attribute.num_components()} components, and the accessor ${size}.`,
    );
  }
  return readBytes(draco, mesh.num_points() * size * componentBytes, (byteLength, pointer) =>
    decoder.GetAttributeDataArrayForAllPoints(mesh, attribute, draco[type], byteLength, pointer),
  );
}

/**
 * Copies bytes out of the decoder.
 * @param write writes the bytes to an address in the decoder's memory; returns false on failure
 */
function readBytes(
  draco: DecoderModule,
  byteLength: number,
  write: (byteLength: number, pointer: number) => unknown,
): Uint8Array {
  const pointer = draco._malloc(byteLength);
  if (pointer === 0 && byteLength > 0) throw new RangeError('The decoder has no memory left.');
  try {
    if (write(byteLength, pointer) === false) throw new DamagedData('Its data ends early.');
    return new Uint8Array(draco.HEAPF32.buffer, pointer, byteLength).slice();
  } finally {
    draco._free(pointer);
  }
}
