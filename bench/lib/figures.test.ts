import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type FigureTable,
  figureTitles,
  formatFigures,
  mergeTables,
  tableOf,
  writeFigures,
} from './figures.js';
import { atLeast, atMost } from './report.js';

const circumstances = {
  command: 'npm run bench -- --only B1',
  date: '2026-12-01',
  commit: '01234567',
  machine: 'A processor, 2 cores, 8 GiB, load 0.3',
  browser: 'Chromium 150',
  adapter: 'SwiftShader',
};

const older = (suite: string): FigureTable => ({
  suite,
  ...circumstances,
  command: `npm run bench -- --only ${suite}`,
  date: '2026-11-01',
  commit: 'fedcba98',
  rows: [{ what: 'older', measured: '7 ms' }],
});

describe('docs/figures.md', () => {
  const data: FigureTable[] = JSON.parse(readFileSync('docs/figures.json', 'utf8'));

  it('is the page that the bench generates from docs/figures.json', () => {
    expect(readFileSync('docs/figures.md', 'utf8')).toBe(formatFigures(data));
  });

  it('has one table per suite, in order, each with a title and its circumstances', () => {
    expect(mergeTables(data, [])).toEqual(data);
    for (const table of data) {
      expect(figureTitles).toHaveProperty(table.suite);
      for (const text of Object.values({ ...table, rows: '–' })) expect(text).toMatch(/\S/);
      expect(table.rows.length).toBeGreaterThan(0);
    }
  });

  it('has a title for each suite of the bench', () => {
    const suites = [...readFileSync('bench/main.ts', 'utf8').matchAll(/^ {2}([A-Z\d_]+): run\w+,$/gm)];
    expect(suites.length).toBeGreaterThan(20);
    for (const [, suite] of suites) expect(figureTitles).toHaveProperty(suite as string);
  });
});

describe('tableOf', () => {
  const targets = [
    atMost('B1.draws', 'ours ÷ by hand', 0.4567, 0.35),
    atLeast('B3', 'pictures meanwhile', 1.12, 0.95),
    atMost('B5', 'ours ÷ theirs', undefined, 0.05),
  ];
  const results = [
    {
      id: 'B1',
      engine: 'three',
      version: '0.187',
      page: 'cube',
      mainThreadMs: 99.34,
      peakMiB: 405,
      ratio: Number.NaN,
      isolated: true,
    },
  ];
  const { rows } = tableOf('B1', results, targets, circumstances);

  it('states each target with its measured value, and whether it is met', () => {
    expect(rows.slice(0, 3)).toEqual([
      { what: 'B1.draws: ours ÷ by hand', target: '≤ 0.35', measured: '0.46', isMet: false },
      { what: 'B3: pictures meanwhile', target: '≥ 0.95', measured: '1.12', isMet: true },
      { what: 'B5: ours ÷ theirs', target: '≤ 0.0500', measured: '–' },
    ]);
  });

  it('states the figures of each engine with their units, and omits figures that are not numbers', () => {
    expect(rows.slice(3)).toEqual([
      { what: 'three 0.187, cube', measured: 'main thread 99.3 ms; peak 405 MiB' },
    ]);
  });
});

describe('writeFigures', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'fencepost-figures-'));
    mkdirSync(join(root, 'docs'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('replaces the tables of measured suites, and keeps other tables with their own date and commit', async () => {
    writeFileSync(join(root, 'docs/figures.json'), JSON.stringify([older('B1'), older('B10')]));
    const target = atMost('B1.draws', 'ours | by hand', 0.3, 0.35);
    await writeFigures(root, [tableOf('B1', [], [target], circumstances), older('B2')]);

    const merged: FigureTable[] = JSON.parse(readFileSync(join(root, 'docs/figures.json'), 'utf8'));
    expect(merged.map(({ suite, date }) => [suite, date])).toEqual([
      ['B1', '2026-12-01'],
      ['B2', '2026-11-01'],
      ['B10', '2026-11-01'],
    ]);
    const page = readFileSync(join(root, 'docs/figures.md'), 'utf8');
    expect(page).toContain(
      [
        '## B1',
        '',
        '`npm run bench -- --only B1`',
        '2026-12-01 · 01234567 · A processor, 2 cores, 8 GiB, load 0.3',
        '',
        '| 10,000 moving boxes | target | measured | result |',
        '| --- | --- | --- | --- |',
        '| B1.draws: ours \\| by hand | ≤ 0.35 | 0.30 | met |',
        '',
        '## B2',
      ].join('\n'),
    );
    expect(page).toContain('| [B10](#b10) | GPU work of a frame |  | 2026-11-01 | fedcba98 |');
  });
});
