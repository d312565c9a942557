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
import type { Check } from './state.js';

/** A command, as validation sees it. */
export interface CommandRule {
  readonly name: string;
  /** Bits of `Place`. */
  readonly places: number;
  /** The largest `QueueHint` that can do it, and its name. */
  readonly queue: number;
  readonly queueName: CommandFact['queue'];
  /** A draw or dispatch: it needs a pipeline, and is counted when it is left out. */
  readonly isWork: boolean;
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
  readonly hasAttachment: boolean;
  readonly leastWords: number;
  /** Those that it does not create, with the use that it makes of each (usage bits). */
  readonly handles: readonly (HandleWord & { readonly bits: number })[];
  readonly boundedWords: CommandFact['boundedWords'];
  /** The same for a look per draw, three numbers for each: the word, the most, and bits that are 0 in a multiple. */
  readonly bounds: Uint32Array;

  /** Word of the length of its first field that has one; -1: none has. */
  readonly lengthWord: number;
  readonly isLengthInWords: boolean;
  /** Word of a descriptor that has a label, and may have handles; -1: it has none. */
  readonly descriptorWord: number;
  /** What it makes of textures in there (usage bits); 0: only what creates something else says. */
  readonly descriptorUse: number;
  /** Kind of what it creates; 0: nothing. */
  readonly creates: number;
  /** Checks of its own: before its place is looked at, and at the end. */
  readonly scope: ((check: Check) => boolean) | undefined;
  readonly own: ((check: Check) => boolean) | undefined;
}

type Checks = Readonly<Record<string, ((check: Check) => boolean) | undefined>>;

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

function ruleOf(
  { name, places, queue, isDraw, leastWords, boundedWords, fields, handles }: CommandFact,
  scope: CommandRule['scope'],
  own: CommandRule['own'],
): CommandRule {
  const created = handles.find(({ isCreated }) => isCreated);
  // Two words before the length of a varying field would be a double: their sum is that field's place.
  const varying = fields.findIndex(({ wire }) => isVariable(wire));
  const lengthWord = fields.slice(0, varying).reduce((sum, { wire }) => sum + (wire === 'f64' ? 2 : 1), 0);
  const { wire, shape } = fields[varying] ?? {};
  const beginsPass = shape === 'render pass' || shape === 'compute pass';
  const isDescriptor = shape !== undefined && (created !== undefined || beginsPass);
  return {
    name,
    places,
    queue: QueueHint[queue],
    queueName: queue,
    isWork: isDraw || name.startsWith('dispatch'),
    needsIndices: name.startsWith('drawIndexed'),
    stateKind: STATE_KINDS[name] ?? StateKind.none,
    executes:
      handles[0]?.kinds[0] === ResourceKind.drawBundle &&
      created === undefined &&
      places === Place.renderPass,
    beginsPass,
    isOfPasses: (places & Place.outside) === 0 || (places & Place.bundle) !== 0,
    isInRuns: (places & Place.outside) === 0 && (places & Place.bundle) !== 0,
    hasAttachment: fields[0]?.wire === 'attachment',
    leastWords,
    handles: handles
      // Destroys and promises say themselves what they may name.
      .filter(({ isCreated, kinds }) => !isCreated && kinds.length < KINDS)
      .map((handle) => ({ ...handle, bits: usageBits(handle.kinds, handle.usage) })),
    boundedWords,
    bounds: Uint32Array.from(
      boundedWords.flatMap(({ word, most, multipleOf }) => [word, most, multipleOf - 1]),
    ),
    lengthWord: varying < 0 ? -1 : lengthWord,
    isLengthInWords: wire?.endsWith('[]') === true,
    descriptorWord: isDescriptor ? lengthWord : -1,
    descriptorUse: beginsPass ? TextureUsage.renderAttachment : 0,
    // The viewport's handle begins and ends with each frame.
    creates: created === undefined || scope !== undefined ? 0 : (created.kinds[0] ?? 0),
    scope,
    own,
  };
}

function usageBits(kinds: readonly ResourceKind[], usage: UsageName | undefined): number {
  if (usage === undefined) return 0;
  const names = kinds[0] === ResourceKind.texture ? TEXTURE_USAGE : BUFFER_USAGE;
  return names[usage] ?? 0;
}
