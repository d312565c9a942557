// The tidy check: reports comments and pages that break the checkable rules of style. Test files are exempt.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findUntidy } from './lib/untidy.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['src', 'shaders', 'scripts', 'bench', 'demo', 'docs'];

const names = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
)
  .concat(readdirSync(root))
  .map((name) => name.replaceAll(sep, '/'))
  .filter((name) => /\.(ts|tsx|mjs|wgsl|md)$/.test(name) && !/\.(test|spec)\./.test(name));
const files = new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

const messages = findUntidy(files, (path) => existsSync(join(root, path)));
for (const message of messages) console.error(message);
console.log(`${files.size} files, ${messages.length} untidy places`);
process.exitCode = messages.length > 0 ? 1 : 0;
