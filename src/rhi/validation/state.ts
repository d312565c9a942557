/**
 * What the checks share: the models of the resources, what is open (frame, viewport, pass), and the way to report. A
 * check answers true when the record may go on to the executor, false when it is dropped.
 */
import { RhiError } from '../../core/errors.js';
import { Place } from '../commands/command-rows.js';
import { QueueHint } from '../commands/commands.js';
import { describeHandle, handleKind, KIND_NAMES, type ResourceKind } from '../commands/handles.js';
import { type MessageValues, type ValidationCode, validationMessage } from './messages.js';
import { type Model, Models, nameOf, usageNames } from './models.js';
import type { CommandRule } from './rules.js';
import type { ValidationOptions } from './validate.js';

/** Distinct messages reported; a mistake made every frame is said once. */
const MAXIMUM_REPORTS = 256;

/** The open pass. */
export interface OpenPass {
  /** A bit of `Place`; `outside`: none is open. */
  place: number;
  label: string;
  /** A check refused it: all in it is dropped in silence, its draws are counted as skipped. */
  isDropped: boolean;
  /** Debug groups that are open in it. */
  readonly groups: string[];
}

export class ValidationState {
  readonly models = new Models();
  /** Commands without fields that are put before the current record, to end what was left open. */
  readonly inserted: number[] = [];
  readonly pass: OpenPass = { place: Place.outside, label: '', isDropped: false, groups: [] };
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

  /** Reports, each message once; answers false, so that a check can return it. */
  report<C extends ValidationCode>(code: C, values: MessageValues<C>): false {
    const error = new RhiError(code, validationMessage(code, values));
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
    return `${this.pass.place === Place.computePass ? 'compute' : 'render'} pass "${this.pass.label}"`;
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
    const { command } = this;
    const last = this.models.last(handle);
    const label = last?.handle === handle ? last.label : '';
    const resource = describeHandle(handle, label);
    if (!kinds.includes(handleKind(handle) as ResourceKind)) {
      const needed = kinds.map((kind) => KIND_NAMES[kind]).join(' or ');
      return this.report('wrong-handle-kind', { command, needed, resource });
    }
    if (last === undefined) return this.report('never-created', { command, resource });
    if (last.isViewport) return this.report('viewport-not-begun', { command });
    const why =
      last.handle === handle
        ? 'which was destroyed'
        : `which was destroyed; its slot is now "${last.label}"'s`;
    return this.report('stale-handle', { command, resource, why });
  }

  /** The resource's last transition, if there was any, declared this use. */
  isDeclared(model: Model, usage: number): boolean {
    if (model.declared === 0 || usage === 0 || (model.declared & usage) !== 0) return true;
    return this.report('transition-missing', {
      command: this.command,
      resource: nameOf(model),
      use: usageNames(model, usage),
      declared: usageNames(model, model.declared),
    });
  }
}
