// `fencepost/testing` for this project's own scripts, from its TypeScript source. Node 20 cannot import TypeScript, and
// scripts should not depend on a build.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './install.mjs';

/** Builds and imports the kit. @returns {Promise<typeof import('../../src/testing/index.js')>} */
export async function loadTestKit() {
  const { build } = await import('esbuild');
  const folder = join(projectRoot, 'node_modules/.cache/fencepost');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `test-kit-${process.pid}.mjs`);
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ['src/testing/index.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  const kit = await import(pathToFileURL(outfile).href);
  rmSync(outfile);
  return kit;
}
