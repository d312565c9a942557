/** Decodes a base64 `data:` URL without `fetch`, which a page's security policy may forbid for such URLs. */
export function bytesOfDataUrl(url: string): Uint8Array<ArrayBuffer> {
  const text = atob(url.slice(url.indexOf(',') + 1));
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
