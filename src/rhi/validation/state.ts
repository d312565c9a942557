/**
 * What the checks share: the models of the resources, what is open (frame, viewport, pass), and the way to report. A
 * check answers true when the record may go on to the executor, false when it is dropped.
 *
 * A model is what is known of a resource: who it is, whether it lives, and what lists may do with it. It stays in its slot
 * when the resource is destroyed, so that messages can still name it.
 *
 *   slot 3   created ─► alive ─► destroyed (named, not usable) ─► the next resource of the slot
 *                 └──► failed: a check refused it; what uses it is dropped in silence, because that was said
 */
import { RhiError } from '../../core/errors.js';
import { Scope } from '../commands/command-rows.js';
import { QueueHint } from '../commands/commands.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import { describeHandle, handleIndex, handleKind, KIND_NAMES, ResourceKind } from '../commands/handles.js';
import { type MessageValues, type ValidationCode, validationMessage } from './messages.js';
import type { CommandRule } from './rules.js';
import type { ValidationOptions } from './validate.js';

/** A buffer or texture that a bind group names. */
export interface Reference {
  readonly model: Model;
  /** The use that its layout makes of it: a bit of `BufferUsage` or `TextureUsage`. */
  readonly usage: number;
  /** Of buffers, in bytes. */
  readonly byteOffset: number;
  readonly byteLength: number;
  /** `setBindGroup` adds an offset. */
  readonly isDynamic: boolean;
}

const NO_COMMANDS: Uint32Array = new Uint32Array(0);

/** One class for all kinds, because a second one makes V8 leave its fast path per draw. */
export class Model {
  isAlive = true;
  isFailed = false;
  /** The list that named it last; -1: none. */
  usedInList = -1;
  /** Of buffers and textures: bits of `BufferUsage` or `TextureUsage`. */
  usage = 0;
  /** Uses (usage bits) that the last `transition` declared; 0: none was. */
  declared = 0;

  // Buffers.
  byteLength = 0;
  /** Of a dynamic page (L5), by word: one more than the list that wrote it last. */
  writtenInList: Int32Array | null = null;
  /** A texture that the drawing viewport has, or had. */
  isViewport = false;
  /** Of a bind group layout, by rising binding number. */
  entries: readonly GPUBindGroupLayoutEntry[] = [];

  // Bind groups.
  /** By rising binding number. */
  references: readonly Reference[] = [];
  /** It binds a dynamic page, whose data lives for one frame. */
  hasDynamicData = false;
  /** The count of destroys when all it names was last found alive. */
  aliveAt = -1;
  /** The count of transitions when all it names was last found declared. */
  declaredAt = -1;

  /** Of a pipeline: bits of what its draws need set (`draws.ts`). */
  needs = 0;

  // Draw bundles.
  commands = NO_COMMANDS;
  draws = 0;

  /** Of a fence: the largest value that was signalled. */
  value: number | bigint = 0;

  constructor(
    readonly handle: number,
    readonly label: string,
  ) {}
}

/** `buffer "vertices" (buffer 3.0)`. */
export const nameOf = (model: Model): string => describeHandle(model.handle, model.label);

/** Usage bits of a buffer or texture in words: `copySource | index`. */
export function usageNames(model: Model, bits: number): string {
  const isBuffer = handleKind(model.handle) === ResourceKind.buffer;
  const names = Object.entries(isBuffer ? BufferUsage : TextureUsage);
  const named = names.filter(([, bit]) => (bits & bit) !== 0).map(([name]) => name);
  return named.join(' | ') || 'nothing';
}

export class Models {
  /** By `ResourceKind`, and by the slot of the handle. */
  readonly slots: readonly (Model | undefined)[][] = KIND_NAMES.map(() => []);
  /** Resources destroyed so far: a bind group is looked through again only when this has changed. */
  destroyCount = 0;
  /** Transitions so far; 0 means that nobody declares any. */
  transitionCount = 0;

  /** Per draw: alive, though perhaps failed. */
  find(handle: number): Model | undefined {
    const model = this.last(handle);
    return model !== undefined && model.handle === handle && model.isAlive ? model : undefined;
  }

  /** What is or was last in the handle's slot. */
  last(handle: number): Model | undefined {
    return this.slots[handleKind(handle)]?.[handleIndex(handle)];
  }

  add(handle: number, label: string): Model {
    const kind = handleKind(handle);
    const model = new Model(handle, label);
    const slots = this.slots[kind];
    if (slots !== undefined) slots[handleIndex(handle)] = model;
    return model;
  }
}

/** Distinct messages reported; a mistake made every frame is said once. */
const MAXIMUM_REPORTS = 256;

export class ValidationState {
  readonly models = new Models();
  /** Commands without fields that are put before the current record, to end what was left open. */
  readonly inserted: number[] = [];
  /** The open pass. */
  readonly pass = {
    /** A bit of `Scope`; `outside`: none is open. */
    scope: Scope.outside as number,
    label: '',
    /** A check refused it: all in it is dropped in silence, its draws are counted as skipped. */
    isDropped: false,
    /** Debug groups that are open in it. */
    groups: [] as string[],
  };
  /** Debug groups that are open outside of passes. */
  readonly groups: string[] = [];
  readonly completedLists: (() => number) | undefined;
  /** The current record's command. */
  rule: CommandRule;
  /** Where it stands, when that is not the list itself; behind the command's name. */
  where = '';
  isInFrame = false;
  frame = -1;
  scene: string | null = null;
  viewport: Model | null = null;
  /** A viewport was begun in this frame. */
  hadViewport = false;
  /** Something of this frame names the viewport's texture: it lives until the list waits. */
  isViewportAcquired = false;
  queue: number = QueueHint.graphics;
  /** Number of the list being read: the frames that have ended. */
  list = 0;
  skippedDraws = 0;
  readonly #onError: (error: RhiError) => void;
  readonly #reported = new Set<string>();

  constructor({ onError, completedLists }: ValidationOptions, rule: CommandRule) {
    this.rule = rule;
    this.#onError = onError;
    this.completedLists = completedLists;
  }

  /** Reports, each message once; answers false, so that a check can return it. @param command default: the current one */
  report<C extends ValidationCode>(code: C, { command = this.command, ...values }: MessageValues<C>): false {
    const error = new RhiError(code, validationMessage(code, { command, pass: this.passName, ...values }));
    if (this.#reported.has(error.message) || this.#reported.size >= MAXIMUM_REPORTS) return false;
    this.#reported.add(error.message);
    this.#onError(error);
    return false;
  }

  /** The current record's command. */
  get command(): string {
    return this.rule.name + this.where;
  }

  get passName(): string {
    return `${this.pass.scope === Scope.computePass ? 'compute' : 'render'} pass "${this.pass.label}"`;
  }

  /** The live model of a handle of one of these kinds; null when there is none, which is reported, or when it has failed. */
  find(kinds: readonly ResourceKind[], handle: number): Model | null {
    const model = this.models.find(handle);
    const kind = handleKind(handle);
    if (model === undefined || (kind !== kinds[0] && !kinds.includes(kind as ResourceKind))) {
      this.reportMissing(kinds, handle);
      return null;
    }
    model.usedInList = this.list;
    return model.isFailed ? null : model;
  }

  reportMissing(kinds: readonly ResourceKind[], handle: number): false {
    const last = this.models.last(handle);
    const label = last?.handle === handle ? last.label : '';
    const resource = describeHandle(handle, label);
    if (!kinds.includes(handleKind(handle) as ResourceKind)) {
      const needed = kinds.map((kind) => KIND_NAMES[kind]).join(' or ');
      return this.report('wrong-handle-kind', { needed, resource });
    }
    if (last === undefined) return this.report('never-created', { resource });
    if (last.isViewport) return this.report('viewport-not-begun', {});
    const why =
      last.handle === handle
        ? 'which was destroyed'
        : `which was destroyed; its slot is now "${last.label}"'s`;
    return this.report('stale-handle', { resource, why });
  }

  /** The resource's last transition, if there was any, declared this use. */
  isDeclared(model: Model, usage: number): boolean {
    if (model.declared === 0 || usage === 0 || (model.declared & usage) !== 0) return true;
    return this.report('transition-missing', {
      resource: nameOf(model),
      use: usageNames(model, usage),
      declared: usageNames(model, model.declared),
    });
  }
}
