// Checks the code quotes of docs/: each file and each name of code in them has to exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const SOURCES = ['src', 'e2e', 'scripts', 'bench', 'shaders', 'demo'];

const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name));
const architecture = pages.filter((page) => page.startsWith('docs/architecture/'));
const files = SOURCES.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
);

/** Returns the text between each pair of code quotes, outside of drawings. */
function quotesIn(page) {
  const text = readFileSync(page, 'utf8').replace(/^```.*?^```/gms, '');
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, quoted]) => quoted);
}

/**
 * Returns the folders to which paths of an architecture page may be relative: the root, src/, and the folder of the
 * page's topic. `threads-modes.md` belongs to `threads/`, and `render-modules.md` has a folder of its own.
 */
function rootsOf(page) {
  const name = basename(page, '.md');
  const topic = existsSync(`src/${name}`) ? name : name.replace(/-.*$/, '');
  return ['', 'src/', `src/${topic}/`, `${topic}/`];
}

it.each([...pages, 'README.md'])('%s names only files that exist', (page) => {
  const named = [
    ...readFileSync(page, 'utf8').matchAll(/`((?:src|e2e|scripts|bench|shaders|demo)\/[\w./-]+)`/g),
  ];
  const missing = named.map(([, path]) => path).filter((path) => !existsSync(path));
  expect(missing).toEqual([]);
});

it.each([...architecture, 'docs/systems.md'])('%s names folders and sources by their right paths', (page) => {
  const isSystems = page === 'docs/systems.md';
  const missing = quotesIn(page).filter((quoted) => {
    if (!/^\w[\w./-]*(\/|\.(ts|mjs|wgsl))$/.test(quoted) || quoted === 'dist/') return false;
    const path = quoted.replace(/\/$/, '');
    // A bare name belongs to a folder that the sentence has named. Rows of systems.md name one folder for several
    // files.
    if (isSystems || path === quoted.replace(/^.*\//, ''))
      return !existsSync(path) && !files.some((file) => file.endsWith(`/${path}`));
    return !rootsOf(page).some((root) => existsSync(root + path));
  });
  expect(missing).toEqual([]);
});

/** Names in code quotes that are not names of the project. */
const FOREIGN = ['schedstat', 'smoke', 'grep'];

it('architecture pages and systems.md use names of the code', () => {
  const words = new Set(FOREIGN);
  for (const file of files) {
    for (const word of file.split(/[/.]/)) words.add(word);
    if (!/\.(ts|mjs|wgsl|html|json)$/.test(file)) continue;
    for (const [word] of readFileSync(file, 'utf8').matchAll(/[a-z_$][\w$]*/gi)) words.add(word);
  }
  for (const name of readdirSync('.').filter((each) => /\.(json|ts)$/.test(each)))
    for (const [word] of readFileSync(name, 'utf8').matchAll(/[a-z_$][\w$]*/gi)) words.add(word);
  const unknown = [...architecture, 'docs/systems.md'].flatMap((page) =>
    quotesIn(page)
      // Ids of commits are not names.
      .filter((quoted) => !/^[0-9a-f]{7,}$/.test(quoted))
      .flatMap((quoted) => quoted.match(/\b[a-z_$][\w$]{3,}/gi) ?? [])
      .filter((word) => !words.has(word))
      .map((word) => `${page}: ${word}`),
  );
  expect(unknown).toEqual([]);
});

/** Pages without the section "In the engine": overviews, pages of tools, and folders with pages per mechanism. */
const WITHOUT_MECHANISM = [
  ...['README', 'ARCHITECTURE', 'decisions', 'known-limits', 'bench', 'soak', 'testing', 'testing-tools'],
  ...['engine', 'element', 'react', 'threads', 'sync-schedules'],
];

/** Longest page that fits on a screen. */
const MOST_LINES = 85;

it.each(architecture)('%s is at most one screen, and names the calls of the engine', (page) => {
  const name = basename(page, '.md');
  const text = readFileSync(page, 'utf8');
  if (name !== 'ARCHITECTURE' && name !== 'decisions')
    expect(text.split('\n').length - 1).toBeLessThanOrEqual(MOST_LINES);
  if (!WITHOUT_MECHANISM.includes(name)) expect(text).toContain('\n## In the engine\n');
  const prose = text.replace(/^```.*?^```/gms, '').replace(/\s+/g, ' ');
  const missing = [];
  for (const [, symbols, path] of prose.matchAll(
    /((?:`[^`]+`(?:, and |, | and )?)+) (?:in|of) `([^`]+\.ts)`/g,
  )) {
    const code = files.filter((file) => file === path || file.endsWith(`/${path}`)).map(readSource);
    for (const [, symbol] of symbols.matchAll(/`([^`]+)`/g)) {
      const isFile = symbol.endsWith('.ts');
      const name = symbol.replace(/^[A-Z]\w*\.(?=\w)/, '');
      if (!isFile && !code.some((each) => each.includes(name))) missing.push(`${symbol} in ${path}`);
    }
  }
  expect(missing).toEqual([]);
});

const readSource = (file) => readFileSync(file, 'utf8');
