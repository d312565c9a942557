/**
 * Unpacks ZLIB data with the browser's own decoder, up to `length` bytes. Without this limit, a few bytes might unpack
 * to gigabytes.
 * @param length most bytes to return; the result is shorter if the data ends early
 * @throws TypeError for data that is not ZLIB
 */
export async function inflate(
  packed: Uint8Array<ArrayBuffer>,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const content = new Uint8Array(length);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  const reader = unpacked.getReader();
  let filled = 0;
  try {
    while (filled < length) {
      const { done, value } = await reader.read();
      if (done) break;
      content.set(value.subarray(0, length - filled), filled);
      filled += value.length;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  return content.subarray(0, Math.min(filled, length));
}
