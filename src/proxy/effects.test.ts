import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { Member } from '../core/options/member.js';
import { EFFECTS, type EffectName, effectRows, unpackEffect } from './effects.js';

const names = Object.keys(EFFECTS) as EffectName[];

it('the guide describes every option with its range and default', () => {
  const guide = readFileSync('docs/guide/effects.md', 'utf8');
  for (const name of names) {
    const table = guide.split(`| \`${name}\` | | range | default |\n| --- | --- | --- | --- |\n`)[1] ?? '';
    const rows =
      table
        .split('\n\n')[0]
        ?.split('\n')
        .map((row) => row.split(' | ')) ?? [];
    expect(rows.map(([option]) => option)).toEqual(effectRows(name).map(([option]) => `| \`${option}\``));
    for (const [index, [, { range, default: byDefault }]] of Object.entries<Member>(EFFECTS[name]).entries())
      if (range) expect(rows[index]?.slice(-2)).toEqual([range.join(' to '), `${byDefault} |`]);
  }
});

it("unpackEffect reads values in the order of the effect's options", () => {
  expect(unpackEffect('vignette', [9, 9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 2)).toEqual({
    amount: 0.1,
    radius: 0.2,
    softness: 0.3,
    color: [0.4, 0.5, 0.6],
  });
});
