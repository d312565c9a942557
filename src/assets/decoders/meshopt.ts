/** Decodes buffer views that were compressed by meshoptimizer, with its own decoder. */
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { unlessBlocked } from './decoders.js';

export interface CompressedBufferView {
  readonly bytes: Uint8Array;
  /** How many elements there are, and the bytes of each. */
  readonly count: number;
  readonly byteStride: number;
  /** Of the extension: ATTRIBUTES, TRIANGLES or INDICES. */
  readonly mode: string;
  /** Of the extension: NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL or COLOR. */
  readonly filter: string;
}

/** The `count` × `byteStride` bytes. @throws Error for bytes that are no such data; WasmBlocked */
export async function decodeView({
  bytes,
  count,
  byteStride,
  mode,
  filter,
}: CompressedBufferView): Promise<Uint8Array> {
  await unlessBlocked(MeshoptDecoder.ready);
  const decoded = new Uint8Array(count * byteStride);
  MeshoptDecoder.decodeGltfBuffer(decoded, count, byteStride, bytes, mode, filter);
  return decoded;
}
