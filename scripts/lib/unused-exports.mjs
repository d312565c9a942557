/**
 * Finds unused exports: names that a file of src/ exports and no other file imports. Tests, benchmarks and scripts are
 * importers, too. Imports are matched in biome's format without a parser, so that the whole tree takes a second.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/** Folders whose files count as importers. */
const USERS = ['src', 'e2e', 'bench', 'scripts', 'demo'];

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:const enum|function\*?|class|interface|type|enum|const|let) ([\w$]+)/gm;
const OWN_LIST = /^export (?:type )?\{([^}]*)\};/gm;
const LIST = /\b(?:import|export)\s(?:type\s)?(?:[\w$]+, )?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g;
const ALL = /(?:(?:\*(?: as [\w$]+)?|^import (?:type )?[\w$]+(?:, \{[^}]*\})?) from\s*)['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)(?!\.[A-Z])/g;
const TYPE_MEMBER = /\bimport\(['"]([^'"]+)['"]\)\.([\w$]+)/g;

/**
 * Returns the names in the braces of an import or export.
 *
 * @param isSource whether to return the names before `as` instead of those after it
 */
function namesIn(list, isSource) {
  return list
    .split(',')
    .map((each) => each.trim().replace(/^type /, ''))
    .filter(Boolean)
    .map((each) => each.split(' as ').at(isSource ? 0 : -1));
}

/** Returns the names that a file exports and declares. */
function exportsOf(text) {
  const declared = [...text.matchAll(DECLARATION)].map(([, name]) => name);
  return [...declared, ...[...text.matchAll(OWN_LIST)].flatMap(([, list]) => namesIn(list, false))];
}

/**
 * Returns the exports that no other file imports.
 *
 * @param {ReadonlyMap<string, string>} files texts by path from the project's root, with forward slashes
 * @param {(path: string) => boolean} isExempt files whose exports need no user, such as entries of the package
 * @returns {string[]} `src/core/queue.ts: Queue`, by path
 */
export function findUnusedExports(files, isExempt) {
  const used = new Map();
  const use = (from, specifier, names) => {
    if (!specifier.startsWith('.')) return;
    const target = posix.join(posix.dirname(from), specifier).replace(/\?.*$/, '').replace(/\.js$/, '.ts');
    const known = used.get(target) ?? new Set();
    used.set(target, known);
    for (const name of names) known.add(name);
  };
  for (const [path, text] of files) {
    for (const [, list, specifier] of text.matchAll(LIST)) use(path, specifier, namesIn(list, true));
    for (const [, specifier] of [...text.matchAll(ALL), ...text.matchAll(DYNAMIC)]) use(path, specifier, '*');
    for (const [, specifier, name] of text.matchAll(TYPE_MEMBER)) use(path, specifier, [name]);
  }
  const findings = [];
  for (const [path, text] of files) {
    if (!path.startsWith('src/') || isExempt(path)) continue;
    const names = used.get(path);
    if (names?.has('*')) continue;
    for (const name of exportsOf(text)) if (!names?.has(name)) findings.push(`${path}: ${name}`);
  }
  return findings.sort();
}

/** Returns the texts of all files that may export or import, by path. */
export function readSources(root) {
  const files = new Map();
  for (const folder of USERS) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.[cm]?[jt]sx?$/.test(name) || name.includes('node_modules')) continue;
      files.set(
        posix.join(folder, name.replaceAll(sep, '/')),
        readFileSync(join(root, folder, name), 'utf8'),
      );
    }
  }
  return files;
}
