/**
 * The benchmark runner: reads the command line, opens one browser and one server, runs the selected suites, prints
 * tables and targets, and writes JSON. A missed target is a result, not a failure. The exit status is 1 after a failed
 * measurement, and 2 for an invalid command line.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { readCommandLine } from '../scripts/lib/command-line.mjs';
import { launchBrowser } from './lib/browser.js';
import { type Circumstances, type FigureTable, tableOf, writeFigures } from './lib/figures.js';
import {
  type BenchReport,
  type BenchResult,
  type BenchTarget,
  formatRatio,
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
import { runLooks } from './suites/b16-looks.js';
import { runBrowsers } from './suites/browsers.js';
import { runClips } from './suites/clips.js';
import type { SuiteContext, SuiteOutcome } from './suites/context.js';
import { runCrowd } from './suites/crowd.js';
import { runFenceLatency } from './suites/fence-latency.js';
import { runFirstPicture } from './suites/first-picture.js';
import { runFrameTimes } from './suites/frame-times.js';
import { runLatency } from './suites/latency.js';
import { runLists } from './suites/lists.js';
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
  B16: runLooks,
  BROWSERS: runBrowsers,
  CLIPS: runClips,
  CROWD: runCrowd,
  FENCES: runFenceLatency,
  FIRST_PICTURE: runFirstPicture,
  LATENCY: runLatency,
  LISTS: runLists,
  MEMORY: runMemory,
  RECOVERY: runRecovery,
  STREAM: runStream,
  TASKS: runTasks,
  TIMELINE: runTimelineCost,
  VALIDATION: runValidation,
  VARIANCE: runFrameTimes,
};

const DEFAULTS = { count: '10000', frames: '60', runs: '15' };

const USAGE = `npm run bench -- [options]
  --only B1,B2,…    which benchmarks (default: all)
  --count N         boxes in B1 (default 10000)
  --frames N        measured frames in B1, B2, B9, B11 and LATENCY (default 60)
  --runs N          runs per engine in B6, per failure in RECOVERY (default 15), at most 3 in FIRST_PICTURE
  --engine A,B      only engines whose name contains A or B
  --json FILE       write the figures as JSON
  --write           write the figures to docs/figures.json and docs/figures.md; not with --engine
  --pictures DIR    write a picture per engine
  --gpu             use this machine's GPU instead of the software adapter`;

/** Functions of the project's scripts that the runner needs. */
export interface Tools {
  ensureChromium(): string;
  buildLibrary(options: { outdir: string; types: boolean }): Promise<void>;
}

export async function main(argv: string[], root: string, tools: Tools): Promise<number> {
  const { values } = readCommandLine(`\n${USAGE}`, {
    args: argv,
    options: {
      only: { type: 'string' },
      count: { type: 'string', default: DEFAULTS.count },
      frames: { type: 'string', default: DEFAULTS.frames },
      runs: { type: 'string', default: DEFAULTS.runs },
      engine: { type: 'string' },
      json: { type: 'string' },
      write: { type: 'boolean', default: false },
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
  let problem: string | undefined;
  if (unknown.length > 0) problem = `Unknown benchmark ${unknown.join(', ')}.`;
  else if (![count, frames, runs].every((n) => Number.isInteger(n) && n > 0))
    problem = 'Counts are whole numbers above 0.';
  else if (values.write && values.engine)
    problem = 'Tables of docs/figures.md contain all engines, so --engine and --write exclude each other.';
  if (problem) {
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
  const figures: FigureTable[] = [];
  const machine = describeMachine(load, `Chromium ${browser.version()}`, values.gpu);
  const commit = commitOf(root);
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
      if (outcome.failures.length > 0) continue;
      const circumstances = circumstancesOf(machine, commit, commandFor(id, values));
      figures.push(tableOf(id, outcome.results, outcome.targets, circumstances));
    }
  } finally {
    await browser.close();
    await server.close();
  }

  for (const table of tables) console.log(`\n${table}`);
  console.log(`\n${targetTable(targets)}`);
  for (const failure of failures) console.error(`FAILED ${failure}`);
  if (values.json) {
    const report: BenchReport = { machine, commit, results, targets };
    await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  // A suite with failures keeps its older table, because an incomplete table would hide the missing rows.
  if (values.write) await writeFigures(root, figures);
  return failures.length > 0 ? 1 : 0;
}

function describeMachine(loadAverage: number, browser: string, isGpu: boolean) {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    loadAverage,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${release()}`,
    node: process.version,
    browser,
    adapter: isGpu ? 'hardware' : 'SwiftShader',
  };
}

function circumstancesOf(
  { cpu, cores, loadAverage, memoryGiB, browser, adapter }: ReturnType<typeof describeMachine>,
  commit: string,
  command: string,
): Circumstances {
  return {
    command,
    date: new Date().toISOString().slice(0, 10),
    commit: commit.slice(0, 8),
    machine: `${cpu}, ${cores} cores, ${memoryGiB} GiB, load ${loadAverage.toFixed(1)}`,
    browser,
    adapter,
  };
}

/** Returns the command that measures one suite as this run did, with the options that differ from the defaults. */
function commandFor(
  id: string,
  values: { count: string; frames: string; runs: string; gpu: boolean },
): string {
  const options = [
    `--only ${id}`,
    values.count === DEFAULTS.count ? '' : `--count ${values.count}`,
    values.frames === DEFAULTS.frames ? '' : `--frames ${values.frames}`,
    values.runs === DEFAULTS.runs ? '' : `--runs ${values.runs}`,
    values.gpu ? '--gpu' : '',
  ];
  return `npm run bench -- ${options.filter(Boolean).join(' ')}`;
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
