/**
 * Draw bundles on WebGPU: a bundle's records are executed one by one, or as a `GPURenderBundle` into which they were encoded
 * (`bundle-encoder.ts`). The picture is the same; encoded, a bundle costs about one draw. Few pages have so many draws that
 * stay the same, so the engine's worker loads the encoder when the first bundle is executed, and waits for nothing.
 *
 *   executeDrawBundle ─┬─ refused for these formats ─► left out, its draws counted as skipped
 *                      ├─ indirect draws that this pass has executed before ─► record by record, see `isIndirect`
 *                      ├─ encoded ─► executeBundles
 *                      └─ no encoder yet, or something lacks ─► record by record: skipped draws are counted, stale
 *                         handles reported, so that one missing resource costs its draws and not the bundle's
 */
import { handleKind, ResourceKind } from '../commands/handles.js';
import { RecordSequence } from '../commands/record-sequence.js';
import { bundleRecord, checkedBundleAt, countDraws, hasIndirectDraws } from '../record/draw-bundle.js';
import type { Encoding } from './bundle-encoder.js';
import type { ExecutorParts, Handler } from './parts.js';
import type { GpuResource } from './resources.js';

export class DrawBundleResource implements GpuResource<null> {
  /** What is encoded is freed with it. */
  readonly gpu = null;
  /** Its record is made anew where it is asked for. */
  readonly creation = -1;
  readonly draws: number;
  /**
   * Some draws read their numbers from a buffer. Chromium 150 loses the device where a pass executes such a bundle of its own
   * twice; its draws in the pass itself are well.
   */
  readonly isIndirect: boolean;
  /** The pass that has executed it last. */
  lastPass: GPURenderPassEncoder | null = null;
  /** Of the encoder's. */
  readonly encodings: Encoding[] = [];

  /** @param commands checked ones, its own */
  constructor(
    readonly handle: number,
    readonly label: string,
    readonly createdInFrame: number,
    readonly commands: Uint32Array<ArrayBuffer>,
  ) {
    this.draws = countDraws(commands);
    this.isIndirect = hasIndirectDraws(commands);
  }

  /** Header and fields of the record that creates it. */
  get record(): Uint32Array {
    return bundleRecord(this.handle, this.label, this.commands);
  }
}

export const bundleHandlers = {
  createDrawBundle: ({ bundles, resources }, { words, fields, fieldWords }) => {
    const handle = words[fields];
    const { label, commands } = checkedBundleAt(words, fields, fieldWords);
    if (handleKind(handle) !== ResourceKind.drawBundle) throw bundles.staleHandle(handle);
    // A copy that lies in no shared memory.
    const own = new Uint32Array(commands);
    if (bundles.add(new DrawBundleResource(handle, label, resources.frame, own))) resources.epoch++;
  },
  executeDrawBundle: (parts, { words, fields }) => {
    if (parts.mustWaitForPipelines()) return;
    const bundle = parts.bundles.get(words[fields]);
    const { pass } = parts;
    const { render, source } = pass;
    const encoder = parts.bundleEncoder;
    if (render === null || source === null || encoder?.isRefused(bundle, source)) {
      pass.skipDraws(bundle.draws);
      return;
    }
    const isAgain = bundle.isIndirect && bundle.lastPass === render;
    bundle.lastPass = render;
    const encoded = (isAgain ? null : encoder?.currentDraws(bundle, source)) ?? null;
    // As at the pass's begin: nothing counts as set.
    pass.beginRender(render);
    if (encoded === null) {
      executeRecords(bundle, parts, render);
      return;
    }
    pass.drawCalls += encoded.drawCalls;
    pass.instances += encoded.instances;
    execution[0] = encoded.gpu;
    render.executeBundles(execution);
  },
} satisfies Record<string, Handler>;

const execution: GPURenderBundle[] = [];

/** What a record throws does not end the bundle. The first error is thrown behind it. */
function executeRecords(
  { commands }: DrawBundleResource,
  parts: ExecutorParts,
  render: GPURenderPassEncoder,
): void {
  const records = new RecordSequence(commands);
  let firstError: unknown = null;
  let isLeft = true;
  while (isLeft) {
    try {
      parts.draws.execute(records);
      isLeft = records.next();
      if (isLeft) parts.handlers[records.opcode]?.(parts, records);
    } catch (error) {
      firstError ??= error;
    }
  }
  parts.pass.beginRender(render);
  if (firstError !== null) throw firstError;
}
