/**
 * Whether a record is whole, names live resources of the right kinds, and stays inside them. The table's rows say which
 * words are handles, so a new command is checked without a line here.
 */
import { RhiError } from '../../core/errors.js';
import type { CommandFact } from '../commands/command-facts.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { checkRanges, rangesOf } from './ranges.js';
import type { Resources } from './resources.js';

export type RecordCheck = (record: CommandRecord, resources: Resources) => void;

/** What it returns throws RhiError `bad-record`, `stale-handle`, `wrong-handle-kind`, `out-of-range` */
export function recordCheck(fact: CommandFact): RecordCheck {
  const ranges = rangesOf(fact);
  // A destroy of what is gone already is no fault here.
  const needed = fact.handles.filter(({ isCreated, kinds }) => !isCreated && kinds.length === 1);
  return ({ words, fields, fieldWords }, resources) => {
    if (fieldWords < fact.leastWords) {
      throw new RhiError(
        'bad-record',
        `A record "${fact.name}" is too short. Record it with a context of this version.`,
      );
    }
    for (const { word, kinds } of needed) resources.table(kinds[0] as number).get(words[fields + word]);
    checkRanges(ranges, words, fields, resources.get);
  };
}
