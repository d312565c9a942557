/**
 * B5: the download of a page with a spinning, lit cube. Each engine's hello cube is bundled and minified by the same
 * Vite and opened. The size is the sum of the scripts that the browser has fetched until the first frame, each
 * compressed with gzip level 9. A worker's file counts as worker bytes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { atMost, type BenchResult, formatNumber, formatTable } from '../lib/report.js';
import type { SuiteContext, SuiteOutcome } from './context.js';
import { buildHello, buildProbe, buildTimedHello, firstFrame, HELLOS, type Hello } from './hello.js';

export async function runSizes(context: SuiteContext): Promise<SuiteOutcome> {
  const results: BenchResult[] = [];
  const failures: string[] = [];
  const probe = await buildProbe(context);
  for (const hello of HELLOS) {
    if (!context.isWanted(hello.file)) continue;
    try {
      results.push(await weigh(context, hello, probe));
    } catch (error) {
      failures.push(`B5 ${hello.engine}: ${String(error)}`);
    }
  }
  const totalOf = (engine: string) =>
    results.find((result) => result.engine === engine)?.totalBytes as number | undefined;
  const [ours, three] = [totalOf('fencepost'), totalOf('three')];
  return {
    results,
    failures,
    targets: [
      atMost(
        'B5',
        'hello cube, everything, bytes min+gzip ÷ three.js’s',
        ours !== undefined && three !== undefined ? ours / three : undefined,
        0.85,
      ),
    ],
    table: [
      'B5 · hello cube · bytes, minified and gzipped, as fetched',
      formatTable(
        ['engine', 'version', 'main thread', 'worker', 'all'],
        results.map((result) => [
          result.engine,
          result.version,
          ...[result.mainBytes, result.workerBytes, result.totalBytes].map(formatNumber),
        ]),
      ),
    ].join('\n'),
  };
}

async function weigh(context: SuiteContext, hello: Hello, probe: string): Promise<BenchResult> {
  const plain = await buildHello(context, hello);
  const timed = await buildTimedHello(context, hello);
  const browserContext = await context.browser.newContext();
  try {
    const tab = await browserContext.newPage();
    const errors: string[] = [];
    tab.on('pageerror', (error) => errors.push(error.message));
    await tab.addInitScript({ content: probe });
    context.server.takeRequests();
    await tab.goto(`${context.server.origin}/isolated/${timed}/index.html`);
    await firstFrame(tab).catch((error) => {
      throw new Error([...errors, String(error)].join(' | '));
    });
    const scripts = [...new Set(context.server.takeRequests())].filter((name) => name.endsWith('.js'));
    let mainBytes = 0;
    let workerBytes = 0;
    for (const name of scripts) {
      // The timed page only shows which files are fetched. The plain page's files are weighed.
      const bytes = gzipSync(await readFile(join(context.outFolder, plain, name.slice(timed.length + 1))), {
        level: 9,
      }).byteLength;
      if (/worker[^/]*\.js$/.test(name)) workerBytes += bytes;
      else mainBytes += bytes;
    }
    return {
      id: 'B5',
      engine: hello.engine,
      version: await versionOf(context.root, hello.file),
      mainBytes,
      workerBytes,
      totalBytes: mainBytes + workerBytes,
      files: scripts.length,
    };
  } finally {
    await browserContext.close();
  }
}

const PACKAGES: Readonly<Record<string, string>> = {
  fencepost: 'package.json',
  three: 'node_modules/three/package.json',
  babylon: 'node_modules/@babylonjs/core/package.json',
  'babylon-lite': 'node_modules/@babylonjs/lite/package.json',
  playcanvas: 'node_modules/playcanvas/package.json',
};

/** Returns the version of the package that a hello cube uses. */
export async function versionOf(root: string, file: string): Promise<string> {
  const path = PACKAGES[file];
  if (!path) return 'hand-written';
  const { version } = JSON.parse(await readFile(join(root, path), 'utf8')) as { version: string };
  return version;
}
