/**
 * Draw bundles on WebGPU: a bundle's records are encoded into a `GPURenderBundle` the first time they are executed, and
 * again when what they name has changed. Where something lacks, or a pipeline is pending, they are executed one by one
 * instead, so that one missing resource costs its draws and not the bundle's.
 *
 *   executeDrawBundle ─┬─ refused for these formats ─► left out, its draws counted as skipped
 *                      ├─ encoded for these formats, still current ─► executeBundles
 *                      ├─ all is there ─► encode ─► executeBundles
 *                      └─ something lacks ─► record by record: skipped draws are counted, stale handles reported
 */
import { messageOf, RhiError } from '../../../core/errors.js';
import { HEADER_LENGTH_SHIFT } from '../../../core/record-table.js';
import type { StreamReader } from '../../../core/stream.js';
import { RhiOpcode } from '../../commands/commands.js';
import type { RenderPassDescriptor } from '../../commands/descriptors.js';
import { handleKind, ResourceKind } from '../../commands/handles.js';
import { ResourceTable } from '../../memory/resource-table.js';
import { bundleRecord, checkedBundleAt } from '../../record/draw-bundle.js';
import {
  type EncodedBundle,
  encodeBundle,
  fitsPass,
  formatsOf,
  isCurrent,
  type PassFormats,
} from '../encoded-bundle.js';
import type { ExecutorParts } from '../extension.js';
import { PassRun } from '../pass-run.js';
import type { GpuResource } from '../resources.js';

/** Kinds of passes that are known of one bundle at a time. */
const MOST_KINDS = 4;

/** What has become of a bundle in passes of one kind. Each kind has its own fate: what one lacks, another may not. */
interface Encoding extends PassFormats {
  bundle: EncodedBundle | null;
  /** `Resources.epoch` when something lacked; encoding is tried again when it has risen. */
  lackedAt: number;
  /** The GPU has refused it, and that was reported. */
  isRefused: boolean;
}

const END = Uint32Array.of(RhiOpcode.endRenderPass | (1 << HEADER_LENGTH_SHIFT));

export class DrawBundleResource implements GpuResource<null> {
  /** What is encoded is freed with it. */
  readonly gpu = null;
  /** Its record is made anew where it is asked for. */
  readonly creation = -1;
  readonly run = new PassRun();
  readonly encodings: Encoding[] = [];

  /** @param commands checked ones; copied */
  constructor(
    readonly handle: number,
    readonly label: string,
    readonly createdInFrame: number,
    commands: Uint32Array,
  ) {
    const words = new Uint32Array(commands.length + END.length);
    words.set(commands);
    // A run is one of a pass, up to and with its end.
    words.set(END, commands.length);
    this.run.take({ words, cursor: 0, used: words.length });
  }

  /** Header and fields of the record that creates it. */
  get record(): Uint32Array {
    return bundleRecord(this.handle, this.label, this.run.words.subarray(0, this.end));
  }

  /** Where its own records end. */
  get end(): number {
    return this.run.length - END.length;
  }
}

export class DrawBundles {
  readonly #parts: ExecutorParts;
  readonly #table = new ResourceTable<DrawBundleResource>(ResourceKind.drawBundle);
  readonly #execution: GPURenderBundle[] = [];

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
    // Among the others, so that destroying, release and the leak report are theirs.
    const tables = parts.resources.tables as (ResourceTable<never> | undefined)[];
    tables[ResourceKind.drawBundle] = this.#table as unknown as ResourceTable<never>;
  }

  execute({ words, fields, fieldWords, opcode }: StreamReader): boolean {
    switch (opcode) {
      case RhiOpcode.createDrawBundle:
        this.#create(words, fields, fieldWords);
        return true;
      case RhiOpcode.executeDrawBundle:
        if (!this.#parts.mustWaitForPipelines()) this.#execute(this.#table.get(words[fields]));
        return true;
      default:
        return false;
    }
  }

  #create(words: Uint32Array, fields: number, fieldWords: number): void {
    const handle = words[fields];
    const { label, commands } = checkedBundleAt(words, fields, fieldWords);
    if (handleKind(handle) !== ResourceKind.drawBundle) throw this.#table.staleHandle(handle);
    this.#table.add(new DrawBundleResource(handle, label, this.#parts.resources.frame, commands));
  }

  #execute(bundle: DrawBundleResource): void {
    const { pass, renderPass } = this.#parts;
    const { render } = pass;
    const encoding = render === null || renderPass === undefined ? null : this.#find(bundle, renderPass);
    if (render === null || encoding === null || encoding.isRefused) {
      pass.skippedDraws += bundle.run.draws;
      return;
    }
    const encoded = this.#current(bundle, encoding);
    // As at the pass's begin: nothing counts as set.
    pass.beginRender(render);
    if (encoded === null) {
      this.#executeRecords(bundle, render);
      return;
    }
    pass.drawCalls += encoded.drawCalls;
    pass.instances += encoded.instances;
    this.#execution[0] = encoded.gpu;
    render.executeBundles(this.#execution);
  }

  #find({ encodings }: DrawBundleResource, source: RenderPassDescriptor): Encoding {
    const { resources } = this.#parts;
    for (const encoding of encodings) if (fitsPass(encoding, source, resources)) return encoding;
    const made = { ...formatsOf(source, resources), bundle: null, lackedAt: -1, isRefused: false };
    if (encodings.push(made) > MOST_KINDS) encodings.shift();
    return made;
  }

  /** Null where something lacks. */
  #current(bundle: DrawBundleResource, encoding: Encoding): EncodedBundle | null {
    const { resources } = this.#parts;
    if (encoding.bundle !== null && isCurrent(encoding.bundle, resources)) return encoding.bundle;
    encoding.bundle = encoding.lackedAt === resources.epoch ? null : this.#encode(bundle, encoding);
    if (encoding.bundle === null) encoding.lackedAt = resources.epoch;
    return encoding.bundle;
  }

  #encode({ run, label }: DrawBundleResource, encoding: Encoding): EncodedBundle | null {
    const { device, report } = this.#parts;
    device.pushErrorScope('validation');
    const made = encodeBundle(run, encoding.source, this.#parts, label);
    device.popErrorScope().then((error) => {
      if (error === null || made === null) return;
      encoding.isRefused = true;
      report(
        new RhiError(
          'bundle-refused',
          `The GPU refused the draw bundle "${label}": ${messageOf(error)} It is left out of passes with such attachments from here on. Correct it; the validation layer names the draw.`,
        ),
      );
    }, ignoreLoss);
    return made;
  }

  /** What a record throws does not end the bundle. The first error is thrown behind it. */
  #executeRecords({ run, end }: DrawBundleResource, render: GPURenderPassEncoder): void {
    const { pass } = this.#parts;
    let firstError: unknown = null;
    for (let at = 0; at < end; at = run.cursor) {
      try {
        run.execute(this.#parts, at, end);
      } catch (error) {
        firstError ??= error;
      }
    }
    pass.beginRender(render);
    if (firstError !== null) throw firstError;
  }
}

/** An error scope rejects only when the device is lost, and that is reported by itself. */
function ignoreLoss(): void {}
