/** Keeps docs/guide/games.md correct: its programs run here as printed. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from './fixtures.js';
import { readGuide, showProgram } from './guide-programs.js';

/**
 * Returns the script that the guide places beside its programs as `rapier.js`: the module that the Rapier
 * package names.
 */
function readRapier(): string {
  const path = join('node_modules', '@dimforge', 'rapier3d-compat', 'package.json');
  const { module } = JSON.parse(readFileSync(path, 'utf8')) as { module: string };
  return readFileSync(join(dirname(path), module), 'utf8');
}

const guide = readGuide('docs/guide/games.md', { 'rapier.js': readRapier() });

for (const isolation of ['isolated', 'not isolated'] as const) {
  for (const [program, lines] of [
    ['flock.js', 2],
    ['path.js', 3],
    ['physics.js', 1],
    ['waves.js', 1],
  ] as const) {
    test(`${program} prints the output that the page shows, ${isolation}`, async ({
      page,
      context,
      isolatedURL,
      plainURL,
    }) => {
      test.slow();
      expect(guide.printsOf(program)).toHaveLength(lines);
      const origin = isolation === 'isolated' ? isolatedURL : plainURL;
      await showProgram(guide, { page, context, origin, file: program });
    });
  }
}
