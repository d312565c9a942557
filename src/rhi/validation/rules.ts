/**
 * What the table of commands says, laid out for a look per record: where a command may stand, the handles in it and the
 * uses it makes of them, the words that are bounded. A command that is added to the table is checked by this alone.
 */
import { type CommandFact, type HandleWord, isVariable } from '../commands/command-facts.js';
import { Place } from '../commands/command-rows.js';
import { QueueHint } from '../commands/commands.js';
import { BufferUsage, TextureUsage } from '../commands/descriptors.js';
import type { UsageName } from '../commands/fields.js';
import { ResourceKind } from '../commands/handles.js';
import { STATE_KINDS, StateKind } from './draws.js';
import type { RecordCheck } from './record-check.js';

/** A command, as validation sees it. */
export interface CommandRule extends CommandFact {
  /** The largest `QueueHint` that can do it. */
  readonly queueHint: number;
  readonly needsIndices: boolean;
  /** Of `StateKind`: what it sets. */
  readonly stateKind: number;
  /** It executes the draw bundle that it names. */
  readonly executes: boolean;
  readonly beginsPass: boolean;
  /** A pass that was dropped drops it too. */
  readonly isOfPasses: boolean;
  /** Many of them lie behind one another: it may stand in a draw bundle, and not outside of passes. */
  readonly isInRuns: boolean;
  /** Those that it does not create, with the use that it makes of each (usage bits). */
  readonly handles: readonly (HandleWord & { readonly bits: number })[];
  /** `boundedWords` for a look per draw, three numbers each: the word, the most, and bits that are 0 in a multiple. */
  readonly bounds: Uint32Array;

  /** Word of the length of its first field that has one; -1: none has. */
  readonly lengthWord: number;
  readonly isLengthInWords: boolean;
  /** Word of a descriptor that has a label, and may have handles; -1: it has none. */
  readonly descriptorWord: number;
  /** What it makes of textures in there (usage bits); 0: only what creates something else says. */
  readonly descriptorUse: number;
  /** Checks of its own: before its place is looked at, and at the end. */
  readonly scope: ((check: RecordCheck) => boolean) | undefined;
  readonly own: ((check: RecordCheck) => boolean) | undefined;
}

type Checks = Readonly<Record<string, ((check: RecordCheck) => boolean) | undefined>>;

const BUFFER_USAGE: Readonly<Record<string, number | undefined>> = BufferUsage;
const TEXTURE_USAGE: Readonly<Record<string, number | undefined>> = TextureUsage;
const KINDS = Object.keys(ResourceKind).length;

/** By opcode. */
export function rulesOf(
  facts: readonly (CommandFact | undefined)[],
  scopes: Checks,
  own: Checks,
): readonly (CommandRule | undefined)[] {
  return facts.map((fact) => fact && ruleOf(fact, scopes[fact.name], own[fact.name]));
}

function ruleOf(fact: CommandFact, scope: CommandRule['scope'], own: CommandRule['own']): CommandRule {
  const { name, places, creates, fields, handles, leastWords, boundedWords, isWork, queue, isDraw } = fact;
  const varying = fields.find(({ wire }) => isVariable(wire));
  const lengthWord = varying?.word ?? -1;
  const beginsPass = varying?.shape === 'render pass' || varying?.shape === 'compute pass';
  const isDescriptor = varying?.shape !== undefined && (creates !== 0 || beginsPass);
  // Named one by one, because V8 reads an object that was spread more slowly: twice the time per draw.
  return {
    name,
    places,
    queue,
    isDraw,
    isWork,
    creates,
    leastWords,
    boundedWords,
    fields,
    queueHint: QueueHint[fact.queue],
    needsIndices: name.startsWith('drawIndexed'),
    stateKind: STATE_KINDS[name] ?? StateKind.none,
    executes:
      handles[0]?.kinds[0] === ResourceKind.drawBundle && creates === 0 && places === Place.renderPass,
    beginsPass,
    isOfPasses: (places & Place.outside) === 0 || (places & Place.bundle) !== 0,
    isInRuns: (places & Place.outside) === 0 && (places & Place.bundle) !== 0,
    handles: handles
      // Destroys and promises say themselves what they may name.
      .filter(({ isCreated, kinds }) => !isCreated && kinds.length < KINDS)
      .map((handle) => ({ ...handle, bits: usageBits(handle.kinds, handle.usage) })),
    bounds: Uint32Array.from(
      fact.boundedWords.flatMap(({ word, most, multipleOf }) => [word, most, multipleOf - 1]),
    ),
    lengthWord,
    isLengthInWords: varying?.wire.endsWith('[]') === true,
    descriptorWord: isDescriptor ? lengthWord : -1,
    descriptorUse: beginsPass ? TextureUsage.renderAttachment : 0,
    scope,
    own,
  };
}

function usageBits(kinds: readonly ResourceKind[], usage: UsageName | undefined): number {
  if (usage === undefined) return 0;
  const names = kinds[0] === ResourceKind.texture ? TEXTURE_USAGE : BUFFER_USAGE;
  return names[usage] ?? 0;
}
