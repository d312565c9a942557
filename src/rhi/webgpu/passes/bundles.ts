/**
 * Draw bundles on WebGPU: a bundle's records are encoded as a `GPURenderBundle` (`bundle-encoder.ts`), which costs about one
 * draw, or executed one by one. The picture is the same.
 *
 *   executeDrawBundle ─┬─ refused for these formats ─► left out, its draws counted as skipped
 *                      ├─ indirect draws that this pass has executed before ─► record by record, see `isIndirect`
 *                      ├─ encoded ─► executeBundles
 *                      └─ something lacks ─► record by record: skipped draws are counted, stale handles reported, so that
 *                         one missing resource costs its draws and not the bundle's
 */
import { handleKind, ResourceKind } from '../../commands/handles.js';
import { type CommandRecord, RecordSequence } from '../../commands/record-sequence.js';
import type { ResourceTable } from '../../execute/resource-table.js';
import { bundleRecord, checkedBundleAt, countDraws, hasIndirectDraws } from '../../record/draw-bundle.js';
import type { GpuResource } from '../resources/gpu-resources.js';
import type { WebGpuBackend } from '../webgpu-backend.js';
import { currentDraws, type Encoding, encodingFor } from './bundle-encoder.js';

export class DrawBundleResource implements GpuResource<null> {
  /** What is encoded is freed with it. */
  readonly gpu = null;
  /** Its record is its own. */
  readonly creation = -1;
  readonly draws: number;
  /**
   * Some draws read their numbers from a buffer. Chromium 150 loses the device where a pass executes such a bundle of its own
   * twice; its draws in the pass itself are well.
   */
  readonly isIndirect: boolean;
  /** The pass that has executed it last. */
  lastPass: GPURenderPassEncoder | null = null;
  /** By kind of pass. */
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

export class Bundles {
  readonly #backend: WebGpuBackend;
  readonly #table: ResourceTable<DrawBundleResource>;

  constructor(backend: WebGpuBackend) {
    this.#backend = backend;
    this.#table = backend.resources.addTable<DrawBundleResource>(ResourceKind.drawBundle);
  }

  /** @throws RhiError `stale-handle`, `bad-record`, `bundle-command`, `bundle-debug-group` */
  create({ words, fields, fieldWords }: CommandRecord): void {
    const { resources } = this.#backend;
    const handle = words[fields];
    const { label, commands } = checkedBundleAt(words, fields, fieldWords);
    if (handleKind(handle) !== ResourceKind.drawBundle) throw this.#table.staleHandle(handle);
    // A copy that lies in no shared memory.
    const own = new Uint32Array(commands);
    if (this.#table.add(new DrawBundleResource(handle, label, resources.frame, own))) resources.epoch++;
  }

  /** @throws RhiError `stale-handle` */
  execute(handle: number): void {
    const backend = this.#backend;
    if (backend.mustWaitForPipelines()) return;
    const bundle = this.#table.get(handle);
    const { pass, resources } = backend;
    const { render, source } = pass;
    const encoding = render && source && encodingFor(bundle, source, resources);
    if (render === null || encoding === null || encoding.isRefused) {
      pass.skipDraws(bundle.draws, true);
      return;
    }
    const isAgain = bundle.isIndirect && bundle.lastPass === render;
    bundle.lastPass = render;
    const encoded = isAgain ? null : currentDraws(bundle, encoding, backend);
    // As at the pass's begin: nothing counts as set.
    pass.beginRender(render);
    if (encoded === null) {
      executeRecords(bundle, backend, render);
      return;
    }
    pass.drawCalls += encoded.drawCalls;
    pass.instances += encoded.instances;
    execution[0] = encoded.gpu;
    render.executeBundles(execution);
  }
}

const execution: GPURenderBundle[] = [];

/** What a record throws does not end the bundle. The first error is thrown behind it. */
function executeRecords(
  { commands }: DrawBundleResource,
  backend: WebGpuBackend,
  render: GPURenderPassEncoder,
): void {
  const records = new RecordSequence(commands);
  let firstError: unknown = null;
  let isLeft = true;
  while (isLeft) {
    try {
      backend.draws.execute(records);
      isLeft = records.next();
      if (isLeft) backend.handlers[records.opcode]?.(backend, records);
    } catch (error) {
      firstError ??= error;
    }
  }
  backend.pass.beginRender(render);
  if (firstError !== null) throw firstError;
}
