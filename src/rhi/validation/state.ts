/**
 * What the checks share: the models of the resources, what is open (frame, viewport, pass), the device's limits,
 * and the way to report. A check answers true when the record may go on to the executor, false when it is dropped.
 */
import { RhiError } from '../../core/errors.js';
import type { StreamReader } from '../../core/stream.js';
import { QueueHint, rhiCommands } from '../commands/commands.js';
import { BufferUsage, type RhiCapabilities, TextureUsage } from '../commands/descriptors.js';
import { describeHandle, handleIndex, handleKind } from '../commands/handles.js';
import type { DrawState } from './draws.js';
import { type MessageValues, type ValidationCode, validationMessage } from './messages.js';
import {
  BufferModel,
  type Model,
  Models,
  type ModelTable,
  nameOf,
  type QuerySetModel,
  type TextureModel,
} from './models.js';
import type { ValidationOptions } from './validate.js';

/** Distinct messages reported; a mistake made every frame is said once. */
const MAXIMUM_REPORTS = 256;

/** What every WebGPU device has at least; used where the capabilities don't tell. */
const DEFAULT_LIMITS = {
  maxTextureDimension1D: 8192,
  maxTextureDimension2D: 8192,
  maxTextureDimension3D: 2048,
  maxTextureArrayLayers: 256,
  maxBindGroups: 4,
  maxBindingsPerBindGroup: 1000,
  maxUniformBufferBindingSize: 65536,
  maxStorageBufferBindingSize: 134217728,
  minUniformBufferOffsetAlignment: 256,
  minStorageBufferOffsetAlignment: 256,
  maxVertexBuffers: 8,
  maxBufferSize: 268435456,
  maxVertexAttributes: 16,
  maxVertexBufferArrayStride: 2048,
  maxColorAttachments: 8,
  maxColorAttachmentBytesPerSample: 32,
  maxComputeWorkgroupsPerDimension: 65535,
  maxUniformBuffersPerShaderStage: 12,
  maxStorageBuffersPerShaderStage: 8,
  maxSampledTexturesPerShaderStage: 16,
  maxSamplersPerShaderStage: 16,
  maxStorageTexturesPerShaderStage: 4,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxDynamicStorageBuffersPerPipelineLayout: 4,
};
export type LimitName = keyof typeof DEFAULT_LIMITS;

export const PassKind = { none: 0, render: 1, compute: 2 } as const;

/** The open pass. */
export interface OpenPass {
  kind: number;
  label: string;
  /** A check refused it: all in it is dropped in silence, its draws are counted as skipped. */
  isDropped: boolean;
  /** Equal for passes with equal formats and sample counts. */
  signature: number;
  colorFormats: readonly string[];
  depthFormat: string;
  samples: number;
  width: number;
  height: number;
  isDepthReadOnly: boolean;
  isStencilReadOnly: boolean;
  querySet: QuerySetModel | null;
  /** The occlusion query that is open; -1 none. */
  query: number;
  readonly usedQueries: Set<number>;
  readonly groups: string[];
  /** What it draws into, what it resolves into among it. */
  readonly attachments: TextureModel[];
}

export class ValidationState {
  readonly models = new Models();
  /** Commands without fields that are put before the current record, to end what was left open. */
  readonly inserted: number[] = [];
  readonly pass: OpenPass = {
    kind: PassKind.none,
    label: '',
    isDropped: false,
    signature: 0,
    colorFormats: [],
    depthFormat: '',
    samples: 1,
    width: 0,
    height: 0,
    isDepthReadOnly: false,
    isStencilReadOnly: false,
    querySet: null,
    query: -1,
    usedQueries: new Set(),
    groups: [],
    attachments: [],
  };
  readonly groups: string[] = [];
  readonly surfaceFormat: string;
  readonly completedLists: (() => number) | undefined;
  /** Of the current record. */
  opcode = 0;
  /** Where it stands, when that is not the list itself; behind the command's name. */
  place = '';
  isInFrame = false;
  frame = -1;
  scene: string | null = null;
  viewport: TextureModel | null = null;
  /** A viewport was begun in this frame. */
  hadViewport = false;
  /** A pass of this frame draws into the viewport: its texture lives until the list waits. */
  isViewportAcquired = false;
  queue: number = QueueHint.graphics;
  /** Number of the list being read: the frames that have ended. */
  list = 0;
  skippedDraws = 0;
  readonly #onError: (error: RhiError) => void;
  readonly #capabilities: RhiCapabilities | undefined;
  readonly #reported = new Set<string>();
  readonly #ids = new Map<string, number>();

  constructor({ onError, capabilities, completedLists }: ValidationOptions) {
    this.#onError = onError;
    this.completedLists = completedLists;
    this.#capabilities = capabilities;
    this.surfaceFormat = capabilities?.surfaceFormat ?? '?';
  }

  /** Reports, each message once; answers false, so that a check can return it. */
  report<C extends ValidationCode>(code: C, values: MessageValues<C>): false {
    this.raise(new RhiError(code, validationMessage(code, values)));
    return false;
  }

  raise(error: RhiError): void {
    if (this.#reported.has(error.message) || this.#reported.size >= MAXIMUM_REPORTS) return;
    this.#reported.add(error.message);
    this.#onError(error);
  }

  limit(name: LimitName): number {
    return this.#capabilities?.limits[name] ?? DEFAULT_LIMITS[name];
  }

  /** Without capabilities every feature is taken as there. */
  hasFeature(name: string): boolean {
    return this.#capabilities === undefined || this.#capabilities.features.includes(name);
  }

  /** A small number for a text, the same for equal texts; never 0. */
  idOf(text: string): number {
    let id = this.#ids.get(text);
    if (id === undefined) {
      id = this.#ids.size + 1;
      this.#ids.set(text, id);
    }
    return id;
  }

  /** The current record's command. */
  get command(): string {
    return rhiCommands.names[this.opcode] + this.place;
  }

  get passName(): string {
    return `${this.pass.kind === PassKind.compute ? 'compute' : 'render'} pass "${this.pass.label}"`;
  }

  /** The live model of a handle; null when there is none, which is reported, or when it has failed. */
  find<M extends Model>(table: ModelTable<M>, handle: number): M | null {
    const model = table.find(handle);
    if (model === undefined) {
      this.reportMissing(table, handle);
      return null;
    }
    model.usedInList = this.list;
    return model.isFailed ? null : model;
  }

  reportMissing(table: ModelTable<Model>, handle: number): false {
    const { command } = this;
    if (handleKind(handle) !== table.kind) {
      const own = this.models.tables[handleKind(handle)]?.slots[handleIndex(handle)];
      const resource = describeHandle(handle, own?.handle === handle ? own.label : '');
      return this.report('wrong-handle-kind', { command, needed: table.kindName, resource });
    }
    const last = table.slots[handleIndex(handle)];
    if (last === undefined)
      return this.report('never-created', { command, resource: describeHandle(handle) });
    if ((last as Partial<TextureModel>).isViewport) return this.report('viewport-not-begun', { command });
    const why =
      last.handle === handle
        ? 'which was destroyed'
        : `which was destroyed; its slot is now "${last.label}"'s`;
    const label = last.handle === handle ? last.label : '';
    return this.report('stale-handle', { command, resource: describeHandle(handle, label), why });
  }

  /** The resource was created for this use, and its last transition (if any) declared it. */
  checkUsage(model: BufferModel | TextureModel, usage: number, use: string): boolean {
    if ((model.usage & usage) === 0) {
      return this.report('usage-missing', {
        command: this.command,
        resource: nameOf(model),
        use,
        remedy: usageRemedy(model, usage),
      });
    }
    if (model.declared !== 0 && (model.declared & usage) === 0) {
      const declared = usageNames(model, model.declared);
      return this.report('transition-missing', {
        command: this.command,
        resource: nameOf(model),
        use,
        declared,
      });
    }
    return true;
  }

  /** Bytes `first` to `end` (excluded) lie in the buffer. */
  checkRange(buffer: BufferModel, first: number, end: number): boolean {
    if (first <= end && end <= buffer.byteLength) return true;
    const { command } = this;
    return this.report('buffer-range', {
      command,
      first,
      end,
      buffer: nameOf(buffer),
      size: buffer.byteLength,
    });
  }

  checkAlignment(buffer: Model, what: string, value: number, alignment: number): boolean {
    if (value % alignment === 0) return true;
    return this.report('buffer-alignment', {
      command: this.command,
      what,
      value,
      buffer: nameOf(buffer),
      alignment,
    });
  }
}

/** Usage bits in words: `copySource | index`. */
export function usageNames(model: Model, bits: number): string {
  const names = Object.entries(model instanceof BufferModel ? BufferUsage : TextureUsage);
  const named = names.filter(([, bit]) => (bits & bit) !== 0).map(([name]) => name);
  return named.join(' | ') || 'nothing';
}

function usageRemedy(model: BufferModel | TextureModel, usage: number): string {
  const { mapRead, mapWrite } = BufferUsage;
  if (model instanceof BufferModel && (model.usage & mapRead) !== 0)
    return 'mapRead goes only with copyTarget: use another buffer';
  if (model instanceof BufferModel && (model.usage & mapWrite) !== 0)
    return 'mapWrite goes only with copySource: use another buffer';
  return `Create it with the usage ${usageNames(model, usage)}`;
}

/** A record where it lies: `fields` is the index in `words` of its first field. The current one of a reader is one. */
export type CheckedRecord = Pick<StreamReader, 'opcode' | 'words' | 'floats' | 'fields' | 'fieldWords'>;

/** What a check of a cold command is given. */
export interface Check {
  readonly state: ValidationState;
  readonly draws: DrawState;
  readonly reader: CheckedRecord;
  readonly words: Uint32Array;
  /** Index of the first field. */
  readonly at: number;
}
