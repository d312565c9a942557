/**
 * Reads a file and all it refers to, and parses it with glTF-Transform.
 *
 *   main bytes → checkContainer → JSON + resources → checkFeatures → decompress → validateGltf → Document
 */
import { type Document, type JSONDocument, Logger, PlatformIO } from '@gltf-transform/core';
import { isTyped } from '../core/errors.js';
import { resolvePointers } from './animation-pointers.js';
import { assetError, invalidGltf } from './asset-error.js';
import type { AssetFiles } from './asset-files.js';
import type { LoadDecoder } from './decoders/decoders.js';
import { decompress } from './decompress.js';
import { checkContainer } from './gltf-container.js';
import { checkFeatures, preferSupportedSources } from './gltf-features.js';
import { validateGltf } from './gltf-validation.js';
import { convertSpecularGlossiness } from './specular-glossiness.js';

export interface ParsedGltf {
  readonly document: Document;
  /** The JSON behind the document; its arrays have the same order. Extensions are read from it. */
  readonly json: JSONDocument['json'];
  /** Images that could not be had, by URI, with the reason. */
  readonly missing: ReadonlyMap<string, Error>;
}

/** glTF-Transform's reader, fed from our own files. Files that cannot be read are remembered. */
class GltfInput extends PlatformIO {
  readonly missing = new Map<string, Error>();
  readonly #main: Uint8Array<ArrayBuffer>;
  readonly #files: AssetFiles;

  constructor(main: Uint8Array<ArrayBuffer>, files: AssetFiles) {
    super();
    this.#main = main;
    this.#files = files;
    this.setLogger(new Logger(Logger.Verbosity.SILENT));
    // A missing image is a warning of ours; a missing buffer is still an error.
    this.setStrictResources(false);
  }

  protected override async readURI(uri: string, type: 'view'): Promise<Uint8Array<ArrayBuffer>>;
  protected override async readURI(uri: string, type: 'text'): Promise<string>;
  protected override async readURI(uri: string): Promise<Uint8Array<ArrayBuffer> | string> {
    if (uri === '') return this.#main;
    try {
      return await this.#files.read(uri);
    } catch (error) {
      if (error instanceof Error) this.missing.set(uri, error);
      throw error;
    }
  }

  protected override resolve(_base: string, path: string): string {
    return path;
  }

  protected override dirname(): string {
    return '';
  }
}

export interface ReadContext {
  readonly signal: AbortSignal | undefined;
  /** What is left out is added. */
  readonly warnings: string[];
  readonly loadDecoder: LoadDecoder;
  readonly onWork: () => void;
}

/** Throws an AssetError for whatever is wrong with the file, and the signal's reason when aborted. */
export async function readGltf(
  files: AssetFiles,
  { signal, warnings, loadDecoder, onWork }: ReadContext,
): Promise<ParsedGltf> {
  const file = files.mainName;
  const bytes = await files.readMain();
  checkContainer(bytes, file);
  const input = new GltfInput(bytes, files);
  try {
    const parsed = await input.readAsJSON('');
    signal?.throwIfAborted();
    onWork();
    checkFeatures(parsed, file, warnings);
    resolvePointers(parsed.json, file);
    convertSpecularGlossiness(parsed.json, file, warnings);
    preferSupportedSources(parsed, file);
    await decompress(parsed, { file, loadDecoder, onWork });
    signal?.throwIfAborted();
    onWork();
    validateGltf(parsed, file);
    onWork();
    const document = await input.readJSON(parsed);
    return { document, json: parsed.json, missing: input.missing };
  } catch (error) {
    signal?.throwIfAborted();
    throw asAssetError(error, file, bytes);
  }
}

/** What a parser throws, told as an error of the file. */
export function asAssetError(error: unknown, file: string, bytes?: Uint8Array): Error {
  // Those of decoders have classes of their own.
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
