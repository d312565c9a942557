/**
 * Makes the project's own glTF files, valid and broken, in the given folder:
 *
 *   node scripts/make-test-assets.mjs .cache/test-assets
 *
 * The script writes the same bytes every time. Tests import `makeTestAssets` and need no folder.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenFiles } from './test-assets/broken-files.mjs';
import { validFiles } from './test-assets/valid-files.mjs';

/** Returns all files, by path relative to the folder. */
export function makeTestAssets() {
  return { ...validFiles(), ...brokenFiles() };
}

/** Writes all files under `folder` and returns their paths. */
export function writeTestAssets(folder) {
  const paths = [];
  for (const [name, bytes] of Object.entries(makeTestAssets())) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    paths.push(path);
  }
  return paths;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (!folder) {
    console.error('Usage: node scripts/make-test-assets.mjs <folder>');
    process.exit(2);
  }
  console.log(`${writeTestAssets(folder).length} files written to ${folder}.`);
}
