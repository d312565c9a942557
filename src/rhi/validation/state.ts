/**
 * The common state of the checks: models of the resources, the open scopes (frame, viewport, pass), and reporting. A
 * check returns true if the record may go on to the executor, and false to drop it.
 *
 * A model is validation's knowledge of a resource: its identity, its life, its allowed uses. It stays in its slot after
 * the resource is destroyed, so that messages can still name it.
 *
 *   slot 3   created ─► alive ─► destroyed (named, not usable) ─► the next resource of the slot
 *                 └──► failed: a check refused it; its users are dropped, and only the cause is reported
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
  /** The use by its layout: a bit of `BufferUsage` or `TextureUsage`. */
  readonly usage: number;
  /** Offset and length of a buffer, in bytes. */
  readonly byteOffset: number;
  readonly byteLength: number;
  /** Whether `setBindGroup` adds an offset. */
  readonly isDynamic: boolean;
}

const NO_COMMANDS: Uint32Array = new Uint32Array(0);

/** The model of a resource. One class for all kinds, because a second one makes V8 leave its fast path per draw. */
export class Model {
  isAlive = true;
  isFailed = false;
  /** Number of the last list that named it; −1: none. */
  usedInList = -1;
  /** Buffers and textures: bits of `BufferUsage` or `TextureUsage`. */
  usage = 0;
  /** Uses (usage bits) that the last `transition` declared; 0: none. */
  declared = 0;

  // Buffers.
  byteLength = 0;
  /** Dynamic pages (L5): for each word, the number of the list that wrote it last, plus one. */
  writtenInList: Int32Array | null = null;
  /** Whether it is, or was, the texture of the drawing viewport. */
  isViewport = false;
  /** Entries of a bind group layout, by rising binding number. */
  entries: readonly GPUBindGroupLayoutEntry[] = [];

  // Bind groups.
  /** Buffers and textures, by rising binding number. */
  references: readonly Reference[] = [];
  /** Whether it binds a dynamic page, whose data lives for one frame. */
  hasDynamicData = false;
  /** `destroyCount` when all its resources were last found alive. */
  aliveAt = -1;
  /** `transitionCount` when all its resources were last found declared. */
  declaredAt = -1;

  /** Pipelines: bits of the state that its draws need (`draws.ts`). */
  needs = 0;

  // Draw bundles.
  commands = NO_COMMANDS;
  draws = 0;

  /** Fences: the largest value that was signalled. */
  value: number | bigint = 0;

  constructor(
    readonly handle: number,
    readonly label: string,
  ) {}
}

/** Returns a name such as `buffer "vertices" (buffer 3.0)`. */
export const nameOf = (model: Model): string => describeHandle(model.handle, model.label);

/** Returns the names of a buffer's or texture's usage bits, such as `copySource | index`. */
export function usageNames(model: Model, bits: number): string {
  const isBuffer = handleKind(model.handle) === ResourceKind.buffer;
  const names = Object.entries(isBuffer ? BufferUsage : TextureUsage);
  const named = names.filter(([, bit]) => (bits & bit) !== 0).map(([name]) => name);
  return named.join(' | ') || 'nothing';
}

export class Models {
  /** Models by `ResourceKind`, and by the slot of the handle. */
  readonly slots: readonly (Model | undefined)[][] = KIND_NAMES.map(() => []);
  /** Number of destroyed resources; a bind group is checked again only when it has changed. */
  destroyCount = 0;
  /** Number of transitions; 0: the list declares none. */
  transitionCount = 0;

  /** Returns the live model of a handle, which may have failed. Called per draw. */
  find(handle: number): Model | undefined {
    const model = this.last(handle);
    return model !== undefined && model.handle === handle && model.isAlive ? model : undefined;
  }

  /** Returns the current or last model in the handle's slot. */
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

/** Maximum number of distinct reports; a repeated mistake is reported once. */
const MAXIMUM_REPORTS = 256;

export class ValidationState {
  readonly models = new Models();
  /** Opcodes of commands without fields, inserted before the current record to end open scopes. */
  readonly inserted: number[] = [];
  /** The open pass. */
  readonly pass = {
    /** A bit of `Scope`; `outside`: no pass is open. */
    scope: Scope.outside as number,
    label: '',
    /**
     * Whether a check has refused the pass. Its commands are then dropped without a report, and its draws counted as
     * skipped.
     */
    isDropped: false,
    /** Open debug groups in the pass. */
    groups: [] as string[],
  };
  /** Open debug groups outside passes. */
  readonly groups: string[] = [];
  readonly completedLists: (() => number) | undefined;
  /** Rule of the current record's command. */
  rule: CommandRule;
  /** The record's place, if it is not in the list itself; follows the command's name in messages. */
  where = '';
  isInFrame = false;
  frame = -1;
  scene: string | null = null;
  viewport: Model | null = null;
  /** Whether a viewport was begun in this frame. */
  hadViewport = false;
  /** Whether a command of this frame names the viewport's texture, which lives until the list waits. */
  isViewportAcquired = false;
  queue: number = QueueHint.graphics;
  /** Number of the current list: the number of frames that have ended. */
  list = 0;
  skippedDraws = 0;
  readonly #onError: (error: RhiError) => void;
  readonly #reported = new Set<string>();

  constructor({ onError, completedLists }: ValidationOptions, rule: CommandRule) {
    this.rule = rule;
    this.#onError = onError;
    this.completedLists = completedLists;
  }

  /**
   * Reports each message once. Returns false, so that a check can return the call.
   * @param command default: the current one
   */
  report<C extends ValidationCode>(code: C, { command = this.command, ...values }: MessageValues<C>): false {
    const error = new RhiError(code, validationMessage(code, { command, pass: this.passName, ...values }));
    if (this.#reported.has(error.message) || this.#reported.size >= MAXIMUM_REPORTS) return false;
    this.#reported.add(error.message);
    this.#onError(error);
    return false;
  }

  /** Name of the current record's command, with its place. */
  get command(): string {
    return this.rule.name + this.where;
  }

  get passName(): string {
    return `${this.pass.scope === Scope.computePass ? 'compute' : 'render'} pass "${this.pass.label}"`;
  }

  /**
   * Returns the live model of a handle of one of these kinds. Null: it has failed, or is missing, which is reported.
   */
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

  /** Checks that the resource's last transition, if any, declared this use. */
  isDeclared(model: Model, usage: number): boolean {
    if (model.declared === 0 || usage === 0 || (model.declared & usage) !== 0) return true;
    return this.report('transition-missing', {
      resource: nameOf(model),
      use: usageNames(model, usage),
      declared: usageNames(model, model.declared),
    });
  }
}
