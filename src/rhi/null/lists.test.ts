import { describe, expect, it } from 'vitest';
import { commandLists, testName } from '../../../e2e/rhi/lists/index.js';
import { runList } from '../../../e2e/rhi/lists/run-list.js';
import { rhiCommands } from '../commands/commands.js';

/** Checks of the GPU's own objects, which the null backend has not. */
const GPU_ONLY = new Set(['clear-unsupported', 'bad-record']);

describe('H8 null executor runs the lists of the GPU', () => {
  for (const list of commandLists.filter(({ needs }) => needs === undefined)) {
    it(testName(list), async () => {
      const { counts, reads, errors } = await runList(list, null);
      const expected = (list.errors ?? []).filter((code) => !GPU_ONLY.has(code));
      expect(errors.map((error) => error.split(':')[0])).toEqual(expected);
      const lengths = Object.entries(list.expected).map(([name, bytes]) => [name, bytes.length]);
      expect(Object.entries(reads).map(([name, bytes]) => [name, bytes.length])).toEqual(lengths);
      // What is refused is not counted.
      if (list.errors === undefined) {
        for (const command of list.commands) expect(counts[command], command).toBeGreaterThan(0);
      }
    });
  }

  it('H1 every command of the table is in a list', () => {
    const covered = new Set(commandLists.flatMap(({ commands }) => commands));
    const missing = Object.keys(rhiCommands.opcodes).filter((name) => !covered.has(name));
    // Video frames are a browser's: their test is in e2e/rhi/commands.spec.ts.
    expect(missing).toEqual(['outputVideoFrame']);
  });
});
