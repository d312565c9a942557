// The JavaScript heaps of a page and of the engine's workers, after garbage is collected, over Chromium's debugging protocol.

/**
 * @typedef {{ page: number, workers: Map<string, number>, ports: number }} HeapFigures  bytes, of workers by a name that
 * no other worker has; ports: MessagePorts of the page
 */

/** The one for files comes and goes by itself. */
const engineWorker = /\/dist\/worker\.js/;

export class HeapMeter {
  #session;
  #next = 1;
  /** Session of each worker that lives. @type {Set<string>} */
  #workers = new Set();
  /** @type {Map<number, (answer: { result?: { usedSize: number } }) => void>} */
  #asked = new Map();

  /** @param {import('playwright').CDPSession} session */
  constructor(session) {
    this.#session = session;
  }

  /** @param {import('playwright').Page} page before it has workers */
  static async open(page) {
    const session = await page.context().newCDPSession(page);
    const meter = new HeapMeter(session);
    session.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
      if (targetInfo.type === 'worker' && engineWorker.test(targetInfo.url)) meter.#workers.add(sessionId);
    });
    session.on('Target.detachedFromTarget', ({ sessionId }) => meter.#workers.delete(sessionId));
    session.on('Target.receivedMessageFromTarget', ({ message }) => {
      const answer = JSON.parse(message);
      meter.#asked.get(answer.id)?.(answer);
      meter.#asked.delete(answer.id);
    });
    // Sessions of workers are reached through messages: Playwright has no other way to them.
    await session.send('Target.setAutoAttach', {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: false,
    });
    await session.send('HeapProfiler.enable');
    return meter;
  }

  /** @returns {Promise<HeapFigures>} what is in use */
  async measure() {
    const session = this.#session;
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    const workers = new Map();
    for (const worker of this.#workers) {
      await this.#ask(worker, 'HeapProfiler.collectGarbage');
      const answer = await this.#ask(worker, 'Runtime.getHeapUsage');
      if (answer.result) workers.set(worker, answer.result.usedSize);
    }
    return { page: usedSize, workers, ports: await this.#countPorts() };
  }

  /** Whatever joins threads has them: threads that have ended, and are still held, show here and in no heap. */
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

  /** An empty answer where the worker has ended. */
  async #ask(sessionId, method) {
    const id = this.#next++;
    const answered = new Promise((resolve) => this.#asked.set(id, resolve));
    const message = JSON.stringify({ id, method, params: {} });
    const timeout = new Promise((resolve) => setTimeout(resolve, 10_000, {}).unref());
    try {
      await this.#session.send('Target.sendMessageToTarget', { sessionId, message });
      return await Promise.race([answered, timeout]);
    } catch {
      this.#asked.delete(id);
      return {};
    }
  }
}
