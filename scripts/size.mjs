// `npm run size`: prints the gzip bytes of each script of dist/, and of the files that a dozen pages fetch
// (`fetched-pages.mjs`). Each size stands beside its size in `recorded-sizes.json`. The command fails when a size has
// grown by more than 5 %, to catch accidental growth. `npm run size -- --write` records an intended growth.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildLibrary } from './build.mjs';
import { fetchedPages } from './fetched-pages.mjs';
import { readCommandLine } from './lib/command-line.mjs';
import { measureFetched } from './lib/fetched-bytes.mjs';
import { projectRoot } from './lib/install.mjs';
import { findGrowth } from './lib/size-guard.mjs';

const recordPath = join(projectRoot, 'scripts/recorded-sizes.json');

/** Reads the recorded sizes. @returns {import('./lib/size-guard.mjs').Sizes} */
export function readRecordedSizes() {
  return JSON.parse(readFileSync(recordPath, 'utf8'));
}

/**
 * Measures the built library.
 *
 * @param {{ dist: string, browser: import('@playwright/test').Browser }} options
 * @returns {Promise<import('./lib/size-guard.mjs').Sizes>}
 */
export async function measureSizes({ dist, browser }) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fencepost-size-')));
  try {
    const installed = join(folder, 'node_modules/fencepost');
    cpSync(dist, join(installed, 'dist'), { recursive: true });
    cpSync(join(projectRoot, 'package.json'), join(installed, 'package.json'));
    const pages = await measureFetched({ folder, browser, pages: fetchedPages });
    return {
      files: sizesOfFiles(dist),
      pages: Object.fromEntries(
        pages.map(({ name, bytes, packageFiles }) => [name, { bytes, packageFiles }]),
      ),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the sizes of the files. Chunks count as one file, because their names change with their contents. */
function sizesOfFiles(dist) {
  const files = {};
  for (const name of readdirSync(dist).sort()) {
    if (!name.endsWith('.js')) continue;
    const key = name.replace(/^chunk-[0-9A-Z]{8}\.js$/, 'chunk-*.js');
    files[key] = (files[key] ?? 0) + gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;
  }
  return files;
}

/** Builds the library into a temporary folder, and measures it in a browser of its own. */
async function measureSource() {
  const { chromium } = await import('playwright');
  const { ensureChromium } = await import('./find-chromium.mjs');
  const { chromiumLaunchOptions } = await (await import('./lib/test-kit.mjs')).loadTestKit();
  const dist = mkdtempSync(join(tmpdir(), 'fencepost-dist-'));
  let browser;
  try {
    await buildLibrary({ outdir: dist, types: false });
    browser = await chromium.launch(chromiumLaunchOptions({ executablePath: ensureChromium() }));
    return await measureSizes({ dist, browser });
  } finally {
    await browser?.close();
    rmSync(dist, { recursive: true, force: true });
  }
}

/**
 * Prints the sizes beside the recorded sizes.
 *
 * @param {import('./lib/size-guard.mjs').Sizes} recorded
 * @param {import('./lib/size-guard.mjs').Sizes} measured
 */
function printSizes(recorded, measured) {
  const print = (name, before, now, note = '') => {
    const change = before === undefined ? 'new' : `${((now / before - 1) * 100).toFixed(1)} %`;
    console.log(
      `${name.padEnd(44)}${[kilobytes(before), kilobytes(now), change].map((text) => text.padStart(12)).join('')}   ${note}`.trimEnd(),
    );
  };
  console.log(
    `${'min+gzip'.padEnd(44)}${['recorded', 'now', 'change'].map((title) => title.padStart(12)).join('')}`,
  );
  for (const [name, bytes] of Object.entries(measured.files)) print(name, recorded.files[name], bytes);
  console.log('');
  for (const [name, { bytes, packageFiles }] of Object.entries(measured.pages))
    print(name, recorded.pages[name]?.bytes, bytes, packageFiles.join(' '));
}

/** Formats bytes in kB (1,000 bytes). A missing size gives an empty text. */
function kilobytes(bytes) {
  return bytes === undefined ? '' : `${(bytes / 1000).toFixed(1)} kB`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = readCommandLine('Usage: npm run size [-- --write]', {
    options: { write: { type: 'boolean', default: false } },
  });
  const measured = await measureSource();
  const recorded = readRecordedSizes();
  printSizes(recorded, measured);
  if (values.write) {
    writeFileSync(recordPath, `${JSON.stringify(measured, null, 2)}\n`);
    const formatter = join(projectRoot, 'node_modules/@biomejs/biome/bin/biome');
    spawnSync(process.execPath, [formatter, 'format', '--write', recordPath], { stdio: 'inherit' });
  } else {
    const problems = findGrowth(recorded, measured);
    for (const problem of problems) console.error(problem);
    if (problems.length > 0) {
      console.error('If the growth is worth its use, record it: npm run size -- --write');
      process.exitCode = 1;
    }
  }
}
