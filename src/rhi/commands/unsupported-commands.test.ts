import { describe, expect, it } from 'vitest';
import { rhiCommands } from './commands.js';
import { type UnsupportedCommand, unsupported, unsupportedCommands } from './unsupported-commands.js';

describe('C commands that WebGPU lacks', () => {
  it.each(Object.entries(unsupportedCommands))('%s: its error names the capability', (name, row) => {
    expect(() => unsupported(name as UnsupportedCommand)).toThrow(
      expect.objectContaining({
        name: 'RhiError',
        code: 'capability-missing',
        message: `WebGPU has no ${row.capability}, so "${name}" can't be recorded. ${row.instead}`,
      }),
    );
    expect(row.instead).toMatch(/^[A-Z].*\.$/);
    expect(rhiCommands.opcodes).not.toHaveProperty(name);
  });

  it('covers the capabilities of the last row of table C', () => {
    const capabilities = new Set(Object.values(unsupportedCommands).map(({ capability }) => capability));
    for (const name of [
      'ray-tracing',
      'stereo-viewport',
      'htile',
      'depth-bounds-test',
      'multi-gpu',
      'timer-calibration',
      'spectator-screen',
      'geometry-cache',
    ] as const) {
      expect(capabilities).toContain(name);
    }
  });
});
