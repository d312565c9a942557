/**
 * Load errors name the file and the place in it: `"chair.glb", accessors[3]: …`. The codes are stable: `fetch-failed`,
 * `resource-missing`, `not-gltf`, `gltf-truncated`, `gltf-invalid`, `gltf-version-unsupported`,
 * `extension-unsupported`, `accessor-out-of-bounds`, `indices-out-of-range`, `asset-too-large`, `decoder-blocked`,
 * `hdr-invalid`, `hdr-truncated`, `ktx2-invalid`, `ktx2-truncated`, `texture-format-unsupported`.
 */
import { AssetError, type ErrorDetails, isTyped } from '../core/errors.js';

type AssetErrorCode =
  | 'fetch-failed'
  | 'resource-missing'
  | 'not-gltf'
  | 'gltf-truncated'
  | 'gltf-invalid'
  | 'gltf-version-unsupported'
  | 'extension-unsupported'
  | 'accessor-out-of-bounds'
  | 'indices-out-of-range'
  | 'asset-too-large'
  | 'decoder-blocked'
  | 'hdr-invalid'
  | 'hdr-truncated'
  | 'ktx2-invalid'
  | 'ktx2-truncated'
  | 'texture-format-unsupported';

/** Creates a load error. @param jsonPath path within the file (`meshes[0].primitives[1]`), or '' for the whole file */
export function assetError(
  code: AssetErrorCode,
  file: string,
  jsonPath: string,
  message: string,
  cause?: unknown,
  details?: ErrorDetails,
): AssetError {
  const where = jsonPath ? `"${file}", ${jsonPath}` : `"${file}"`;
  return new AssetError(code, `${where}: ${message}`, {
    ...(cause === undefined ? {} : { cause }),
    details,
  });
}

const EXPORT_AGAIN = 'Export the file again.';
const VALIDATE = 'Export the file again, or look at it with the Khronos glTF validator.';

/** Creates the error for a file that breaks a rule of glTF 2.0. */
export function invalidGltf(file: string, jsonPath: string, message: string, cause?: unknown): AssetError {
  return assetError('gltf-invalid', file, jsonPath, `${message} ${VALIDATE}`, cause);
}

/**
 * Creates the error for a range that exceeds its container.
 * @param fault the message between "It" and ", which has … bytes": "ends at byte 12 of bufferViews[0]"
 * @param size bytes of the container
 */
export function outOfBounds(file: string, jsonPath: string, fault: string, size: number): AssetError {
  const message = `It ${fault}, which has ${size} bytes. ${EXPORT_AGAIN}`;
  return assetError('accessor-out-of-bounds', file, jsonPath, message);
}

/** Codes of faults that are tolerated in optional parts. */
const TOLERABLE: readonly unknown[] = ['gltf-invalid', 'accessor-out-of-bounds'];

/**
 * Reads an optional part of a file. A fault in that part becomes a warning, so that the rest of the file is loaded.
 * Errors with codes other than `TOLERABLE` are rethrown.
 * @param consequence last sentence of the warning, such as "The skin is left out."
 * @returns what `read` returns, or `fallback`
 */
export function orWarn<Value, Fallback>(
  warnings: string[],
  consequence: string,
  fallback: Fallback,
  read: () => Value,
): Value | Fallback {
  try {
    return read();
  } catch (error) {
    if (!isTyped(error) || !TOLERABLE.includes(error.code)) throw error;
    const remedy = [VALIDATE, EXPORT_AGAIN].find((each) => error.message.endsWith(each)) ?? '';
    warnings.push(`${error.message.slice(0, error.message.length - remedy.length).trimEnd()} ${consequence}`);
    return fallback;
  }
}

/**
 * Limit for the bytes of all accessors of a file together, and of all its geometries together. Without the limit, a
 * small file that references the same data many thousand times would exhaust the machine's memory.
 */
const LIMIT_BYTES = 2 ** 31;

/** Checks a sum of bytes against the limit. @throws AssetError `asset-too-large` */
export function checkSize(bytes: number, file: string, jsonPath: string): void {
  if (bytes <= LIMIT_BYTES) return;
  const limit = `${LIMIT_BYTES / 2 ** 30} GiB`;
  throw assetError(
    'asset-too-large',
    file,
    jsonPath,
    `Up to this part, the file takes more than ${limit} of memory. Split the file.`,
  );
}
