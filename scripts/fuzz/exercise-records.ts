/**
 * Passes a list of hostile records to one of the readers of such lists, and reports violations. Violations are an error
 * without a code, bytes from behind a record, an endless loop, and a fence that is still pending after its executor was
 * disposed of.
 *
 *   pages ─► reader ─┬─► codec, trace
 *                    ├─► [validation] ─► null executor
 *                    └─► [validation] ─► WebGPU executor ─► hostile device
 */
import { FencepostError } from '../../src/core/errors.js';
import type { StreamReader } from '../../src/core/streams/stream.js';
import { RhiOpcode, rhiCommands } from '../../src/rhi/commands/commands.js';
import type { FenceHandle } from '../../src/rhi/commands/descriptors.js';
import type { Executor } from '../../src/rhi/execute/executor.js';
import { NullExecutor } from '../../src/rhi/null/executor.js';
import { Trace } from '../../src/rhi/record/trace.js';
import { validate } from '../../src/rhi/validation/validate.js';
import { WebGpuExecutor } from '../../src/rhi/webgpu/executor.js';
import type { SignallableFence } from '../../src/sync/waitable.js';
import { createHostileDevice } from './hostile-device.js';
import { HostileReader, hasPoison, POISON_CHARACTER } from './hostile-pages.js';
import type { Random } from './random.js';
import type { Recording } from './recordings.js';

export const recordTargets = ['codec', 'null', 'webgpu', 'validated null', 'validated webgpu'] as const;
export type RecordTarget = (typeof recordTargets)[number];

/** Codes and findings of a case. */
export class Outcome {
  readonly codes: string[] = [];
  readonly findings: string[] = [];

  /**
   * Records an error that was thrown or reported. It has to be an engine error with a code, and must contain no bytes
   * from behind a record.
   */
  readonly note = (error: unknown): void => {
    if (!(error instanceof FencepostError) || typeof error.code !== 'string') {
      const { stack = error } = (error ?? {}) as Partial<Error>;
      this.findings.push(`an error without a code: ${stack}`);
      return;
    }
    this.codes.push(error.code);
    this.check('a message', error.message);
  };

  check(what: string, text: string): void {
    if (text.includes(POISON_CHARACTER)) {
      this.findings.push(
        `${what} holds text from beyond the end of its record: ${JSON.stringify(text.slice(0, 200))}`,
      );
    }
  }
}

/** Number of turns of the GPU after which an executor must be idle. */
const MAXIMUM_TURNS = 64;

export async function exerciseRecords(
  target: RecordTarget,
  pages: readonly (readonly Uint32Array[])[],
  attachments: Recording['attachments'],
  random: Random,
): Promise<Outcome> {
  const outcome = new Outcome();
  const source = new HostileReader(rhiCommands, pages, copyAttachments(attachments));
  try {
    if (target === 'codec') decode(source, outcome);
    else await execute(target, source, outcome, random);
  } catch (error) {
    outcome.note(error);
  }
  return outcome;
}

function decode(reader: StreamReader, outcome: Outcome): void {
  const trace = new Trace();
  for (;;) {
    if (!reader.next()) return;
    try {
      outcome.check('a trace', trace.line(reader));
    } catch (error) {
      outcome.note(error);
    }
  }
}

async function execute(
  target: RecordTarget,
  source: HostileReader,
  outcome: Outcome,
  random: Random,
): Promise<void> {
  const gpu = createHostileDevice(random);
  const lossAt = random(8) === 0 ? random(6) : -1;
  const readbacks = { asked: 0, answered: 0 };
  const onReadback = (): void => {
    readbacks.answered++;
  };
  const reader = target.startsWith('validated')
    ? validate(source, { onError: outcome.note, onReadback })
    : source;
  const common = {
    reader,
    surface: null,
    maxFramesInFlight: 2,
    onError: outcome.note,
    onReadback,
    localCommands: new Map([
      ['known', noteData(outcome)],
      ['note', noteData(outcome)],
      ['throws', () => outcome.note(new FencepostError('thrown', 'on purpose'))],
    ]),
  };
  const onGpu = target.endsWith('null') ? null : new WebGpuExecutor({ ...common, device: gpu.device });
  const executor: Executor = onGpu ?? new NullExecutor(common);
  const fences = watchFences(source, executor);
  gpu.fault = random(2) === 0 ? 0 : 4 + random(60);
  executor.pump();
  for (let turn = 0; ; turn++) {
    if (turn === MAXIMUM_TURNS) outcome.findings.push('the executor does not become idle');
    if (turn === lossAt) gpu.lose();
    const hasWorked = gpu.finishWork();
    await settle();
    executor.pump();
    if ((!hasWorked && turn > lossAt) || turn === MAXIMUM_TURNS) break;
  }
  for (const { label } of executor.dispose().leaks)
    if (typeof label === 'string') outcome.check('a label', label);
  while (gpu.finishWork()) await settle();
  await settle();
  for (const fence of [executor.submitted, executor.completed, ...fences]) {
    if (fence.error === null) outcome.findings.push(`the fence "${fence.name}" is still pending at the end`);
    else outcome.note(fence.error);
  }
  outcome.findings.push(...gpu.findings);
}

const noteData = (outcome: Outcome) => (data: Uint8Array) => {
  if (hasPoison(data))
    outcome.findings.push('a local command received bytes from beyond the end of its record');
};

/** Returns a set to which each created fence is added. Destroyed fences stay in it. */
function watchFences(reader: HostileReader, executor: Executor): ReadonlySet<SignallableFence> {
  const fences = new Set<SignallableFence>();
  let handle = 0;
  reader.onNext = () => {
    if (handle !== 0) {
      try {
        fences.add(executor.fence(handle as FenceHandle));
      } catch {
        // The record was rejected.
      }
    }
    handle = 0;
  };
  const next = reader.next.bind(reader);
  reader.next = () => {
    const isThere = next();
    if (isThere && reader.opcode === RhiOpcode.createFence) handle = reader.words[reader.fields] ?? 0;
    return isThere;
  };
  return fences;
}

function copyAttachments(attachments: Recording['attachments']): Map<number, ArrayBuffer | ImageBitmap> {
  const copies = new Map<number, ArrayBuffer | ImageBitmap>();
  for (const [number, bytes] of attachments) {
    copies.set(number, bytes ? bytes.slice(0) : ({ width: 4, height: 4, close: () => {} } as ImageBitmap));
  }
  return copies;
}

/** Lets promise reactions run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await Promise.resolve();
}
