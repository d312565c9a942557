import { readEvents } from '../../core/event-reader.js';
import type { EventRing } from '../../core/event-ring.js';
import type { ThreadRoles } from '../../rhi/record/thread-guard.js';
import type { RenderFences } from '../fences/render-fences.js';
import type { RenderSide } from '../render-worker/render-side.js';
import type { RhiSide } from '../rhi-worker/rhi-side.js';
import type { ThreadApi } from './protocol.js';
import { CALL_PARTS, type CallPartName, type LoadPart } from './thread-parts.js';

/** What runs on a thread, under one connection; a side is null where the thread has none, or has not started it yet. */
export interface ThreadSides {
  render: RenderSide | null;
  rhi: RhiSide | null;
  /** Those of the page, once `engine.fences` was called. */
  fences?: RenderFences;
  /** Of the thread. */
  readonly events: EventRing;
  /** In force on the thread; the render side's work is done in the role `render`. */
  readonly roles: ThreadRoles;
}

type LentCall = keyof typeof CALL_PARTS;
type Call = (...parameters: unknown[]) => Promise<unknown>;

/** Answers the control plane's calls on a thread: by itself, or by the part that `CALL_PARTS` names, once it is loaded. */
export function createThreadApi(thread: ThreadSides, loadPart: LoadPart): ThreadApi {
  const own: Omit<ThreadApi, LentCall> = {
    recordDeletes: async () => thread.render?.recordDeletes() ?? 0,
    purge: async (rhiBytes) => thread.rhi?.purge(rhiBytes),
    async shutDown(isStreamClosed) {
      const { render, rhi } = thread;
      render?.shutDown();
      const closesStream = render !== null;
      // The renderer's destroys are in the RHI stream; they are executed before the RHI reports what is left.
      const report = await rhi?.shutDown({ awaitsEnd: closesStream || isStreamClosed });
      return { leaks: report?.leaks ?? [], closesStream };
    },
    loseDevice: async () => thread.rhi?.loseDevice(),
    readEvents: async (place) => readEvents(thread.events.buffer, place),
    measureGpu: async () => thread.rhi?.measureGpu(),
    async serveTasks(config) {
      (await loadPart('named', config.url)).serveNamedThread(config);
    },
    gpuPassTimes: async () => thread.rhi?.passMilliseconds() ?? null,
  };
  const parts = new Map<CallPartName, Promise<Partial<ThreadApi>>>();
  const callsOf = (part: CallPartName): Promise<Partial<ThreadApi>> => {
    const known = parts.get(part);
    if (known) return known;
    const loading = loadPart(part).then(({ createCalls }) => createCalls(thread));
    parts.set(part, loading);
    loading.catch(() => parts.delete(part)); // the next call asks again
    return loading;
  };
  const lent = Object.entries(CALL_PARTS).map(([name, part]): [string, Call] => [
    name,
    async (...parameters) => {
      const calls = await callsOf(part);
      return (calls[name as LentCall] as Call)(...parameters);
    },
  ]);
  return { ...own, ...(Object.fromEntries(lent) as unknown as Pick<ThreadApi, LentCall>) };
}
