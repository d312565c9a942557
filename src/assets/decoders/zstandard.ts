/**
 * Unpacks Zstandard data with Facebook's decoder in WebAssembly, which three.js ships. Each call has its own memory.
 */
import wasm from 'virtual:zstd-decoder';
import { bytesOfDataUrl } from './data-url.js';
import { unlessBlocked } from './decoders.js';

interface Zstandard {
  readonly memory: WebAssembly.Memory;
  malloc(byteLength: number): number;
  ZSTD_decompress(to: number, capacity: number, from: number, byteLength: number): number;
  ZSTD_isError(result: number): number;
}

let compiling: Promise<WebAssembly.Module> | null = null;

/**
 * Unpacks data.
 * @param length maximum size of the result, in bytes
 * @throws Error for invalid data, for data that unpacks to more bytes, or without memory; WasmBlocked
 */
export async function unpackZstandard(
  packed: Uint8Array<ArrayBuffer>,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  compiling ??= unlessBlocked(WebAssembly.compile(bytesOfDataUrl(wasm)));
  const module = await compiling;
  const env = { emscripten_notify_memory_growth: () => {} };
  const { exports } = await WebAssembly.instantiate(module, { env });
  const zstandard = exports as unknown as Zstandard;
  const from = reserve(zstandard, packed.byteLength);
  const to = reserve(zstandard, length);
  new Uint8Array(zstandard.memory.buffer).set(packed, from);
  const written = zstandard.ZSTD_decompress(to, length, from, packed.byteLength);
  if (zstandard.ZSTD_isError(written))
    throw new Error('its bytes are not Zstandard’s, or hold more than they should.');
  return new Uint8Array(zstandard.memory.buffer).slice(to, to + written);
}

/** Allocates at least one byte, because `malloc(0)` may return no valid address. @returns the address */
function reserve(zstandard: Zstandard, byteLength: number): number {
  const address = zstandard.malloc(Math.max(1, byteLength));
  if (address === 0) throw new Error(`there is no memory for ${byteLength} bytes.`);
  return address;
}
