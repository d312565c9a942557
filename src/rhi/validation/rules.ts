/**
 * The table of commands, prepared for a check per record: allowed scopes, handles and their uses, bounded words. A new
 * command in the table is checked without further code.
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

/** A command, as validation sees it. */
export type CommandRule = Omit<ReturnType<typeof ruleOf>, ''>;

const KINDS = Object.keys(ResourceKind).length;

/**
 * Returns the rule of a command. It names each field, because V8 reads a spread object more slowly: twice the time per
 * draw.
 * @param scopeCheck the command's own check before that of its scope
 * @param own the command's own check at the end
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
    /** The queue with the largest number that can execute it. */
    queueHint: QueueHint[queue],
    /** Bits of `draws.ts` that it needs with any pipeline; 0 for commands that are no work. */
    needs: isWork ? workNeeds(name) : 0,
    /** Returns the bit that it sets, by its first word. */
    stateBit: stateBits[name],
    /** Whether it executes the draw bundle that it names. */
    executes: isBundle && creates === 0 && scopes === Scope.renderPass,
    beginsPass,
    /** Whether a dropped pass drops it too. */
    isOfPasses: !isOutside || isBundled,
    /** Whether it may be part of a run: draw bundles may hold it, and it is not allowed outside passes. */
    isInRuns: !isOutside && isBundled,
    /** Whether an attachment comes with it. */
    brings: fields[0]?.brings !== undefined,
    /** Handles that it does not create, with the use that it makes of each (usage bits). */
    handles: info.handles
      // Commands that accept all kinds, such as destroys, have own checks of their handle.
      .filter(({ isCreated, kinds }) => !isCreated && kinds.length < KINDS)
      .map((handle) => ({ ...handle, bits: usageBits(handle.kinds, handle.usage) })),
    /** `boundedWords` as three numbers each: the word, the maximum, and the bits that are 0 in a multiple. */
    bounds: Uint32Array.from(
      boundedWords.flatMap(({ word, most, multipleOf }) => [word, most, multipleOf - 1]),
    ),
    /** Index of the length word of its first field of variable length; −1: none. */
    lengthWord,
    isLengthInWords: varying?.wire.endsWith('[]') === true,
    /** Index of a descriptor that has a label, and may have handles; −1: none. */
    descriptorWord: isDescriptor ? lengthWord : -1,
    /**
     * The use that it makes of textures in its descriptor (usage bits); 0: the descriptor of a created resource decides
     * it.
     */
    descriptorUse: beginsPass ? TextureUsage.renderAttachment : 0,
  };
}

function usageBits(kinds: readonly ResourceKind[], usage: UsageName | undefined): number {
  const isTexture = kinds[0] === ResourceKind.texture;
  const names: Readonly<Record<string, number>> = isTexture ? TextureUsage : BufferUsage;
  return names[usage ?? ''] ?? 0;
}
