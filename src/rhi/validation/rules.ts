/**
 * Prepares the table of commands for fast checks of each record. A rule has the command's allowed scopes, its handles
 * with their uses, and the bounds of its words. All rules are derived from the table, so a new command is checked
 * without further code.
 */
import { isVariable } from '../../core/records/record-codec.js';
import type { CommandInfo } from '../commands/command-info.js';
import { Scope } from '../commands/command-rows.js';
import { QueueHint } from '../commands/commands.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import type { UsageName } from '../commands/fields.js';
import { ResourceKind } from '../commands/handles.js';
import { stateBits, workNeeds } from './draws.js';
import type { RecordCheck } from './record-check.js';

/** Checks of single commands, by name. They return false if the record is to be dropped. */
export type Checks = Readonly<Record<string, ((check: RecordCheck) => boolean) | undefined>>;

/** The part of a command's row that validation needs, prepared for fast checks. */
export type CommandRule = Omit<ReturnType<typeof ruleOf>, ''>;

const KINDS = Object.keys(ResourceKind).length;

/**
 * Returns the rule of a command. The returned object names each field, because V8 reads the fields of a spread
 * object at half the speed.
 * @param scopeCheck the command's own check of its scope, which replaces the general check
 * @param own the command's own check, which runs last
 */
export function ruleOf(info: CommandInfo, scopeCheck: Checks[string], own: Checks[string]) {
  const { name, scopes, queue, creates, fields, leastWords, boundedWords, isWork } = info;
  const varying = fields.find(({ wire }) => isVariable(wire));
  const lengthWord = varying?.word ?? -1;
  const beginsPass = varying?.shape === 'render pass' || varying?.shape === 'compute pass';
  const isDescriptor = varying?.shape !== undefined && (creates !== 0 || beginsPass);
  const isOutside = (scopes & Scope.outside) !== 0;
  const isBundled = (scopes & Scope.bundle) !== 0;
  const isBundle = info.handles[0]?.kinds[0] === ResourceKind.drawBundle;
  return {
    name,
    scopes,
    queue,
    creates,
    leastWords,
    boundedWords,
    isWork,
    scopeCheck,
    own,
    /** The least capable queue that can execute the command. */
    queueHint: QueueHint[queue],
    /** Bits of the state (`draws.ts`) that a draw or dispatch needs with any pipeline; 0 for other commands. */
    needs: isWork ? workNeeds(name) : 0,
    /** Returns the bit of the state that the command sets, by the record's first word. */
    stateBit: stateBits[name],
    /** Whether the command executes a draw bundle. */
    executes: isBundle && creates === 0 && scopes === Scope.renderPass,
    beginsPass,
    /** Whether a dropped pass drops the command as well. */
    isOfPasses: !isOutside || isBundled,
    /**
     * Whether `checkRun` checks the command: bundles and passes allow it, and it is invalid outside passes.
     */
    isInRuns: !isOutside && isBundled,
    /** Whether the command's records have an attachment. */
    brings: fields[0]?.brings !== undefined,
    /** Handles of existing resources, each with the usage bit that the command requires. */
    handles: info.handles
      // `destroyResource` and `assumeNotInUse` accept all kinds. Their own checks (`uses.ts`) examine the handle.
      .filter(({ isCreated, kinds }) => !isCreated && kinds.length < KINDS)
      .map((handle) => ({ ...handle, bits: usageBits(handle.kinds, handle.usage) })),
    /**
     * `boundedWords` with three numbers for each word: its index, its maximum, and the bits that are 0 in a valid
     * multiple.
     */
    bounds: Uint32Array.from(
      boundedWords.flatMap(({ word, most, multipleOf }) => [word, most, multipleOf - 1]),
    ),
    /** Index of the word with the length of the first field of variable length; −1 if there is none. */
    lengthWord,
    isLengthInWords: varying?.wire.endsWith('[]') === true,
    /** Index of the length word of the descriptor of a created resource or a pass; −1 if there is none. */
    descriptorWord: isDescriptor ? lengthWord : -1,
    /**
     * The usage bit that transitions must have declared for textures in the command's descriptor. 0 for creations,
     * because they do not use textures yet.
     */
    descriptorUse: beginsPass ? TextureUsage.renderAttachment : 0,
  };
}

function usageBits(kinds: readonly ResourceKind[], usage: UsageName | undefined): number {
  const isTexture = kinds[0] === ResourceKind.texture;
  const names: Readonly<Record<string, number>> = isTexture ? TextureUsage : BufferUsage;
  return names[usage ?? ''] ?? 0;
}
