/**
 * Reads a file with all files that it references, and parses it with glTF-Transform.
 *
 *   main bytes → checkContainer → JSON → checkVersion → repairShapes → readResources → checkFeatures → resolvePointers
 *     → rewrite of material extensions → preferSupportedSources → decompress → validateGltf → Document
 *
 * A fault in a part that geometry needs is an error. A fault in any other part is a warning, and the rest is read.
 */
import { type Document, type JSONDocument, Logger, PlatformIO } from '@gltf-transform/core';
import { isTyped } from '../../core/errors.js';
import { assetError, invalidGltf } from '../asset-error.js';
import type { AssetFiles } from '../asset-files.js';
import type { LoadDecoder } from '../decoders/decoders.js';
import { materialReaders } from '../material-features/index.js';
import { resolvePointers } from './animation-pointers.js';
import { decompress } from './decompress.js';
import { GltfChecks } from './gltf-checks.js';
import { checkContainer, checkVersion, openContainer } from './gltf-container.js';
import { checkFeatures, preferSupportedSources } from './gltf-features.js';
import { readResources } from './gltf-resources.js';
import { repairShapes } from './gltf-shapes.js';
import { validateGltf } from './gltf-validation.js';

interface ParsedGltf {
  readonly document: Document;
  /** The JSON of the document, for extensions. Its arrays have the order of the document's lists. */
  readonly json: JSONDocument['json'];
  /** Errors of images that could not be loaded, by URI. */
  readonly missing: ReadonlyMap<string, Error>;
}

/** glTF-Transform's parser. All bytes are passed to it, so it fetches none itself. */
class GltfParser extends PlatformIO {
  constructor() {
    super();
    this.setLogger(new Logger(Logger.Verbosity.SILENT));
  }

  protected override readURI(): Promise<never> {
    return Promise.reject(new Error('All bytes have been read before.'));
  }

  protected override resolve(_base: string, path: string): string {
    return path;
  }

  protected override dirname(): string {
    return '';
  }
}

interface ReadContext {
  readonly signal: AbortSignal | undefined;
  /** Receives a warning for each part that is left out. */
  readonly warnings: string[];
  readonly loadDecoder: LoadDecoder;
  readonly onWork: () => void;
}

/**
 * Reads and parses a file.
 * @throws AssetError for a faulty file; errors of decoders; the signal's reason after an abort
 */
export async function readGltf(
  files: AssetFiles,
  { signal, warnings, loadDecoder, onWork }: ReadContext,
): Promise<ParsedGltf> {
  const file = files.mainName;
  const bytes = await files.readMain();
  checkContainer(bytes, file);
  try {
    const { text, binary } = openContainer(bytes);
    const root = new GltfChecks(file).object(JSON.parse(text), 'the root');
    checkVersion(root, file);
    repairShapes(root, file, warnings);
    const { resources, missing } = await readResources(root, binary, files);
    const parsed = { json: root as unknown as JSONDocument['json'], resources };
    signal?.throwIfAborted();
    onWork();
    checkFeatures(parsed, file, warnings);
    resolvePointers(root, file);
    for (const reader of materialReaders) reader.rewrite?.(root, file, warnings);
    preferSupportedSources(root, file, warnings);
    await decompress(parsed, { file, loadDecoder, onWork, warnings });
    signal?.throwIfAborted();
    onWork();
    validateGltf(parsed, file, warnings);
    onWork();
    const document = await new GltfParser().readJSON(parsed);
    return { document, json: parsed.json, missing };
  } catch (error) {
    signal?.throwIfAborted();
    throw asAssetError(error, file, bytes);
  }
}

/** Converts an error of the parser to an error of the file. Typed errors are returned unchanged. */
export function asAssetError(error: unknown, file: string, bytes?: Uint8Array): Error {
  // `isTyped` also accepts errors of decoders, whose bundles have their own classes.
  if (isTyped(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const isText = bytes?.[0] !== 0x67;
  if (error instanceof SyntaxError && bytes && isText && !endsLikeJson(bytes)) {
    return assetError(
      'gltf-truncated',
      file,
      'its end',
      `The JSON ends early (${message}). Download or export it again.`,
      error,
    );
  }
  return invalidGltf(
    file,
    error instanceof SyntaxError ? 'its JSON' : '',
    `It cannot be read: ${message}.`,
    error,
  );
}

function endsLikeJson(bytes: Uint8Array): boolean {
  let end = bytes.byteLength - 1;
  while (end > 0 && (bytes[end] ?? 0) <= 0x20) end--;
  return bytes[end] === 0x7d;
}
