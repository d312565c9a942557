/**
 * Whether a record is whole, names live resources of the right kinds, and stays inside them. The table's rows say which
 * words are handles, so a new command is checked without a line here.
 */
import { RhiError } from '../../core/errors.js';
import type { CommandFact } from '../commands/command-facts.js';
import type { CommandRecord } from '../commands/record-sequence.js';
import { checkRanges } from './ranges.js';
import type { Resources } from './resources.js';

/** @throws RhiError `bad-record`, `stale-handle`, `wrong-handle-kind`, `out-of-range` */
export function checkRecord(fact: CommandFact, record: CommandRecord, resources: Resources): void {
  const { words, fields, fieldWords, opcode } = record;
  if (fieldWords < fact.leastWords) {
    throw new RhiError(
      'bad-record',
      `A record "${fact.name}" is too short. Record it with a context of this version.`,
    );
  }
  for (const { word, kinds, isCreated } of fact.handles) {
    // A destroy of what is gone already is no fault here.
    if (!isCreated && kinds.length === 1) resources.table(kinds[0] as number).get(words[fields + word]);
  }
  checkRanges(opcode, words, fields, resources.get);
}
