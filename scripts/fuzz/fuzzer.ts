/**
 * A case of fuzzing chooses a recording, changes it, and passes it to a target. A seed and the case's index determine
 * everything.
 *
 *   seed, index ─► target ─► recording ─► changes ─► pages or file ─► executors ─► outcome: codes, findings
 */

import { concatenate } from '../../src/core/records/concatenate.js';
import { HEADER_LENGTH_SHIFT } from '../../src/core/records/record-table.js';
import { exerciseCapture, mutateCapture } from '../../src/rhi/capture/capture.test-support.js';
import { encodeCapture } from '../../src/rhi/capture/capture-file.js';
import { decodeCapture } from '../../src/rhi/capture/decode-capture.js';
import { exerciseRecords, Outcome, type RecordTarget, recordTargets } from './exercise-records.js';
import { createHostileDevice } from './hostile-device.js';
import { mutateRecords, paginate } from './mutate-records.js';
import { createRandom, pick, type Random } from './random.js';
import { type RecordedCapture, type Recording, recordCaptures, recordLists } from './recordings.js';

export const fuzzTargets = [...recordTargets, 'capture'] as const;
export type FuzzTarget = (typeof fuzzTargets)[number];

export interface CaseResult {
  readonly target: FuzzTarget;
  /** Name of the changed recording. */
  readonly recording: string;
  /** Codes of engine errors, which are expected. */
  readonly codes: readonly string[];
  /** Violations; empty for a passed case. */
  readonly findings: readonly string[];
  /** A capture's file, or the pages of records in sequence. */
  readonly input: Uint8Array;
}

/** Share of captures among the cases, in percent. Captures take longer than lists. */
const CAPTURE_SHARE = 20;

export class Fuzzer {
  readonly #seed: number;
  readonly #recordings: readonly Recording[];
  readonly #captures: readonly RecordedCapture[];
  readonly #others: readonly Uint32Array[];

  private constructor(seed: number, recordings: readonly Recording[], captures: readonly RecordedCapture[]) {
    this.#seed = seed;
    this.#recordings = recordings;
    this.#captures = captures;
    this.#others = recordings.flatMap(({ records }) => records);
  }

  /** Records the lists and captures that the cases change. */
  static async create(seed: number): Promise<Fuzzer> {
    return new Fuzzer(seed, await recordLists(), await recordCaptures());
  }

  /** Number of recorded lists, and number of captures. */
  get baseCount(): readonly [number, number] {
    return [this.#recordings.length, this.#captures.length];
  }

  run(index: number): Promise<CaseResult> {
    const random = createRandom(this.#seed, index);
    return random(100) < CAPTURE_SHARE ? this.#runCapture(random) : this.#runRecords(random);
  }

  async #runRecords(random: Random): Promise<CaseResult> {
    const target: RecordTarget = pick(random, recordTargets);
    const { name, records, attachments } = pick(random, this.#recordings);
    const pages = paginate(mutateRecords(records, random, this.#others), random);
    const { codes, findings } = await exerciseRecords(target, pages, attachments, random);
    return { target, recording: name, codes, findings, input: bytesOf(concatenate(pages.flat())) };
  }

  async #runCapture(random: Random): Promise<CaseResult> {
    const { name, file: original } = pick(random, this.#captures);
    const file = random(2) === 0 ? mutateCapture(original, random) : this.#mutateStream(original, random);
    const outcome = new Outcome();
    try {
      const codes = await exerciseCapture(file, () => {
        const gpu = createHostileDevice(random);
        const finish = async (): Promise<void> => {
          gpu.finishWork();
          for (let turn = 0; turn < 12; turn++) await Promise.resolve();
        };
        return { device: gpu.device, finishPipeline: finish, completeWork: finish };
      });
      outcome.codes.push(...codes.filter((code) => code !== 'hang'));
      if (codes.includes('hang')) outcome.findings.push('the replay does not end');
    } catch (error) {
      outcome.note(error);
    }
    const { codes, findings } = outcome;
    return { target: 'capture', recording: name, codes, findings, input: new Uint8Array(file) };
  }

  /** Returns a valid file around changed records. */
  #mutateStream(file: ArrayBuffer, random: Random): ArrayBuffer {
    const capture = decodeCapture(file);
    const change = (words: Uint32Array): Uint32Array =>
      concatenate(mutateRecords(split(words), random, this.#others));
    const isStream = random(3) > 0;
    return encodeCapture({
      ...capture,
      stream: isStream ? change(capture.stream) : capture.stream,
      creations: isStream ? capture.creations : change(capture.creations),
    });
  }
}

function split(words: Uint32Array): Uint32Array[] {
  const records: Uint32Array[] = [];
  for (let at = 0; at < words.length; ) {
    const end = at + ((words[at] as number) >>> HEADER_LENGTH_SHIFT);
    records.push(words.slice(at, end));
    at = end;
  }
  return records;
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
