/**
 * A thread of `scripts/fuzz.mjs`: runs every n-th case and says, before each, which. So whoever started it knows
 * what case it was when nothing more is heard.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type DecoderCase, DecoderFuzzer } from './decoder-fuzzer.js';
import { type CaseResult, Fuzzer } from './fuzzer.js';

export interface FuzzWork {
  readonly what: 'lists' | 'decoders';
  readonly seed: number;
  /** Of decoders: the only one. */
  readonly target: string | undefined;
  readonly first: number;
  /** Cases before this one. */
  readonly end: number;
  readonly step: number;
  /** One word: the case that is being run. */
  readonly progress: Int32Array;
}

const { what, seed, target, first, end, step, progress } = workerData as FuzzWork;
const fuzzer = what === 'decoders' ? await DecoderFuzzer.create(seed, target) : await Fuzzer.create(seed);
const targets: Record<string, number> = {};
const codes: Record<string, number> = {};
let sound = 0;
/** Errors that nobody has caught, since the last case. */
let uncaught: string[] = [];
process.on('unhandledRejection', (error) =>
  uncaught.push(`nobody caught ${(error as Error)?.stack ?? error}`),
);
process.on('uncaughtException', (error) => uncaught.push(`nobody caught ${error?.stack ?? error}`));

/** What the fuzzer itself throws is found as well. */
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
  // A turn of the loop, at which Node tells of rejections that nobody caught.
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
