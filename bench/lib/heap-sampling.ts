/**
 * Measures allocations by function, on the page's thread and in its workers, with V8's sampling heap profiler. Garbage
 * counts as well, because the collector has to free the garbage of every frame.
 */
import type { CDPSession, Page } from 'playwright';

/** A node of the profiler's tree: a function, and its caller as the parent. */
interface ProfileNode {
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

/** Bytes by function, the largest first. */
export type Allocations = readonly (readonly [name: string, bytes: number])[];

export interface HeapThread {
  /** "page", or the worker's script. */
  readonly name: string;
  send(method: string, params?: object): Promise<Record<string, unknown>>;
}

/** Bytes between samples. The number is so small that the samples contain every allocation of a frame. */
const INTERVAL = 256;

/** Returns the page and its current workers. */
export async function heapThreads(page: Page): Promise<HeapThread[]> {
  const session = await page.context().newCDPSession(page);
  const threads: HeapThread[] = [
    {
      name: 'page',
      send: (method, params) => session.send(method as 'HeapProfiler.enable', params as never),
    },
  ];
  session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker')
      threads.push({ name: targetInfo.url.split('/').at(-1) ?? '', send: toWorker(session, sessionId) });
  });
  // Existing workers are reported before this call resolves.
  await session.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: false,
  });
  for (const { send } of threads) await send('HeapProfiler.enable');
  return threads;
}

/** Returns a function that sends protocol messages to a worker, over the session of its page. */
function toWorker(session: CDPSession, sessionId: string): HeapThread['send'] {
  const pending = new Map<number, (result: Record<string, unknown>) => void>();
  let last = 0;
  session.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return;
    const { id, result } = JSON.parse(event.message) as { id?: number; result: Record<string, unknown> };
    if (id !== undefined) pending.get(id)?.(result);
  });
  return (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      pending.set(id, resolve);
      const message = JSON.stringify({ id, method, params });
      session.send('Target.sendMessageToTarget', { sessionId, message }).catch(reject);
    });
}

/** Returns the heap's used bytes, after a garbage collection if `collect` is true. */
export async function heapBytes({ send }: HeapThread, collect: boolean): Promise<number> {
  if (collect) await send('HeapProfiler.collectGarbage');
  return (await send('Runtime.getHeapUsage')).usedSize as number;
}

export async function startSampling({ send }: HeapThread): Promise<void> {
  await send('HeapProfiler.startSampling', {
    samplingInterval: INTERVAL,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
}

export async function stopSampling({ send }: HeapThread): Promise<Allocations> {
  const { profile } = (await send('HeapProfiler.stopSampling')) as { profile: { head: ProfileNode } };
  const bytes = new Map<string, number>();
  const visit = ({ callFrame, selfSize, children }: ProfileNode): void => {
    const { functionName, url, lineNumber } = callFrame;
    const name = `${functionName || '(anonymous)'} ${url.split('/').at(-1)}:${lineNumber + 1}`;
    if (selfSize > 0) bytes.set(name, (bytes.get(name) ?? 0) + selfSize);
    children.forEach(visit);
  };
  visit(profile.head);
  return [...bytes].sort(([, a], [, b]) => b - a);
}
