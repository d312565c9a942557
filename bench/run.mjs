/**
 * `npm run bench -- [options]` (`--help` lists them): compiles the benchmark program (TypeScript) into the cache
 * and runs it. It needs no separate build.
 */
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildLibrary } from '../scripts/build.mjs';
import { ensureChromium } from '../scripts/find-chromium.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const outfile = resolve(root, 'node_modules/.cache/bench/main.mjs');
await mkdir(dirname(outfile), { recursive: true });
await build({
  entryPoints: [resolve(root, 'bench/main.ts')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
const { main } = await import(pathToFileURL(outfile).href);
process.exitCode = await main(process.argv.slice(2), root, { ensureChromium, buildLibrary });
