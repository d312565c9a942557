/** Decodes compressed buffer views with the decoder of meshoptimizer. */
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { unlessBlocked } from './decoders.js';

export interface CompressedBufferView {
  readonly bytes: Uint8Array;
  /** Count of elements. */
  readonly count: number;
  readonly byteStride: number;
  /** The extension's mode: ATTRIBUTES, TRIANGLES or INDICES. */
  readonly mode: string;
  /** The extension's filter: NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL or COLOR. */
  readonly filter: string;
}

/** Returns the decoded `count` × `byteStride` bytes. @throws Error for invalid data; WasmBlocked */
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
