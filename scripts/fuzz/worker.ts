/**
 * A thread of `scripts/fuzz.mjs`. It runs every n-th case, and stores the case's number before the case begins. So the
 * main thread knows the case when the worker hangs or dies.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type DecoderCase, DecoderFuzzer } from './decoder-fuzzer.js';
import { type CaseResult, Fuzzer } from './fuzzer.js';

export interface FuzzWork {
  readonly what: 'lists' | 'decoders';
  readonly seed: number;
  /** With `decoders`: the only target; undefined for all targets. */
  readonly target: string | undefined;
  readonly first: number;
  /** End of the cases, exclusive. */
  readonly end: number;
  readonly step: number;
  /** One word: the number of the current case. */
  readonly progress: Int32Array;
}

const { what, seed, target, first, end, step, progress } = workerData as FuzzWork;
const fuzzer = what === 'decoders' ? await DecoderFuzzer.create(seed, target) : await Fuzzer.create(seed);
const targets: Record<string, number> = {};
const codes: Record<string, number> = {};
let sound = 0;
/** Uncaught errors since the last case. */
let uncaught: string[] = [];
process.on('unhandledRejection', (error) => uncaught.push(`uncaught: ${(error as Error)?.stack ?? error}`));
process.on('uncaughtException', (error) => uncaught.push(`uncaught: ${error?.stack ?? error}`));

/** Runs a case. An error of the fuzzer itself counts as a finding. */
async function run(index: number): Promise<CaseResult | DecoderCase> {
  try {
    return await fuzzer.run(index);
  } catch (error) {
    const findings = [`the fuzzer failed: ${(error as Error)?.stack ?? error}`];
    return { target: 'codec', recording: '?', codes: [], findings, input: new Uint8Array(0) };
  }
}

parentPort?.postMessage({ bases: fuzzer.baseCount });
for (let index = first; index < end; index += step) {
  Atomics.store(progress, 0, index);
  const result = await run(index);
  // Node reports unhandled rejections once per turn of its loop.
  await new Promise((resolve) => setImmediate(resolve));
  targets[result.target] = (targets[result.target] ?? 0) + 1;
  for (const code of new Set(result.codes)) codes[code] = (codes[code] ?? 0) + 1;
  if (result.codes.length === 0) sound++;
  const findings = [...result.findings, ...uncaught];
  uncaught = [];
  if (findings.length > 0 || end - first === 1) {
    parentPort?.postMessage({ index, ...result, findings });
  }
}
parentPort?.postMessage({ done: { targets, codes, sound } });
