/**
 * The benchmark runner: reads the command line, opens one browser and one server, runs the suites asked for,
 * prints tables and targets, writes JSON. A missed target is a result, not a failure; the exit status is
 * non-zero only when something could not be measured.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../scripts/lib/command-line.mjs';
import { launchBrowser } from './lib/browser.js';
import {
  type BenchReport,
  type BenchResult,
  type BenchTarget,
  formatNumber,
  formatTable,
} from './lib/report.js';
import { startServer } from './lib/server.js';
import { runMovingBoxes } from './suites/b1-moving-boxes.js';
import { runUnmergeableMeshes } from './suites/b2-unmergeable-meshes.js';
import { runBlockedPage } from './suites/b3-blocked-page.js';
import { runAllocations } from './suites/b4-allocations.js';
import { runSizes } from './suites/b5-size.js';
import { runFirstFrames } from './suites/b6-first-frame.js';
import { runStillPrimitives } from './suites/b8-still-primitives.js';
import { runThreads } from './suites/b9-threads.js';
import { runGpuWork } from './suites/b10-gpu-work.js';
import { runMany } from './suites/b11-many.js';
import { runFrameGraph } from './suites/b12-frame-graph.js';
import { runEnvironment } from './suites/b13-environment.js';
import { runCharacters } from './suites/b14-characters.js';
import { runLoad } from './suites/b15-load.js';
import { runBrowsers } from './suites/browsers.js';
import { runClips } from './suites/clips.js';
import type { SuiteContext, SuiteOutcome } from './suites/context.js';
import { runCrowd } from './suites/crowd.js';
import { runFenceLatency } from './suites/fence-latency.js';
import { runFirstPicture } from './suites/first-picture.js';
import { runLatency } from './suites/latency.js';
import { runMemory } from './suites/memory.js';
import { runRecovery } from './suites/recovery.js';
import { runStream } from './suites/stream.js';
import { runTasks } from './suites/tasks.js';
import { runTimelineCost } from './suites/timeline.js';
import { runValidation } from './suites/validation.js';

const SUITES: Readonly<Record<string, (context: SuiteContext) => Promise<SuiteOutcome>>> = {
  B1: runMovingBoxes,
  B2: runUnmergeableMeshes,
  B3: runBlockedPage,
  B4: runAllocations,
  B5: runSizes,
  B6: runFirstFrames,
  B8: runStillPrimitives,
  B9: runThreads,
  B10: runGpuWork,
  B11: runMany,
  B12: runFrameGraph,
  B13: runEnvironment,
  B14: runCharacters,
  B15: runLoad,
  BROWSERS: runBrowsers,
  CLIPS: runClips,
  CROWD: runCrowd,
  FENCES: runFenceLatency,
  FIRST_PICTURE: runFirstPicture,
  LATENCY: runLatency,
  MEMORY: runMemory,
  RECOVERY: runRecovery,
  STREAM: runStream,
  TASKS: runTasks,
  TIMELINE: runTimelineCost,
  VALIDATION: runValidation,
};

const USAGE = `npm run bench -- [options]
  --only B1,B2,…    which benchmarks (default: all)
  --count N         boxes in B1 (default 10000)
  --frames N        measured frames in B1, B2, B9, B11 and LATENCY (default 60)
  --runs N          runs per engine in B6, per failure in RECOVERY (default 15), at most 3 in FIRST_PICTURE
  --engine A,B      only engines whose name contains A or B
  --json FILE       write the figures as JSON
  --pictures DIR    write a picture per engine
  --gpu             use this machine's GPU instead of the software adapter`;

/** What the project's scripts do for the runner. */
export interface Tools {
  ensureChromium(): string;
  buildLibrary(options: { outdir: string; types: boolean }): Promise<void>;
}

export async function main(argv: string[], root: string, tools: Tools): Promise<number> {
  const { values } = readCommandLine(`\n${USAGE}`, {
    args: argv,
    options: {
      only: { type: 'string' },
      count: { type: 'string', default: '10000' },
      frames: { type: 'string', default: '60' },
      runs: { type: 'string', default: '15' },
      engine: { type: 'string' },
      json: { type: 'string' },
      pictures: { type: 'string' },
      gpu: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const ids = values.only ? values.only.split(',').map((id) => id.trim().toUpperCase()) : Object.keys(SUITES);
  const unknown = ids.filter((id) => !(id in SUITES));
  const [count, frames, runs] = [values.count, values.frames, values.runs].map(Number) as [
    number,
    number,
    number,
  ];
  if (unknown.length > 0 || ![count, frames, runs].every((n) => Number.isInteger(n) && n > 0)) {
    const problem =
      unknown.length > 0 ? `Unknown benchmark ${unknown.join(', ')}.` : 'Counts are whole numbers above 0.';
    console.error(`${problem}\n\n${USAGE}`);
    return 2;
  }

  const engines = (values.engine ?? '').split(',').map((name) => name.trim());
  const load = loadavg()[0] ?? 0;
  if (load > cpus().length / 2) {
    console.error(
      `Other programs keep this machine busy (load ${load.toFixed(1)}); figures will be too high.`,
    );
  }
  const outFolder = join(root, 'node_modules/.cache/bench/pages');
  await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  let building: Promise<string> | undefined;
  const library = () => {
    const outdir = join(root, 'node_modules/.cache/bench/library');
    building ??= tools.buildLibrary({ outdir, types: false }).then(() => outdir);
    return building;
  };
  const server = await startServer(outFolder);
  const browser = await launchBrowser(tools.ensureChromium(), values.gpu);
  const results: BenchResult[] = [];
  const targets: BenchTarget[] = [];
  const failures: string[] = [];
  const tables: string[] = [];
  const browserVersion = browser.version();
  try {
    for (const id of ids) {
      const outcome = await SUITES[id]?.({
        browser,
        server,
        outFolder,
        root,
        builtLibrary: library,
        count,
        frames,
        warmup: Math.min(20, frames),
        runs,
        pictures: values.pictures,
        isWanted: (file: string) => engines.some((name) => file.includes(name)),
        log: (message: string) => console.error(message),
      });
      if (!outcome) continue;
      results.push(...outcome.results);
      targets.push(...outcome.targets);
      failures.push(...outcome.failures);
      tables.push(outcome.table);
    }
  } finally {
    await browser.close();
    await server.close();
  }

  for (const table of tables) console.log(`\n${table}`);
  console.log(`\n${targetTable(targets)}`);
  for (const failure of failures) console.error(`FAILED ${failure}`);
  if (values.json) {
    const report: BenchReport = {
      machine: {
        cpu: cpus()[0]?.model ?? 'unknown',
        cores: cpus().length,
        loadAverage: load,
        memoryGiB: Math.round(totalmem() / 2 ** 30),
        system: `${platform()} ${release()}`,
        node: process.version,
        browser: `Chromium ${browserVersion}`,
        adapter: values.gpu ? 'hardware' : 'SwiftShader',
      },
      commit: commitOf(root),
      results,
      targets,
    };
    await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  return failures.length > 0 ? 1 : 0;
}

function commitOf(root: string): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

function targetTable(targets: readonly BenchTarget[]): string {
  const rows = targets.map((target) => [
    target.id,
    target.description,
    target.measured === null ? '–' : formatRatio(target.measured),
    `${target.isAtLeast ? '≥' : '≤'} ${formatRatio(target.target)}`,
    target.met === null ? 'not measured' : target.met ? 'met' : 'missed',
  ]);
  return formatTable(['target', 'what', 'measured', 'wanted', ''], rows);
}

function formatRatio(value: number): string {
  return Math.abs(value) < 0.1 ? value.toFixed(4) : formatNumber(value);
}
