/** The bytes of a `data:` URL in base64. Not fetched: a page's policy may forbid that. */
export function bytesOfDataUrl(url: string): Uint8Array<ArrayBuffer> {
  const text = atob(url.slice(url.indexOf(',') + 1));
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
  return bytes;
}
