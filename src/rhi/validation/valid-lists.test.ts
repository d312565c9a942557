/**
 * Validation reports no errors in the lists of `e2e/rhi/lists`, except the deliberate faults (`slips`). Lists that need
 * a platform class or a device feature, and lists that expect errors, are not run.
 */
import { describe, expect, it } from 'vitest';
import { commandLists, testName } from '../../../e2e/rhi/lists/index.js';
import { runList } from '../../../e2e/rhi/lists/run-list.js';
import { validate } from './validate.js';

/** Codes by command, for lists that contain a fault on purpose, to test the executor. */
const slips: Readonly<Record<string, string>> = { popDebugGroup: 'debug-group-not-begun' };

describe('validation passes on a valid list, and reports only a deliberate fault', () => {
  for (const list of commandLists.filter(
    ({ needs, errors }) => needs === undefined && errors === undefined,
  )) {
    it(testName(list), async () => {
      const errors: string[] = [];
      const plain = await runList(list, null);
      const validated = await runList(list, null, (reader) =>
        validate(reader, {
          onError: ({ code, message }) => errors.push(`${code}: ${message}`),
        }),
      );
      const slip = list.commands.map((command) => slips[command]).find((code) => code !== undefined);
      if (slip === undefined) {
        expect(errors).toEqual([]);
        expect(validated).toEqual(plain);
      } else {
        expect(errors).toEqual([expect.stringMatching(`^${slip}:`)]);
        expect(validated.reads).toEqual(plain.reads);
      }
    });
  }
});
