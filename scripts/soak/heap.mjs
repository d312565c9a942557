// Measures the JavaScript heaps of a page and of the engine's workers without compiled code, over Chromium's debugging
// protocol. V8 continues to compile for hundreds of rounds: in 22 rounds a worker's code grew by 576 kB, but the rest
// of its heap only by 40 kB. Heap snapshots separate code from objects, and collect garbage first.
import { timeLimit } from '../lib/time-limits.mjs';

/**
 * @typedef {{ page: number, workers: Map<string, number>, ports: number }} HeapFigures `page` and `workers`:
 * bytes of heaps, for workers by a unique name; `ports`: number of the page's MessagePorts
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
   * Session of the worker whose snapshot is being taken; `null` for the page.
   *
   * @type {string | null}
   */
  #measured = null;
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
    session.on('Target.detachedFromTarget', ({ sessionId }) => {
      meter.#workers.delete(sessionId);
      if (sessionId === meter.#measured) for (const answer of meter.#asked.values()) answer({});
    });
    session.on('Target.receivedMessageFromTarget', ({ sessionId, message }) => {
      const answer = JSON.parse(message);
      if (answer.method === CHUNK) meter.#addChunk(sessionId, answer.params.chunk);
      meter.#asked.get(answer.id)?.(answer);
      meter.#asked.delete(answer.id);
    });
    session.on(CHUNK, ({ chunk }) => meter.#addChunk(null, chunk));
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
    const page = await this.#takeSnapshot(null, (method, parameters) =>
      this.#session.send(method, parameters),
    );
    const workers = new Map();
    for (const worker of [...this.#workers]) {
      const bytes = await this.#takeSnapshot(worker, (method, parameters) =>
        this.#ask(worker, method, parameters),
      );
      if (this.#workers.has(worker)) workers.set(worker, bytes);
    }
    return { page, workers, ports: await this.#countPorts() };
  }

  /**
   * Takes a heap snapshot.
   *
   * @param {string | null} session the worker's session; `null` for the page
   * @param {(method: string, parameters: object) => Promise<unknown>} send
   * @returns {Promise<number>} bytes; 0 for a worker that has ended
   */
  async #takeSnapshot(session, send) {
    this.#measured = session;
    this.#chunks = [];
    await send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    const text = this.#chunks.join('');
    this.#chunks = [];
    if (session !== null && !this.#workers.has(session)) return 0;
    return bytesWithoutCode(JSON.parse(text));
  }

  /** Stores a part of the current snapshot. A worker that has ended may still send parts. */
  #addChunk(session, chunk) {
    if (session === this.#measured) this.#chunks.push(chunk);
  }

  /**
   * Counts MessagePorts. Every connection between threads has ports. So the count reveals threads that have ended but
   * are still referenced, although they are in no heap.
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

  /**
   * Sends a request to a worker. The answer is empty when the worker has ended.
   *
   * @throws Error if the worker lives and does not answer; a large heap on a busy machine takes half a minute
   */
  async #ask(sessionId, method, params) {
    const id = this.#next++;
    const answered = new Promise((resolve) => this.#asked.set(id, resolve));
    let timer;
    const late = new Promise((_, reject) => {
      const seconds = timeLimit(120_000) / 1000;
      const error = new Error(`A worker has not answered ${method} for ${seconds} s.`);
      timer = setTimeout(reject, seconds * 1000, error);
    });
    try {
      await this.#session.send('Target.sendMessageToTarget', {
        sessionId,
        message: JSON.stringify({ id, method, params }),
      });
      return await Promise.race([answered, late]);
    } catch (error) {
      if (this.#workers.has(sessionId)) throw error;
      return {};
    } finally {
      clearTimeout(timer);
      this.#asked.delete(id);
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
