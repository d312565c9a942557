/**
 * Checks one record, first by its command's row in the table, then by the command's own check.
 *
 *   length ─► scope ─► queue ─► words ─► handles, in its descriptor too ─► own check
 */
import { isStreamError, isTyped } from '../../core/errors.js';
import { badLength, closeAttachment, jsonAt } from '../../core/records/record-fields.js';
import { HEADER_LENGTH_SHIFT } from '../../core/records/record-table.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { type BoundedWord, type CommandInfo, commandInfo } from '../commands/command-info.js';
import { Scope } from '../commands/command-rows.js';
import { visitHandles } from '../commands/descriptor-shapes.js';
import { INDEX_SHIFT } from '../commands/handles.js';
import type { CurrentRecord } from '../record/trace.js';
import { createModel, creationChecks } from './creations.js';
import { DrawState } from './draws.js';
import { type Checks, type CommandRule, ruleOf } from './rules.js';
import { innerScopeChecks, scopeChecks, scopeIsFine } from './scopes.js';
import { Model, nameOf, ValidationState } from './state.js';
import { queueIsFine, useChecks } from './uses.js';
import type { ValidationOptions } from './validate.js';

const NOTHING = /* @__PURE__ */ new Model(0, '');

/** The checks of single commands. Most commands need none. */
const ownChecks: Checks = {
  ...creationChecks,
  ...useChecks,
  ...innerScopeChecks,
  // The executor forgets the state of the pass as well.
  invalidateCachedState: ({ draws }) => {
    draws.reset();
    return true;
  },
};

/**
 * Checks records. The checks of commands receive this object, which holds the current record and its first
 * resource.
 */
export class RecordCheck {
  readonly state: ValidationState;
  readonly draws = new DrawState();
  readonly #options: ValidationOptions;
  readonly #rules: readonly (CommandRule | undefined)[];

  words: Uint32Array = new Uint32Array(0);
  /** Index of the first field. */
  at = 0;
  fieldWords = 0;
  /** The resource that the record creates. For other records, the resource of their first handle. */
  model = NOTHING;
  /** The parsed descriptor; undefined until a check needs it. */
  #descriptor: unknown;

  /** @param infoByOpcode descriptions of the commands, by opcode. Default: those of the RHI's own table */
  constructor(options: ValidationOptions, infoByOpcode: readonly (CommandInfo | undefined)[] = commandInfo) {
    this.#options = options;
    this.#rules = infoByOpcode.map(
      (info) => info && ruleOf(info, scopeChecks[info.name], ownChecks[info.name]),
    );
    this.state = new ValidationState(options, this.#rules[1] as CommandRule);
  }

  /** Rule of the current record's command. */
  get rule(): CommandRule {
    return this.state.rule;
  }

  /** The current record's descriptor. Read it only if the command has one. */
  get descriptor(): unknown {
    this.#descriptor ??= jsonAt(this.words, this.at, this.rule.descriptorWord);
    return this.#descriptor;
  }

  /** Checks a record, reports faults, and counts dropped draws. Called per record. */
  isFine({ opcode, words, fields, fieldWords }: Omit<CurrentRecord, 'ints' | 'floats'>): boolean {
    const rule = this.#rules[opcode];
    // Unknown commands are passed on, because the executor reports them.
    if (rule === undefined) return true;
    if (this.#checkRecord(rule, words, fields, fieldWords)) return true;
    return this.#leaveOut(rule, words[fields]);
  }

  /**
   * Checks successive draws and state commands of the open render pass, from `at` up to `used`. Stops before a faulty
   * record, before any other command, and before an invalid header. Called per draw.
   * @returns the index behind the last valid record; its complement (`~`) if a faulty record follows
   */
  checkRun(words: Uint32Array, at: number, used: number): number {
    const rules = this.#rules;
    const { isDropped } = this.state.pass;
    while (at < used) {
      const header = words[at];
      const rule = rules[header & 0xff];
      const end = at + (header >>> HEADER_LENGTH_SHIFT);
      if (rule === undefined || !rule.isInRuns || end > used || end <= at) return at;
      this.#begin(rule, words, at + 1, end - at - 1);
      // Every render pass and its queue allow these commands, so scope and queue need no check.
      if (isDropped || !this.#isWhole(rule) || !this.#fieldsAreFine(rule)) {
        this.#leaveOut(rule, words[at + 1]);
        return ~at;
      }
      at = end;
    }
    return at;
  }

  /**
   * Cleans up after a refused record: closes its attachment, and answers its read-back.
   * @returns whether the record must be passed on nevertheless, because only the executor can answer it
   */
  mustPassOn(source: StreamReader): boolean {
    const { opcode, words, fields } = source;
    const rule = this.#rules[opcode];
    if (rule?.name === 'readBuffer') {
      this.#options.onReadback?.(words[fields], new ArrayBuffer(0));
      return this.#options.onReadback === undefined;
    }
    if (rule?.brings) closeAttachment(source);
    return false;
  }

  #begin(rule: CommandRule, words: Uint32Array, at: number, fieldWords: number): void {
    this.state.rule = rule;
    this.words = words;
    this.at = at;
    this.fieldWords = fieldWords;
    this.model = NOTHING;
  }

  #checkRecord(rule: CommandRule, words: Uint32Array, at: number, fieldWords: number): boolean {
    this.#begin(rule, words, at, fieldWords);
    this.#descriptor = undefined;
    try {
      return this.#isWhole(rule) && this.#isInScope(rule) && this.#fieldsAreFine(rule);
    } catch (error) {
      if (isStreamError(error)) throw error;
      // The descriptor is no JSON, or lacks a member that a check reads.
      return this.#badRecord(
        isTyped(error) ? error.message : `its descriptor is incomplete or is not valid JSON (${error}).`,
      );
    }
  }

  #badRecord(reason: string): false {
    return this.state.report('bad-record', { reason });
  }

  #isWhole(rule: CommandRule): boolean {
    const { fieldWords } = this;
    if (fieldWords < rule.leastWords) return this.#badRecord('it is too short.');
    const { lengthWord } = rule;
    if (lengthWord < 0) return true;
    const length = this.words[this.at + lengthWord];
    const room = fieldWords - lengthWord - 1;
    if (length <= (rule.isLengthInWords ? room : room * 4)) return true;
    return this.#badRecord(badLength(length).message);
  }

  #isInScope(rule: CommandRule): boolean {
    const { state } = this;
    if (rule.scopeCheck !== undefined ? !rule.scopeCheck(this) : !scopeIsFine(this)) return false;
    const { pass } = state;
    // If a pass is dropped, all its commands are dropped too, without a report. The command that begins the next pass
    // is not dropped.
    if (pass.isDropped && pass.scope !== Scope.outside && rule.isOfPasses) return false;
    return queueIsFine(this);
  }

  /** Checks the fields of the current record. This method and the methods that it calls run per draw. */
  #fieldsAreFine(rule: CommandRule): boolean {
    const isFine = this.#wordsAreFine(rule) && this.#handlesAreFine(rule) && this.#ownIsFine(rule);
    const { stateBit } = rule;
    if (stateBit !== undefined) this.draws.noteState(stateBit(this.words[this.at]), this.model, isFine);
    return isFine;
  }

  #wordsAreFine({ bounds, boundedWords }: CommandRule): boolean {
    const { words, at } = this;
    for (let i = 0; i < bounds.length; i += 3) {
      const value = words[at + bounds[i]];
      if (value > bounds[i + 1] || (value & bounds[i + 2]) !== 0)
        return this.#reportWord(boundedWords[i / 3], value);
    }
    return true;
  }

  #reportWord({ field, most, multipleOf: alignment }: BoundedWord, value: number): false {
    if (value > most) return this.state.report('field-range', { field, value, most });
    return this.state.report('buffer-alignment', { field, value, alignment });
  }

  /** Checks all handles, even after a fault, so that all faults are reported at once. */
  #handlesAreFine({ handles, descriptorWord, creates }: CommandRule): boolean {
    const { words, at, state } = this;
    const { slots } = state.models;
    let areFine = true;
    for (let i = 0; i < handles.length; i++) {
      const { word, kinds, bits } = handles[i];
      const handle = words[at + word];
      const known = slots[kinds[0]][handle >>> INDEX_SHIFT];
      // The fast path of a draw needs one lookup, and has nothing to report.
      const isPlain = known !== undefined && known.handle === handle && known.isAlive && !known.isFailed;
      const model = isPlain ? known : state.find(kinds, handle);
      if (model === null || (model.declared !== 0 && !state.isDeclared(model, bits))) {
        areFine = false;
        continue;
      }
      model.usedInList = state.list;
      if (i === 0) this.model = model;
    }
    if (creates !== 0) {
      const model = createModel(this);
      if (model === null) return false;
      this.model = model;
    }
    return descriptorWord < 0 ? areFine : this.#descriptorIsFine() && areFine;
  }

  #descriptorIsFine(): boolean {
    const { state, rule } = this;
    let isFine = true;
    visitHandles(this.descriptor, (handle, kind) => {
      const model = state.find([kind], handle);
      if (model === null || !state.isDeclared(model, rule.descriptorUse)) isFine = false;
      else if (model === state.viewport) state.isViewportAcquired = true;
    });
    return isFine;
  }

  #ownIsFine(rule: CommandRule): boolean {
    const { state, model } = this;
    if (rule.isWork && !this.draws.isComplete(state, rule.needs)) return false;
    if (rule.own !== undefined && !rule.own(this)) return false;
    if (rule.executes && !this.#bundleIsFine(rule, model)) return false;
    if (rule.creates !== 0) this.model.isFailed = false;
    else if (rule.beginsPass) state.pass.isDropped = false;
    return true;
  }

  /** Checks all records of an executed bundle, even after a fault, so that all faults are reported at once. */
  #bundleIsFine(executing: CommandRule, bundle: Model): boolean {
    const { state, draws } = this;
    const { commands } = bundle;
    let isFine = true;
    draws.reset();
    state.where = ` in the ${nameOf(bundle)}`;
    for (let at = 0; at < commands.length; at += commands[at] >>> HEADER_LENGTH_SHIFT) {
      const rule = this.#rules[commands[at] & 0xff];
      // Debug groups and markers were checked when the bundle was created.
      if (!rule?.isInRuns) continue;
      if (!this.#checkRecord(rule, commands, at + 1, (commands[at] >>> HEADER_LENGTH_SHIFT) - 1))
        isFine = false;
    }
    state.where = '';
    state.rule = executing;
    draws.reset();
    return isFine;
  }

  /** Counts the draws of a dropped record. A bundle may have several. */
  #leaveOut(rule: CommandRule, first: number): false {
    const { state } = this;
    let draws = rule.isWork ? 1 : 0;
    if (rule.executes) draws = state.models.find(first)?.draws ?? 0;
    for (; draws > 0; draws--) {
      state.skippedDraws++;
      this.#options.onSkippedDraw?.();
    }
    return false;
  }
}
