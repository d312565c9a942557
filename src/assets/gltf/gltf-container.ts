/**
 * Checks the container of a file before parsing, so that errors identify a web page, an empty file or a truncated
 * download. Then `openContainer` splits the file. All sizes are in bytes.
 *
 *   GLB   "glTF" │ version │ length ║ length │ "JSON" │ … ║ length │ "BIN\0" │ …
 *         0        4         8        12       16       20
 */
import { assetError } from '../asset-error.js';
import { GltfChecks, type JsonObject } from './gltf-checks.js';

const GLB_MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

/** Checks the container. @throws AssetError `gltf-truncated`, `gltf-version-unsupported`, `gltf-invalid`, `not-gltf` */
export function checkContainer(bytes: Uint8Array<ArrayBuffer>, file: string): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength >= 4 && view.getUint32(0, true) === GLB_MAGIC) checkGlb(view, file);
  else checkText(bytes, file);
}

interface GltfContents {
  readonly text: string;
  /** The binary chunk of a .glb. */
  readonly binary: Uint8Array<ArrayBuffer> | null;
}

/** Splits the file into JSON and binary data. @param bytes a file that passed `checkContainer` */
export function openContainer(bytes: Uint8Array<ArrayBuffer>): GltfContents {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== GLB_MAGIC) return { text: new TextDecoder().decode(bytes), binary: null };
  const jsonEnd = 20 + view.getUint32(12, true);
  const text = new TextDecoder().decode(bytes.subarray(20, jsonEnd));
  const binaryAt = jsonEnd + 8;
  if (binaryAt > bytes.byteLength || view.getUint32(jsonEnd + 4, true) !== BINARY_CHUNK)
    return { text, binary: null };
  return { text, binary: bytes.subarray(binaryAt, binaryAt + view.getUint32(jsonEnd, true)) };
}

function checkGlb(view: DataView, file: string): void {
  const present = view.byteLength;
  const truncated = (jsonPath: string, expected: number) =>
    assetError(
      'gltf-truncated',
      file,
      jsonPath,
      `The file ends early: it needs ${expected} bytes and has ${present}. Download or export it again.`,
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

function unsupportedVersion(file: string, found: string) {
  return assetError(
    'gltf-version-unsupported',
    file,
    'asset.version',
    `The file has ${found}, and only glTF 2.0 can be loaded. Export it as glTF 2.0.`,
  );
}

/** Checks the version of glTF. @throws AssetError `not-gltf`, `gltf-version-unsupported` */
export function checkVersion(root: JsonObject, file: string): void {
  if (root.asset === undefined) {
    throw assetError(
      'not-gltf',
      file,
      '',
      'It is JSON, but no glTF: it has no "asset". Only glTF 2.0 (.gltf, .glb) can be loaded.',
    );
  }
  const { version } = new GltfChecks(file).object(root.asset, 'asset');
  if (version !== '2.0') throw unsupportedVersion(file, `version ${JSON.stringify(version)}`);
}
