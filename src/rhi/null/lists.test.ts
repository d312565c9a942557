import { describe, expect, it } from 'vitest';
import { commandLists, testName } from '../../../e2e/rhi/lists/index.js';
import { runList } from '../../../e2e/rhi/lists/run-list.js';
import { rhiCommands } from '../commands/commands.js';

/**
 * Commands that only a GPU executes. If a list has such a command, only the lengths of its read-backs are compared.
 * Otherwise their bytes are compared.
 */
const DRAWING = /^(draw|dispatch|beginRenderPass|beginComputePass|copyExternalImage|resolveQuerySet)/;

describe('H8 null executor runs the lists of the GPU', () => {
  /** Commands of the lists whose read-backs were compared by their bytes. */
  const compared: string[] = [];

  for (const list of commandLists.filter(({ needs }) => needs === undefined)) {
    it(testName(list), async () => {
      const { counts, reads, errors } = await runList(list, null);
      expect(errors.map((error) => error.split(':')[0])).toEqual(list.errors ?? []);
      const lengths = Object.entries(list.expected).map(([name, bytes]) => [name, bytes.length]);
      expect(Object.entries(reads).map(([name, bytes]) => [name, bytes.length])).toEqual(lengths);
      const isDrawing = Object.keys(counts).some((command) => DRAWING.test(command));
      if (!isDrawing) expect(reads).toEqual(list.expected);
      compared.push(...(isDrawing ? [] : list.commands));
      // Refused commands are not counted.
      if (list.errors === undefined) {
        for (const command of list.commands) expect(counts[command], command).toBeGreaterThan(0);
      }
    });
  }

  it('has compared bytes for all kinds of writes, copies, clears and fence commands', () => {
    expect([...new Set(compared)]).toEqual(
      expect.arrayContaining([
        'writeBuffer',
        'writeBufferFromAttachment',
        'clearBuffer',
        'copyBufferToBuffer',
        'writeTexture',
        'writeTextureFromAttachment',
        'copyBufferToTexture',
        'copyTextureToBuffer',
        'copyTextureToTexture',
        'clearTexture',
        'assumeNotInUse',
        'transition',
        'signalFence',
        'waitFence',
      ]),
    );
  });

  it('H1 every command except outputVideoFrame is in at least one list', () => {
    const covered = new Set(commandLists.flatMap(({ commands }) => commands));
    const missing = Object.keys(rhiCommands.opcodes).filter((name) => !covered.has(name));
    // Video frames need a browser: their test is in e2e/rhi/commands.spec.ts.
    expect(missing).toEqual(['outputVideoFrame']);
  });
});
