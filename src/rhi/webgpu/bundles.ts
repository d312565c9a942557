/**
 * Draw bundles on WebGPU: a bundle's records are encoded into a `GPURenderBundle` the first time they are executed, and
 * again when what they name has changed. Where something lacks, or a pipeline is pending, they are executed one by one
 * instead, so that one missing resource costs its draws and not the bundle's.
 *
 *   executeDrawBundle ─┬─ refused for these formats ─► left out, its draws counted as skipped
 *                      ├─ indirect draws that this pass has executed before ─► record by record, see `isIndirect`
 *                      ├─ encoded for these formats, still current ─► executeBundles
 *                      ├─ all is there ─► encode ─► executeBundles
 *                      └─ something lacks ─► record by record: skipped draws are counted, stale handles reported
 */
import { messageOf, RhiError } from '../../core/errors.js';
import type { RenderPassDescriptor, TextureViewDescriptor } from '../commands/descriptors.js';
import { handleKind, ResourceKind } from '../commands/handles.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { bundleRecord, checkedBundleAt, countDraws, hasIndirectDraws } from '../record/draw-bundle.js';
import { type EncodedDraws, encodeDraws } from './bundle-encoding.js';
import { inErrorScope } from './in-error-scope.js';
import type { ExecutorParts, Handler } from './parts.js';
import type { GpuResource, Resources } from './resources.js';

/** Kinds of passes that are known of one bundle at a time. */
const MOST_KINDS = 4;

/** What has become of a bundle in passes of one kind. Each kind has its own fate: what one lacks, another may not. */
interface Encoding {
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

export class DrawBundleResource implements GpuResource<null> {
  /** What is encoded is freed with it. */
  readonly gpu = null;
  /** Its record is made anew where it is asked for. */
  readonly creation = -1;
  readonly draws: number;
  /**
   * Some draws read their numbers from a buffer. Chromium 150 loses the device where a pass executes such a bundle of its own
   * twice; its draws in the pass itself are well.
   */
  readonly isIndirect: boolean;
  /** The pass that has executed it last. */
  lastPass: GPURenderPassEncoder | null = null;
  readonly encodings: Encoding[] = [];

  /** @param commands checked ones, its own */
  constructor(
    readonly handle: number,
    readonly label: string,
    readonly createdInFrame: number,
    readonly commands: Uint32Array<ArrayBuffer>,
  ) {
    this.draws = countDraws(commands);
    this.isIndirect = hasIndirectDraws(commands);
  }

  /** Header and fields of the record that creates it. */
  get record(): Uint32Array {
    return bundleRecord(this.handle, this.label, this.commands);
  }
}

export const bundleHandlers = {
  createDrawBundle: ({ bundles, resources }, { words, fields, fieldWords }) => {
    const handle = words[fields];
    const { label, commands } = checkedBundleAt(words, fields, fieldWords);
    if (handleKind(handle) !== ResourceKind.drawBundle) throw bundles.staleHandle(handle);
    // A copy that lies in no shared memory.
    const own = new Uint32Array(commands);
    if (bundles.add(new DrawBundleResource(handle, label, resources.frame, own))) resources.epoch++;
  },
  executeDrawBundle: (parts, { words, fields }) => {
    if (parts.mustWaitForPipelines()) return;
    const bundle = parts.bundles.get(words[fields]);
    const { pass } = parts;
    const { render, source } = pass;
    const encoding = render === null || source === null ? null : encodingFor(bundle, source, parts.resources);
    if (render === null || encoding === null || encoding.isRefused) {
      pass.skipDraws(bundle.draws);
      return;
    }
    const isAgain = bundle.isIndirect && bundle.lastPass === render;
    bundle.lastPass = render;
    const encoded = isAgain ? null : currentDraws(bundle, encoding, parts);
    // As at the pass's begin: nothing counts as set.
    pass.beginRender(render);
    if (encoded === null) {
      executeRecords(bundle, parts, render);
      return;
    }
    pass.drawCalls += encoded.drawCalls;
    pass.instances += encoded.instances;
    execution[0] = encoded.gpu;
    render.executeBundles(execution);
  },
} satisfies Record<string, Handler>;

const execution: GPURenderBundle[] = [];

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

/** Null where something lacks. */
function currentDraws(
  bundle: DrawBundleResource,
  encoding: Encoding,
  parts: ExecutorParts,
): EncodedDraws | null {
  const { epoch } = parts.resources;
  if (encoding.draws !== null && isCurrent(encoding, parts.resources)) return encoding.draws;
  encoding.draws = encoding.lackedAt === epoch ? null : encode(bundle, encoding, parts);
  if (encoding.draws === null) encoding.lackedAt = epoch;
  else encoding.currentAt = epoch;
  return encoding.draws;
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

/** What a record throws does not end the bundle. The first error is thrown behind it. */
function executeRecords(
  { commands }: DrawBundleResource,
  parts: ExecutorParts,
  render: GPURenderPassEncoder,
): void {
  const records = new RecordSequence(commands);
  let firstError: unknown = null;
  let isLeft = true;
  while (isLeft) {
    try {
      parts.draws.execute(records);
      isLeft = records.next();
      if (isLeft) parts.handlers[records.opcode]?.(parts, records);
    } catch (error) {
      firstError ??= error;
    }
  }
  parts.pass.beginRender(render);
  if (firstError !== null) throw firstError;
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
