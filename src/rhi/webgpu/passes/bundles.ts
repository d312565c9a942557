/**
 * Creates and executes draw bundles on WebGPU. A bundle is executed in one of two ways. An encoded `GPURenderBundle`
 * (`bundle-encoder.ts`) costs about as much as one draw. Otherwise the bundle is executed record by record. The picture
 * is the same in both cases.
 *
 *   executeDrawBundle ─┬─ refused by the GPU in such passes ─► left out, its draws counted as skipped
 *                      ├─ indirect draws, executed before in this pass ─► record by record, see `isIndirect`
 *                      ├─ encoded ─► executeBundles
 *                      └─ a resource is missing ─► record by record
 *
 * If a resource is missing, execution record by record skips only the draws that need this resource. It counts the
 * skipped draws and reports stale handles.
 */
import { handleKind, ResourceKind } from '../../commands/handles.js';
import { type CommandRecord, RecordSequence } from '../../commands/record-sequence.js';
import type { ResourceTable } from '../../execute/resource-table.js';
import { bundleRecord, checkedBundleAt, countDraws, hasIndirectDraws } from '../../record/draw-bundle.js';
import type { GpuResource } from '../resources/gpu-resources.js';
import type { WebGpuBackend } from '../webgpu-backend.js';
import { currentDraws, type Encoding, encodingFor } from './bundle-encoder.js';

export class DrawBundleResource implements GpuResource<null> {
  /** The garbage collector frees the encoded bundles together with this object, so there is nothing to destroy. */
  readonly gpu = null;
  /** Bundles store no creation record, because `record` rebuilds it. */
  readonly creation = -1;
  /** Number of draws in the bundle. */
  readonly draws: number;
  /**
   * Whether the bundle has indirect draws, which read their counts from a buffer. Chromium 150 loses the device if
   * a pass executes such a bundle twice. The same draws outside of bundles work.
   */
  readonly isIndirect: boolean;
  /** The last pass that executed the bundle. */
  lastPass: GPURenderPassEncoder | null = null;
  /** One encoding per kind of pass (`bundle-encoder.ts`). */
  readonly encodings: Encoding[] = [];

  /** @param commands checked records, in an array that belongs to the bundle */
  constructor(
    readonly handle: number,
    readonly label: string,
    readonly createdInFrame: number,
    readonly commands: Uint32Array<ArrayBuffer>,
  ) {
    this.draws = countDraws(commands);
    this.isIndirect = hasIndirectDraws(commands);
  }

  /** Header and fields of a record that creates the bundle. */
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

  /** Creates a bundle. @throws RhiError `stale-handle`, `bad-record`, `bundle-command`, `bundle-debug-group` */
  create({ words, fields, fieldWords }: CommandRecord): void {
    const { resources } = this.#backend;
    const handle = words[fields];
    const { label, commands } = checkedBundleAt(words, fields, fieldWords);
    if (handleKind(handle) !== ResourceKind.drawBundle) throw this.#table.staleHandle(handle);
    // The stream reuses the page of the record, so the bundle gets a copy.
    const own = new Uint32Array(commands);
    if (this.#table.add(new DrawBundleResource(handle, label, resources.frame, own))) resources.epoch++;
  }

  /** Executes a bundle in the open pass. @throws RhiError `stale-handle` */
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
    // Before and after a bundle, all state counts as unset, as at the start of a pass.
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

/** The argument of `executeBundles`, kept so that an execution allocates nothing. */
const execution: GPURenderBundle[] = [];

/** Executes all records of a bundle one by one, even after an error. The first error is thrown at the end. */
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
