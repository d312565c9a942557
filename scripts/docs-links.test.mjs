// docs/ must stay true: every file of the project that it names in code quotes exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => join('docs', name));

it.each([...pages, 'README.md'])('%s names only files that exist', (page) => {
  const named = [
    ...readFileSync(page, 'utf8').matchAll(/`((?:src|e2e|scripts|bench|shaders|demo)\/[\w./-]+)`/g),
  ];
  const missing = named.map(([, path]) => path).filter((path) => !existsSync(path));
  expect(missing).toEqual([]);
});
