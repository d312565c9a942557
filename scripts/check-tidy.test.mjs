import { describe, expect, it } from 'vitest';
import { findUntidy } from './lib/untidy.mjs';

const untidy = (path, text, allowed = {}) =>
  findUntidy(new Map([[path, text]]), (named) => named === 'src/core/queue.ts', allowed);

describe('tidy check', () => {
  it.each(['What', 'Who', 'Whoever', 'Whatever', 'Those', 'That of', 'Of', 'Somebody', 'Nobody'])(
    'rejects sentences of comments and pages that open with %s',
    (word) => {
      const message = `opens with a word that names no thing: "${word} waits."`;
      expect(untidy('src/a.ts', `const a = 1;\n// ${word} waits.\n`)).toEqual([`src/a.ts:2: ${message}`]);
      expect(untidy('src/a.ts', `/** Waits. ${word} waits. */\n`)).toEqual([`src/a.ts:1: ${message}`]);
      expect(untidy('src/a.ts', `/**\n * @param a ${word} waits.\n */\n`)).toEqual([
        `src/a.ts:2: ${message}`,
      ]);
      expect(untidy('shaders/a.wgsl', `// ${word} waits.\n`)).toEqual([`shaders/a.wgsl:1: ${message}`]);
      expect(untidy('docs/a.md', `# Title\n\n- ${word} waits.\n`)).toEqual([`docs/a.md:3: ${message}`]);
    },
  );

  it('ignores strings, code of pages and drawings', () => {
    expect(untidy('src/a.ts', "const a = '// Who waits.', b = `/* Of a */`, c = /[/]* What/;\n")).toEqual([]);
    expect(untidy('docs/a.md', '```ts\n// Who waits.\n```\n')).toEqual([]);
    expect(untidy('src/a.ts', '/**\n * The queue.\n *\n *   Who ──► waits\n */\n')).toEqual([]);
  });

  it('accepts listed openings, and rejects unused entries of the list', () => {
    const allowed = { 'src/a.ts: Who waits': 'a title' };
    expect(untidy('src/a.ts', '// Who waits.\n', allowed)).toEqual([]);
    expect(untidy('src/a.ts', '// The queue.\n', allowed)).toEqual([
      'scripts/lib/untidy.mjs: no sentence matches the entry "src/a.ts: Who waits" any more. Remove the entry.',
    ]);
  });

  it('rejects lines of pages over 120 columns, except tables and addresses', () => {
    const long = 'word '.repeat(30);
    expect(untidy('docs/a.md', `${long}\n`)).toEqual(['docs/a.md:1: has 150 columns (at most 120)']);
    expect(untidy('docs/a.md', `| ${long} |\n`)).toEqual([]);
    expect(untidy('docs/a.md', `${long}https://example.com/\n`)).toEqual([]);
  });

  it('rejects references to files that are not in the repository', () => {
    expect(untidy('src/a.ts', '// See src/core/queue.ts and src/core/gone.ts.\n')).toEqual([
      'src/a.ts:1: names src/core/gone.ts, which does not exist',
    ]);
    expect(untidy('src/a.ts', '// The surface (DESIGN §4.4).\n')).toEqual([
      'src/a.ts:1: refers to a document outside of the repository',
    ]);
    expect(untidy('docs/a.md', '`docs/gone.md`\n')).toEqual([
      'docs/a.md:1: names docs/gone.md, which does not exist',
    ]);
  });

  it('rejects long doc comments without code below', () => {
    const essay = '/**\n * The queue.\n *\n * It is short.\n * It waits.\n */\n';
    expect(untidy('src/a.ts', `${essay}\nimport './b.js';\n`)).toEqual([]);
    expect(untidy('src/a.ts', `const a = 1;\n${essay}const b = 2;\n`)).toEqual([]);
    const orphan = ['src/a.ts:2: a long doc comment without code directly below'];
    expect(untidy('src/a.ts', `const a = 1;\n${essay}\nconst b = 2;\n`)).toEqual(orphan);
    expect(untidy('src/a.ts', `const a = 1;\n${essay}/** A number. */\nconst b = 2;\n`)).toEqual(orphan);
    expect(untidy('src/a.ts', `const a = 1;\n${essay}`)).toEqual(orphan);
  });
});
