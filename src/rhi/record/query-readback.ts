/**
 * Reads query results without stalls. Each call of `read` resolves a set of queries and reads the results back. The
 * results arrive some frames later, and several reads may be in flight. If the device lacks the queries, passes are
 * recorded without them, and every read resolves with null.
 *
 *   frame N:  pass with timestampWrites(0, 1) · read() ─► resolveQuerySet, readBuffer
 *   frame N + 2, or so:                          └─► [ns, ns]
 */
import { RhiError } from '../../core/errors.js';
import { anything, oneOf, text } from '../../core/options/members.js';
import { hasFeature } from '../commands/capabilities.js';
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

/** The parts of an RHI that `QueryReadback` uses. */
export interface QueryRhi {
  readonly context: ImmediateContext;
  readonly capabilities: RhiCapabilities;
  read(buffer: BufferHandle, byteOffset: number, byteLength: number): Promise<ArrayBuffer>;
}

export interface QueryReadbackOptions {
  readonly label: string;
  readonly type: 'occlusion' | 'timestamp';
  /** Number of queries, 1 to 4096. */
  readonly count: number;
}

const OPTIONS = {
  label: text('text'),
  type: { ...oneOf('occlusion|timestamp'), remedy: '"occlusion" or "timestamp"' },
  count: anything(),
};

export class QueryReadback {
  /** The query set; undefined if the device lacks the queries. Pass it as `occlusionQuerySet` of a render pass. */
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
      throw new RhiError(
        'limit-exceeded',
        `The number of queries in "${label}" is ${count}. Make it a whole number from 1 to 4096.`,
      );
    }
    this.#rhi = rhi;
    this.count = count;
    // Timestamps need an optional feature of WebGPU, occlusion queries do not. The null backend supports neither type.
    const hasQueries =
      rhi.capabilities.backend === 'webgpu' &&
      (type === 'occlusion' || hasFeature(rhi.capabilities, 'timestamp-query'));
    if (!hasQueries) return;
    this.querySet = rhi.context.createQuerySet({ label, type, count });
    this.#resolved = rhi.context.createBuffer({
      label: `results of "${label}"`,
      byteLength: count * BYTES_PER_QUERY,
      usage: BufferUsage.queryResolve | BufferUsage.copySource,
    });
  }

  /**
   * Returns the `timestampWrites` of a pass's descriptor; undefined if the device lacks timestamps.
   * @param begin index of the query that receives the time of the pass's start
   * @param end index of the query that receives the time of the pass's end
   * @throws OptionError `option-invalid`
   */
  timestampWrites(begin: number, end: number): TimestampWrites | undefined {
    checkWhole('The first query of timestampWrites', begin, 0, this.count - 1);
    checkWhole('The second query of timestampWrites', end, 0, this.count - 1);
    if (this.querySet === undefined) return undefined;
    return { querySet: this.querySet, beginningOfPassWriteIndex: begin, endOfPassWriteIndex: end };
  }

  /**
   * Counts the visible samples of the draws that `record` records. Call it in a pass whose `occlusionQuerySet` is
   * `querySet`.
   * @param query index of the query that receives the count
   * @throws OptionError `option-invalid`; any error of `record`
   */
  occlusion(context: CommandContext, query: number, record: () => void): void {
    checkAnyContext('occlusion', context);
    checkWhole('The query of occlusion', query, 0, this.count - 1);
    if (this.querySet !== undefined) context.beginOcclusionQuery(query);
    record();
    if (this.querySet !== undefined) context.endOcclusionQuery();
  }

  /**
   * Records a read of all queries. Call it outside passes, after the passes that write the queries. Resolves with one
   * value per query: visible samples or nanoseconds. Resolves with null if the device lacks the queries. Rejects if the
   * device is lost first.
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
 * Returns the time between two timestamps in milliseconds. Returns null if a timestamp is missing, or if the
 * second is below the first, because WebGPU's timestamps may decrease.
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
