/**
 * Query results without stalls: a set of queries, resolved and read back each time `read` is called, by an event
 * some frames later. Any number of reads may be under way. Where the device lacks the feature there are no queries,
 * passes are recorded without them, and every read gives null.
 *
 *   frame N:  pass with timestampWrites(0, 1) · read() ─► resolveQuerySet, readBuffer
 *   frame N + 2, or so:                          └─► [ns, ns]
 */
import { RhiError } from '../../core/errors.js';
import { anything, oneOf, text } from '../../core/options/members.js';
import { capabilityVersion } from '../commands/capabilities.js';
import { checkAnyContext, checkOptions, checkRhi, checkWhole } from '../commands/class-arguments.js';
import {
  type BufferHandle,
  BufferUsage,
  type QuerySetHandle,
  type RhiCapabilities,
  type TimestampWrites,
} from '../commands/descriptors.js';
import type { CommandContext } from './command-context.js';
import type { ImmediateContext } from './immediate-context.js';
import { handled } from './read-backs.js';

const BYTES_PER_QUERY = 8;
const NANOSECONDS_PER_MILLISECOND = 1e6;

/** Where it records and reads: what `createRhi` returns is one. */
export interface QueryRhi {
  readonly context: ImmediateContext;
  readonly capabilities: RhiCapabilities;
  read(buffer: BufferHandle, byteOffset: number, byteLength: number): Promise<ArrayBuffer>;
}

export interface QueryReadbackOptions {
  readonly label: string;
  readonly type: 'occlusion' | 'timestamp';
  /** 1 to 4096. */
  readonly count: number;
}

const OPTIONS = {
  label: text('text'),
  type: { ...oneOf('occlusion|timestamp'), remedy: '"occlusion" or "timestamp"' },
  count: anything(),
};

export class QueryReadback {
  /** Undefined where the device has no such queries. A render pass names it as its `occlusionQuerySet`. */
  readonly querySet: QuerySetHandle | undefined;
  readonly count: number;
  readonly #rhi: QueryRhi;
  readonly #resolved: BufferHandle | undefined;

  /** @throws RhiError `limit-exceeded`; OptionError `option-invalid`, `option-unknown` */
  constructor(rhi: QueryRhi, options: QueryReadbackOptions) {
    checkRhi('new QueryReadback', rhi);
    checkOptions('new QueryReadback', options, OPTIONS);
    const { label, type, count } = options;
    if (!(Number.isInteger(count) && count >= 1 && count <= 4096)) {
      throw new RhiError('limit-exceeded', `The queries "${label}" were to be ${count}; make it 1 to 4096.`);
    }
    this.#rhi = rhi;
    this.count = count;
    // Occlusion queries are part of WebGPU itself; a backend without a GPU has results for neither.
    const hasQueries =
      rhi.capabilities.backend === 'webgpu' &&
      (type === 'occlusion' || capabilityVersion(rhi.capabilities, 'timestamp-query') > 0);
    if (!hasQueries) return;
    this.querySet = rhi.context.createQuerySet({ label, type, count });
    this.#resolved = rhi.context.createBuffer({
      label: `results of "${label}"`,
      byteLength: count * BYTES_PER_QUERY,
      usage: BufferUsage.queryResolve | BufferUsage.copySource,
    });
  }

  /**
   * For a pass's descriptor: write at its begin and end. Undefined where there are no timestamps.
   * @throws OptionError `option-invalid`
   */
  timestampWrites(begin: number, end: number): TimestampWrites | undefined {
    checkWhole('The first query of timestampWrites', begin, 0, this.count - 1);
    checkWhole('The second query of timestampWrites', end, 0, this.count - 1);
    if (this.querySet === undefined) return undefined;
    return { querySet: this.querySet, beginningOfPassWriteIndex: begin, endOfPassWriteIndex: end };
  }

  /**
   * Inside a pass that names `querySet`: counts the samples of what `record` draws.
   * @throws OptionError `option-invalid`; what `record` throws
   */
  occlusion(context: CommandContext, query: number, record: () => void): void {
    checkAnyContext('occlusion', context);
    checkWhole('The query of occlusion', query, 0, this.count - 1);
    if (this.querySet !== undefined) context.beginOcclusionQuery(query);
    record();
    if (this.querySet !== undefined) context.endOcclusionQuery();
  }

  /**
   * Records the reading of all queries; outside passes, after those that write them. Samples that passed, or
   * nanoseconds. Rejects when the device is lost first.
   */
  read(): Promise<BigUint64Array | null> {
    const { querySet, count } = this;
    const resolved = this.#resolved;
    if (querySet === undefined || resolved === undefined) return Promise.resolve(null);
    this.#rhi.context.resolveQuerySet(querySet, 0, count, resolved, 0);
    const bytes = this.#rhi.read(resolved, 0, count * BYTES_PER_QUERY);
    return handled(bytes.then((results) => new BigUint64Array(results)));
  }

  destroy(): void {
    this.#rhi.context.destroy(this.querySet);
    this.#rhi.context.destroy(this.#resolved);
  }
}

/**
 * The time between two timestamps. They are quantised and may go back: null then, and where there are none.
 * @returns milliseconds
 */
export function millisecondsBetween(
  timestamps: BigUint64Array | null,
  begin: number,
  end: number,
): number | null {
  const from = timestamps?.[begin];
  const to = timestamps?.[end];
  if (from === undefined || to === undefined || to < from) return null;
  return Number(to - from) / NANOSECONDS_PER_MILLISECOND;
}
