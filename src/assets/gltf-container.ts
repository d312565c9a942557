/**
 * Looks at the outside of a file before it is parsed, so that a web page, a picture or half a download is
 * named for what it is. All sizes are in bytes.
 *
 *   GLB   "glTF" │ version │ length ║ length │ "JSON" │ … ║ length │ "BIN\0" │ …
 *         0        4         8        12       16       20
 */
import { assetError } from './asset-error.js';

const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;

/** Throws `gltf-truncated`, `gltf-version-unsupported`, `gltf-invalid` or `not-gltf`. */
export function checkContainer(bytes: Uint8Array<ArrayBuffer>, file: string): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength >= 4 && view.getUint32(0, true) === GLB_MAGIC) checkGlb(view, file);
  else checkText(bytes, file);
}

function checkGlb(view: DataView, file: string): void {
  const present = view.byteLength;
  const truncated = (place: string, expected: number) =>
    assetError(
      'gltf-truncated',
      file,
      place,
      `The file ends early: ${expected} bytes are needed and ${present} are there. Download or export it again.`,
    );
  if (present < 20) throw truncated('the GLB header', 20);
  const version = view.getUint32(4, true);
  if (version !== 2) throw unsupportedVersion(file, `binary version ${version}`);
  const length = view.getUint32(8, true);
  if (length > present) throw truncated('the GLB header', length);
  if (view.getUint32(16, true) !== JSON_CHUNK) {
    throw assetError('gltf-invalid', file, 'the first GLB chunk', 'It is not JSON. Export the file again.');
  }
  let offset = 12;
  for (const name of ['JSON', 'BIN']) {
    if (offset >= length) break;
    if (offset + 8 > present) throw truncated(`the ${name} chunk`, offset + 8);
    const end = offset + 8 + view.getUint32(offset, true);
    if (end > present) throw truncated(`the ${name} chunk`, end);
    offset = end;
  }
}

function checkText(bytes: Uint8Array, file: string): void {
  const start = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
  if (start.startsWith('{')) return;
  const isHtml = /^<(!doctype|html|head)/i.test(start);
  const found = isHtml
    ? 'It is an HTML page, as some servers answer for a missing file. Check the address.'
    : bytes.byteLength === 0
      ? 'It is empty. Check that it was written and downloaded whole.'
      : 'It begins neither like a .glb file nor like JSON. Only glTF 2.0 (.gltf, .glb) can be loaded.';
  throw assetError('not-gltf', file, '', found);
}

export function unsupportedVersion(file: string, found: string) {
  return assetError(
    'gltf-version-unsupported',
    file,
    'asset.version',
    `The file has ${found}, and only glTF 2.0 can be loaded. Export it as glTF 2.0.`,
  );
}
