// Measures the JavaScript heaps of a page and of the engine's workers without compiled code, over Chromium's debugging
// protocol. V8 continues to compile for hundreds of rounds. In 22 of them a worker's code grew by 576 kB, everything
// else by 40 kB, and objects by nothing. Heap snapshots separate code from objects, and collect garbage first.
import { timeLimit } from '../lib/time-limits.mjs';

/**
 * @typedef {{ page: number, workers: Map<string, number>, ports: number }} HeapFigures bytes; of workers by a unique
 * name; `ports`: MessagePorts of the page
 */

const CHUNK = 'HeapProfiler.addHeapSnapshotChunk';
/** The asset worker is excluded, because it ends and restarts by itself. */
const engineWorker = /\/dist\/worker\.js/;

export class HeapMeter {
  #session;
  #next = 1;
  /**
   * Sessions of the living workers.
   *
   * @type {Set<string>}
   */
  #workers = new Set();
  /** @type {Map<number, (answer: { result?: unknown }) => void>} */
  #asked = new Map();
  /**
   * Parts of the current snapshot.
   *
   * @type {string[]}
   */
  #chunks = [];

  /** @param {import('playwright').CDPSession} session */
  constructor(session) {
    this.#session = session;
  }

  /** Opens a meter. @param {import('playwright').Page} page a page without workers yet */
  static async open(page) {
    const session = await page.context().newCDPSession(page);
    const meter = new HeapMeter(session);
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker' && engineWorker.test(targetInfo.url)) meter.#workers.add(sessionId);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => meter.#workers.delete(sessionId));
    session.on('Target.receivedMessageFromTarget', ({ message }) => {
      const answer = JSON.parse(message);
      if (answer.method === CHUNK) meter.#chunks.push(answer.params.chunk);
      meter.#asked.get(answer.id)?.(answer);
      meter.#asked.delete(answer.id);
    });
    session.on(CHUNK, ({ chunk }) => meter.#chunks.push(chunk));
    // Sessions of workers communicate by messages, because Playwright offers no other access to them.
    await session.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: false,
    });
    await session.send('HeapProfiler.enable');
    return meter;
  }

  /** Measures all heaps. @returns {Promise<HeapFigures>} the bytes in use */
  async measure() {
    const page = await this.#takeSnapshot((method, parameters) => this.#session.send(method, parameters));
    const workers = new Map();
    for (const worker of this.#workers) {
      const bytes = await this.#takeSnapshot((method, parameters) => this.#ask(worker, method, parameters));
      if (bytes > 0) workers.set(worker, bytes);
    }
    return { page, workers, ports: await this.#countPorts() };
  }

  /**
   * Takes a heap snapshot.
   *
   * @param {(method: string, parameters: object) => Promise<unknown>} send
   * @returns {Promise<number>} bytes; 0 for an ended worker
   */
  async #takeSnapshot(send) {
    this.#chunks = [];
    await send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    const text = this.#chunks.join('');
    this.#chunks = [];
    return text === '' ? 0 : bytesWithoutCode(JSON.parse(text));
  }

  /**
   * Counts MessagePorts. Every connection between threads has some, so threads that have ended but are still referenced
   * show up here, although in no heap.
   */
  async #countPorts() {
    const session = this.#session;
    const group = { objectGroup: 'ports' };
    const prototype = await session.send('Runtime.evaluate', {
      expression: 'MessagePort.prototype',
      ...group,
    });
    const { objects } = await session.send('Runtime.queryObjects', {
      prototypeObjectId: prototype.result.objectId,
      ...group,
    });
    const { result } = await session.send('Runtime.callFunctionOn', {
      objectId: objects.objectId,
      functionDeclaration: 'function () { return this.length; }',
      returnByValue: true,
    });
    await session.send('Runtime.releaseObjectGroup', group);
    return result.value;
  }

  /** Sends a request to a worker. The answer is empty when the worker has ended. */
  async #ask(sessionId, method, params) {
    const id = this.#next++;
    const answered = new Promise((resolve) => this.#asked.set(id, resolve));
    const message = JSON.stringify({ id, method, params });
    const timeout = new Promise((resolve) => setTimeout(resolve, timeLimit(10_000), {}).unref());
    try {
      await this.#session.send('Target.sendMessageToTarget', { sessionId, message });
      return await Promise.race([answered, timeout]);
    } catch {
      this.#asked.delete(id);
      return {};
    }
  }
}

/**
 * Returns the bytes of a heap snapshot without compiled code.
 *
 * @param {{
 *   snapshot: { meta: { node_fields: string[], node_types: (string[] | string)[] } },
 *   nodes: number[],
 * }} file a heap snapshot
 */
export function bytesWithoutCode({ snapshot, nodes }) {
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
  const code = types[type].indexOf('code');
  let bytes = 0;
  for (let node = 0; node < nodes.length; node += fields.length)
    if (nodes[node + type] !== code) bytes += nodes[node + size];
  return bytes;
}
