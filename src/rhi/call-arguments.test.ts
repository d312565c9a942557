import { describe, expect, it } from 'vitest';
import { createLocalStream } from '../core/page-stream.js';
import { executeAtOnce } from './bypass.js';
import type { CommandContext } from './command-context.js';
import { rhiCommands } from './commands.js';
import { CompleteImmediateContext } from './complete-context.js';
import { DeferredContext } from './deferred-context.js';
import type { BindGroupHandle } from './descriptors.js';
import { ImmediateContext } from './immediate-context.js';

/** A context of each kind, with what reads its records; null where nothing may reach the reader. */
const kinds: Readonly<Record<string, (work: (context: CommandContext) => void) => number>> = {
  'the engine’s immediate context': (work) => recordedBy(ImmediateContext, work),
  'the immediate context': (work) => recordedBy(CompleteImmediateContext, work),
  bypass: (work) => {
    const { writer, reader } = createLocalStream({ table: rhiCommands });
    const context = new CompleteImmediateContext(writer, { maxFramesInFlight: 2 });
    let records = 0;
    work(
      executeAtOnce(context, () => {
        writer.publish();
        while (reader.next()) records++;
      }),
    );
    return records;
  },
  'a deferred context': (work) =>
    recordedBy(CompleteImmediateContext, (context) => {
      const immediate = context as CompleteImmediateContext;
      immediate.beginFrame(0);
      const deferred = new DeferredContext();
      deferred.begin(immediate.openSubList('list'));
      work(deferred);
      immediate.executeSubLists([deferred.finish()]);
      immediate.endFrame();
    }) - 2,
  'a draw bundle': (work) => {
    let error: unknown;
    const records = recordedBy(CompleteImmediateContext, (context) => {
      (context as CompleteImmediateContext).createDrawBundle({ label: 'bundle' }, (draws) => {
        try {
          work(draws as CommandContext);
        } catch (thrown) {
          error = thrown;
        }
      });
    });
    if (error !== undefined) throw error;
    return records - 1;
  },
};

/** Returns how many records a reader gets. */
function recordedBy(
  Context: new (...args: ConstructorParameters<typeof ImmediateContext>) => ImmediateContext,
  work: (context: CommandContext) => void,
): number {
  const { writer, reader } = createLocalStream({ table: rhiCommands });
  work(new Context(writer, { maxFramesInFlight: 2 }));
  writer.publish();
  let records = 0;
  while (reader.next()) records++;
  return records;
}

describe('H1 the arguments of calls', () => {
  for (const [kind, record] of Object.entries(kinds)) {
    it(`${kind}: dynamic offsets that are no list are refused at the call, and record nothing`, () => {
      const group = 0x4006 as BindGroupHandle;
      for (const offsets of [256, -1, 1.5, Number.NaN, {}, null, { length: 1.5 }, { length: -1 }]) {
        const records = record((context) => {
          expect(() => context.setBindGroup(0, group, offsets as never), String(offsets)).toThrow(
            expect.objectContaining({
              code: 'bad-argument',
              message: expect.stringContaining('The bind group 1.0 was set with dynamic offsets'),
            }),
          );
        });
        expect(records, String(offsets)).toBe(0);
      }
      record((context) => {
        context.setBindGroup(0, group);
        context.setBindGroup(0, group, [256]);
        context.setBindGroup(0, group, Uint32Array.of(256));
      });
    });
  }
});
