/**
 * Encodes draw bundles into WebGPU's render bundles. A render bundle fits all passes of one kind: passes whose
 * attachments have equal formats and sample counts. It is encoded at the first execution in such a pass, and again
 * after a change of its resources. A bundle with a missing resource or a pending pipeline is not encoded.
 *
 *   bundle ─┬─ passes of kind A ─► encoding ─┬─ resources unchanged ─► its render bundle
 *           └─ passes of kind B ─► …         ├─ changed, and all exist ─► encoded again
 *                                            └─ one is missing ─► null; tried again after a change of resources
 *
 * This code is not shared with `Draws`. Browsers take their fast path into WebGPU only at monomorphic call sites. A
 * call site shared by passes and bundles would leave that path.
 */
import { messageOf, RhiError } from '../../../core/errors.js';
import { stringAt } from '../../../core/records/record-fields.js';
import { HEADER_LENGTH_SHIFT } from '../../../core/records/record-table.js';
import { handleField, isDraw } from '../../commands/command-info.js';
import { RhiOpcode } from '../../commands/commands.js';
import type { RenderPassDescriptor, TextureViewDescriptor } from '../../commands/descriptors.js';
import { handleKind } from '../../commands/handles.js';
import { inErrorScope } from '../device/in-error-scope.js';
import type { GpuResource } from '../resources/gpu-resources.js';
import type { Resources } from '../resources/resources.js';
import type { WebGpuBackend } from '../webgpu-backend.js';
import type { DrawBundleResource } from './bundles.js';

/** Maximum number of encodings kept per bundle. */
const MOST_KINDS = 4;

/**
 * The encoding of a bundle for passes of one kind. The GPU may refuse a bundle for one kind only, so each kind has
 * its own state.
 */
export interface Encoding {
  /**
   * Descriptor of the last pass of this kind. If the next pass has the same descriptor object, formats are not
   * compared.
   */
  source: RenderPassDescriptor;
  /** The formats and sample count of this kind, as JSON. */
  readonly formats: string;
  /** The render bundle; null while it is not encoded. */
  draws: EncodedDraws | null;
  /** `Resources.epoch` when the draws were last found current. */
  currentAt: number;
  /** `Resources.epoch` when the bundle could not be encoded. Encoding is tried again once the epoch has risen. */
  missingAt: number;
  /** Whether the GPU has refused the render bundle. The refusal was reported. */
  isRefused: boolean;
}

interface EncodedDraws {
  readonly gpu: GPURenderBundle;
  readonly drawCalls: number;
  readonly instances: number;
  /**
   * Resources that the records use, with their WebGPU objects at the time of encoding. A changed resource has another
   * object.
   */
  readonly used: ReadonlyMap<GpuResource<unknown>, unknown>;
}

/**
 * Returns the bundle's encoding for the kind of pass that `source` describes. Adds the encoding if it is
 * missing.
 */
export function encodingFor(
  { encodings }: DrawBundleResource,
  source: RenderPassDescriptor,
  resources: Resources,
): Encoding {
  for (const encoding of encodings) if (encoding.source === source) return encoding;
  const formats = JSON.stringify(layoutOf(source, resources));
  let encoding = encodings.find((each) => each.formats === formats);
  if (encoding === undefined) {
    encoding = { source, formats, draws: null, currentAt: -1, missingAt: -1, isRefused: false };
    if (encodings.push(encoding) > MOST_KINDS) encodings.shift();
  }
  encoding.source = source;
  return encoding;
}

/** Returns the bundle's draws, encoded again if needed. Returns null if a resource is missing or encoding fails. */
export function currentDraws(
  bundle: DrawBundleResource,
  encoding: Encoding,
  backend: WebGpuBackend,
): EncodedDraws | null {
  const { epoch } = backend.resources;
  if (encoding.draws !== null && isCurrent(encoding, backend.resources)) return encoding.draws;
  encoding.draws = encoding.missingAt === epoch ? null : encode(bundle, encoding, backend);
  if (encoding.draws === null) encoding.missingAt = epoch;
  else encoding.currentAt = epoch;
  return encoding.draws;
}

/** Returns whether all resources of the encoding are unchanged. */
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
  { device, resources, host }: WebGpuBackend,
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
          `The GPU refused the draw bundle "${label}": ${messageOf(error)} From now on it is left out of passes with such attachments. Correct the bundle.`,
          { cause: error, details: { command: 'executeDrawBundle', label, frame: `${resources.frame}` } },
        ),
      );
    });
  } catch {
    // The caller then executes the records one by one, which throws and reports the same error.
  }
  return made;
}

/** Returns the properties in which a render bundle and its pass must agree. */
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

/** Number of entries of `setLast` per opcode. It is at least the number of bind groups and of vertex buffers. */
const SLOTS = 16;
/** Index of the last record that set a slot, by opcode and slot; −1 if no record has set it. */
const setLast = new Int32Array(256 * SLOTS);

/** Encodes the records. Returns null if a draw would be skipped, because its state is missing or incomplete. */
function encodeDraws(
  words: Uint32Array,
  encoder: GPURenderBundleEncoder,
  resources: Resources,
): EncodedDraws | null {
  const ints = new Int32Array(words.buffer);
  const used = new Map<GpuResource<unknown>, unknown>();
  let pipeline: { readonly groupMask: number; readonly vertexMask: number } | undefined;
  let groups = 0;
  let buffers = 0;
  let hasIndices = false;
  let drawCalls = 0;
  let instances = 0;
  setLast.fill(-1);
  const bufferAt = (at: number): GPUBuffer | null => resources.buffers.find(words[at])?.gpu ?? null;
  for (let start = 0; start < words.length; start += words[start] >>> HEADER_LENGTH_SHIFT) {
    const opcode = words[start] & 0xff;
    const at = start + 1;
    const handleWord = handleField[opcode] as number;
    if (isDraw[opcode] === 1) {
      drawCalls++;
      const isIndexed = opcode === RhiOpcode.drawIndexed || opcode === RhiOpcode.drawIndexedIndirect;
      const isWhole = pipeline && !(pipeline.groupMask & ~groups) && !(pipeline.vertexMask & ~buffers);
      if (!isWhole || (isIndexed && !hasIndices)) return null;
    } else if (handleWord > 0 && isSet(words, opcode, start)) continue;
    switch (opcode) {
      case RhiOpcode.setGraphicsPipeline: {
        const found = resources.graphicsPipelines.find(words[at]);
        if (!found?.gpu) return null;
        pipeline = found;
        encoder.setPipeline(found.gpu);
        break;
      }
      case RhiOpcode.setBindGroup: {
        const found = resources.bindGroups.find(words[at + 1]);
        const gpu = found && resources.bindGroupOf(found);
        if (!gpu) return null;
        groups |= 1 << words[at];
        encoder.setBindGroup(words[at], gpu, words, at + 3, words[at + 2]);
        break;
      }
      case RhiOpcode.setVertexBuffer: {
        const gpu = bufferAt(at + 1);
        if (gpu === null) return null;
        buffers |= 1 << words[at];
        encoder.setVertexBuffer(words[at], gpu, words[at + 2], words[at + 3]);
        break;
      }
      case RhiOpcode.setIndexBuffer: {
        const gpu = bufferAt(at);
        if (gpu === null) return null;
        hasIndices = true;
        encoder.setIndexBuffer(gpu, words[at + 1] === 1 ? 'uint32' : 'uint16', words[at + 2], words[at + 3]);
        break;
      }
      case RhiOpcode.draw:
        instances += words[at + 1];
        encoder.draw(words[at], words[at + 1], words[at + 2], words[at + 3]);
        break;
      case RhiOpcode.drawIndexed:
        instances += words[at + 1];
        encoder.drawIndexed(words[at], words[at + 1], words[at + 2], ints[at + 3], words[at + 4]);
        break;
      case RhiOpcode.drawIndirect:
      case RhiOpcode.drawIndexedIndirect: {
        const gpu = bufferAt(at);
        if (gpu === null) return null;
        if (opcode === RhiOpcode.drawIndirect) encoder.drawIndirect(gpu, words[at + 1]);
        else encoder.drawIndexedIndirect(gpu, words[at + 1]);
        break;
      }
      case RhiOpcode.popDebugGroup:
        encoder.popDebugGroup();
        break;
      case RhiOpcode.insertDebugMarker:
        encoder.insertDebugMarker(stringAt(words, at));
        break;
      default:
        encoder.pushDebugGroup(stringAt(words, at));
    }
    const handle = words[start + handleWord];
    const resource = handleWord > 0 ? resources.tables[handleKind(handle)]?.find(handle) : undefined;
    if (resource !== undefined) used.set(resource, resource.gpu);
  }
  return { gpu: encoder.finish(), drawCalls, instances, used };
}

/** Stores the record as the last record of its slot. Returns whether the slot already has the record's value. */
function isSet(words: Uint32Array, opcode: number, start: number): boolean {
  const hasSlot = opcode === RhiOpcode.setBindGroup || opcode === RhiOpcode.setVertexBuffer;
  const place = opcode * SLOTS + (hasSlot ? words[start + 1] % SLOTS : 0);
  const last = setLast[place];
  setLast[place] = start;
  if (last < 0) return false;
  const length = words[start] >>> HEADER_LENGTH_SHIFT;
  for (let i = 0; i < length; i++) if (words[last + i] !== words[start + i]) return false;
  return true;
}
