/**
 * Encodes draw bundles into render bundles: the first time they are executed in passes of a kind, and again when what they
 * name has changed. Where something lacks, or a pipeline is pending, nothing is encoded.
 *
 *   bundle ─┬─ passes with such attachments ─► encoding ─┬─ current: every resource is what it was ─► the render bundle
 *           └─ …                                         ├─ all is there ─► encoded anew
 *                                                        └─ something lacks; tried again when resources have changed
 */
import { messageOf, RhiError } from '../../core/errors.js';
import type { RenderPassDescriptor, TextureViewDescriptor } from '../commands/descriptors.js';
import { handleKind } from '../commands/handles.js';
import { type EncodedDraws, encodeDraws } from './bundle-encoding.js';
import type { DrawBundleResource } from './bundles.js';
import { inErrorScope } from './in-error-scope.js';
import type { ExecutorParts } from './parts.js';
import type { Resources } from './resources.js';

/** Kinds of passes that are known of one bundle at a time. */
const MOST_KINDS = 4;

/** What has become of a bundle in passes of one kind. Each kind has its own fate: what one lacks, another may not. */
export interface Encoding {
  /** The pass that was last found to be of this kind; another object may say the same. */
  source: RenderPassDescriptor;
  readonly formats: string;
  draws: EncodedDraws | null;
  /** `Resources.epoch` when the draws were last found current. */
  currentAt: number;
  /** `Resources.epoch` when something lacked; encoding is tried again when it has risen. */
  lackedAt: number;
  /** The GPU has refused it, and that was reported. */
  isRefused: boolean;
}

export class BundleEncoder {
  readonly #parts: ExecutorParts;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /** Whether the GPU has refused it for passes like this one. */
  isRefused(bundle: DrawBundleResource, source: RenderPassDescriptor): boolean {
    return encodingFor(bundle, source, this.#parts.resources).isRefused;
  }

  /** Null where something lacks. */
  currentDraws(bundle: DrawBundleResource, source: RenderPassDescriptor): EncodedDraws | null {
    const parts = this.#parts;
    const encoding = encodingFor(bundle, source, parts.resources);
    const { epoch } = parts.resources;
    if (encoding.draws !== null && isCurrent(encoding, parts.resources)) return encoding.draws;
    encoding.draws = encoding.lackedAt === epoch ? null : encode(bundle, encoding, parts);
    if (encoding.draws === null) encoding.lackedAt = epoch;
    else encoding.currentAt = epoch;
    return encoding.draws;
  }
}

function encodingFor(
  { encodings }: DrawBundleResource,
  source: RenderPassDescriptor,
  resources: Resources,
): Encoding {
  for (const encoding of encodings) if (encoding.source === source) return encoding;
  const formats = JSON.stringify(layoutOf(source, resources));
  let encoding = encodings.find((each) => each.formats === formats);
  if (encoding === undefined) {
    encoding = { source, formats, draws: null, currentAt: -1, lackedAt: -1, isRefused: false };
    if (encodings.push(encoding) > MOST_KINDS) encodings.shift();
  }
  encoding.source = source;
  return encoding;
}

/** Every resource it names is what it was. */
function isCurrent(encoding: Encoding, { epoch, tables }: Resources): boolean {
  if (encoding.currentAt === epoch) return true;
  for (const [resource, gpu] of encoding.draws?.used ?? []) {
    const table = tables[handleKind(resource.handle)];
    if (resource.gpu !== gpu || table?.find(resource.handle) !== resource) return false;
  }
  encoding.currentAt = epoch;
  return true;
}

function encode(
  { commands, label }: DrawBundleResource,
  encoding: Encoding,
  { device, resources, host }: ExecutorParts,
): EncodedDraws | null {
  let made: EncodedDraws | null = null;
  const make = (): void => {
    const encoder = device.createRenderBundleEncoder({ ...layoutOf(encoding.source, resources), label });
    made = encodeDraws(commands, encoder, resources);
  };
  try {
    inErrorScope(device, 'validation', make, (error) => {
      if (made === null) return;
      encoding.isRefused = true;
      host.report(
        new RhiError(
          'bundle-refused',
          `The GPU refused the draw bundle "${label}": ${messageOf(error)} It is left out of passes with such attachments from here on. Correct it.`,
          { cause: error, details: { command: 'executeDrawBundle', label, frame: `${resources.frame}` } },
        ),
      );
    });
  } catch {
    // Executed directly, it throws again, and is reported.
  }
  return made;
}

/** What a bundle must agree with its pass in. */
function layoutOf(source: RenderPassDescriptor, { textures }: Resources): GPURenderBundleEncoderDescriptor {
  let sampleCount = 1;
  const formatOf = ({ texture, format }: TextureViewDescriptor): GPUTextureFormat | undefined => {
    const gpu = textures.find(texture)?.gpu;
    sampleCount = gpu?.sampleCount ?? 1;
    return (format as GPUTextureFormat | undefined) ?? gpu?.format;
  };
  const { depthStencilAttachment: depth } = source;
  return {
    colorFormats: source.colorAttachments.map((color) => color && (formatOf(color.view) ?? null)),
    depthStencilFormat: depth && formatOf(depth.view),
    sampleCount,
    depthReadOnly: depth?.depthReadOnly,
    stencilReadOnly: depth?.stencilReadOnly,
  };
}
