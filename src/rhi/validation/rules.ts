/**
 * What the table of commands says, laid out for a look per record: where a command may stand, the handles in it and the
 * uses it makes of them, the words that are bounded. A command that is added to the table is checked by this alone.
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

/** Checks of single commands, by name: false when the record must not go on. */
export type Checks = Readonly<Record<string, ((check: RecordCheck) => boolean) | undefined>>;

/** A command, as validation sees it. */
export type CommandRule = Omit<ReturnType<typeof ruleOf>, ''>;

const KINDS = Object.keys(ResourceKind).length;

/**
 * One object for all, each field named, because V8 reads one that was spread more slowly: twice the time per draw.
 * @param scopeCheck the command's own check before its scope is looked at
 * @param own the one at the end
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
    /** The largest one that can do it. */
    queueHint: QueueHint[queue],
    /** Bits of `draws.ts` that must be set, whatever the pipeline; 0: it is no work. */
    needs: isWork ? workNeeds(name) : 0,
    /** The bit of what it sets, by its first word. */
    stateBit: stateBits[name],
    /** It executes the draw bundle that it names. */
    executes: isBundle && creates === 0 && scopes === Scope.renderPass,
    beginsPass,
    /** A pass that was dropped drops it too. */
    isOfPasses: !isOutside || isBundled,
    /** Many of them lie behind one another: it may stand in a draw bundle, and not outside of passes. */
    isInRuns: !isOutside && isBundled,
    /** An attachment comes with it. */
    brings: fields[0]?.brings !== undefined,
    /** Those that it does not create, with the use that it makes of each (usage bits). */
    handles: info.handles
      // Destroys and promises say themselves what they may name.
      .filter(({ isCreated, kinds }) => !isCreated && kinds.length < KINDS)
      .map((handle) => ({ ...handle, bits: usageBits(handle.kinds, handle.usage) })),
    /** `boundedWords`, three numbers each: the word, the most, and bits that are 0 in a multiple. */
    bounds: Uint32Array.from(
      boundedWords.flatMap(({ word, most, multipleOf }) => [word, most, multipleOf - 1]),
    ),
    /** Word of the length of its first field that has one; -1: none has. */
    lengthWord,
    isLengthInWords: varying?.wire.endsWith('[]') === true,
    /** Word of a descriptor that has a label, and may have handles; -1: it has none. */
    descriptorWord: isDescriptor ? lengthWord : -1,
    /** What it makes of textures in there (usage bits); 0: only what creates something else says. */
    descriptorUse: beginsPass ? TextureUsage.renderAttachment : 0,
  };
}

function usageBits(kinds: readonly ResourceKind[], usage: UsageName | undefined): number {
  const isTexture = kinds[0] === ResourceKind.texture;
  const names: Readonly<Record<string, number>> = isTexture ? TextureUsage : BufferUsage;
  return names[usage ?? ''] ?? 0;
}
