/**
 * The common state of the checks: models of the resources, the open scopes (frame, viewport, pass), and reporting. A
 * check returns true to pass the record on to the executor, and false to drop it.
 *
 * A model holds the facts about a resource that the checks need: handle, label, whether it is alive, and allowed uses.
 * A destroyed resource keeps its model until another resource gets the slot, so that messages can still show the
 * resource's label.
 *
 *   slot 3   created ─► alive ─► destroyed (named, not usable) ─► the next resource of the slot
 *                 └──► failed: a check refused it. Commands that use it are dropped, and only the cause is reported
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
  /** The use that the bind group's layout names: a bit of `BufferUsage` or `TextureUsage`. */
  readonly usage: number;
  /** Start of the bound range of a buffer, in bytes. */
  readonly byteOffset: number;
  /** Length of the bound range of a buffer, in bytes. */
  readonly byteLength: number;
  /** Whether `setBindGroup` adds a dynamic offset. */
  readonly isDynamic: boolean;
}

const NO_COMMANDS: Uint32Array = new Uint32Array(0);

/**
 * The model of a resource. All kinds share this class, because a second class makes V8 leave its fast path per
 * draw.
 */
export class Model {
  isAlive = true;
  isFailed = false;
  /** Number of the last list that used the resource; −1 if no list has used it. */
  usedInList = -1;
  /** Allowed uses of a buffer or texture: bits of `BufferUsage` or `TextureUsage`. */
  usage = 0;
  /** Usage bits that the last `transition` declared; 0 if there was no transition. */
  declared = 0;

  // Buffers, textures and bind group layouts.
  byteLength = 0;
  /** For each word of a dynamic page (SYSTEMS L5), the number of the last list that wrote it, plus one. */
  writtenInList: Int32Array | null = null;
  /** Whether this texture is, or was, the target of the drawing viewport. False once its handle is destroyed. */
  isViewport = false;
  /** Entries of a bind group layout, by rising binding number. */
  entries: readonly GPUBindGroupLayoutEntry[] = [];

  // Bind groups.
  /** Buffers and textures of the group, by rising binding number. */
  references: readonly Reference[] = [];
  /** Whether the group binds a dynamic page, whose data lives for one frame. */
  hasDynamicData = false;
  /** The `destroyCount` at the last check that found all of the group's resources alive. */
  aliveAt = -1;
  /** The `transitionCount` at the last check that found the uses of all of the group's resources declared. */
  declaredAt = -1;

  /** For a pipeline: bits of the state that its draws or dispatches need (`draws.ts`). */
  needs = 0;

  // Draw bundles.
  commands = NO_COMMANDS;
  draws = 0;

  /** For a fence: the largest value signalled so far. */
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
  /** Models by `ResourceKind`, and then by the slot of the handle. */
  readonly slots: readonly (Model | undefined)[][] = KIND_NAMES.map(() => []);
  /** Number of destroyed resources and ended viewports. While it stays the same, a checked bind group stays valid. */
  destroyCount = 0;
  /**
   * Number of transitions so far. While it stays the same, the declared uses of a checked bind group stay the
   * same.
   */
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

  /** Puts a new model into the handle's slot. */
  add(handle: number, label: string): Model {
    const kind = handleKind(handle);
    const model = new Model(handle, label);
    const slots = this.slots[kind];
    if (slots !== undefined) slots[handleIndex(handle)] = model;
    return model;
  }
}

/** Maximum number of reports. Repetitions of a message are not reported. */
const MAXIMUM_REPORTS = 256;

export class ValidationState {
  readonly models = new Models();
  /** Opcodes of commands without fields, inserted before the current record to end open scopes. */
  readonly inserted: number[] = [];
  /** The open pass. */
  readonly pass = {
    /** A bit of `Scope`. It is `outside` if no pass is open. */
    scope: Scope.outside as number,
    label: '',
    /**
     * Whether a check has refused the pass. The commands of a refused pass are dropped without a report, and its
     * draws count as skipped.
     */
    isDropped: false,
    /** Open debug groups in the pass. */
    groups: [] as string[],
  };
  /** Open debug groups outside passes. */
  readonly groups: string[] = [];
  readonly completedFrames: (() => number) | undefined;
  /** Rule of the current record's command. */
  rule: CommandRule;
  /**
   * Text that follows the command's name in messages, such as ` in the draw bundle "trees"`. Empty for records of the
   * list itself.
   */
  where = '';
  isInFrame = false;
  frame = -1;
  scene: string | null = null;
  viewport: Model | null = null;
  /** Whether a viewport was begun in this frame. */
  hadViewport = false;
  /**
   * Whether a descriptor of this frame has used the viewport's texture. The texture would expire during a fence wait.
   */
  isViewportAcquired = false;
  queue: number = QueueHint.graphics;
  /** Number of the current list, counted from 0. It rises with each `endFrame`. */
  list = 0;
  skippedDraws = 0;
  readonly #onError: (error: RhiError) => void;
  readonly #reported = new Set<string>();

  constructor({ onError, completedFrames }: ValidationOptions, rule: CommandRule) {
    this.rule = rule;
    this.#onError = onError;
    this.completedFrames = completedFrames;
  }

  /**
   * Reports a fault, unless the same message was reported before. Always returns false, so that a check can end with
   * `return report(…)`.
   * @param command name of the command in the message. Default: the current command
   */
  report<C extends ValidationCode>(code: C, { command = this.command, ...values }: MessageValues<C>): false {
    const error = new RhiError(code, validationMessage(code, { command, pass: this.passName, ...values }));
    if (this.#reported.has(error.message) || this.#reported.size >= MAXIMUM_REPORTS) return false;
    this.#reported.add(error.message);
    this.#onError(error);
    return false;
  }

  /** Name of the current record's command, followed by `where`. */
  get command(): string {
    return this.rule.name + this.where;
  }

  get passName(): string {
    return `${this.pass.scope === Scope.computePass ? 'compute' : 'render'} pass "${this.pass.label}"`;
  }

  /**
   * Returns the live model of a handle of one of these kinds. Returns null if the resource has failed. If the resource
   * is missing, reports it and returns null.
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

  /** Reports a handle without a live resource, or of another kind. */
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

  /**
   * Returns whether the resource's last transition declared this use. Every use is valid before the first
   * transition.
   */
  isDeclared(model: Model, usage: number): boolean {
    if (model.declared === 0 || usage === 0 || (model.declared & usage) !== 0) return true;
    return this.report('transition-missing', {
      resource: nameOf(model),
      use: usageNames(model, usage),
      declared: usageNames(model, model.declared),
    });
  }
}
