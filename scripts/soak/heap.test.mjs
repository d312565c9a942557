import { Session } from 'node:inspector/promises';
import { describe, expect, it } from 'vitest';
import { bytesWithoutCode, HeapMeter } from './heap.mjs';

describe('heap of a soak', () => {
  it('counts everything except compiled code', () => {
    const meta = {
      node_fields: ['type', 'name', 'id', 'self_size'],
      node_types: [['object', 'code'], 'string', 'number', 'number'],
    };
    const nodes = [0, 0, 1, 100, 1, 0, 2, 1000, 0, 0, 3, 20];
    expect(bytesWithoutCode({ snapshot: { meta }, nodes })).toBe(120);
  });

  it('includes objects of a program in a snapshot of V8', async () => {
    const before = await measureThisProcess();
    const held = Array.from({ length: 20_000 }, (_, index) => ({ index, text: `held ${index}` }));
    const holding = await measureThisProcess();
    expect(holding - before).toBeGreaterThan(20_000 * 32);
    expect(held).toHaveLength(20_000);
  });

  it('leaves out a worker that ends during its snapshot, and parts that it sends later', async () => {
    const session = fakeSession();
    const meter = await HeapMeter.open({ context: () => ({ newCDPSession: async () => session }) });
    session.attach('ended');
    session.attach('living');
    session.answers.set('ended', () => {
      session.sendChunk('ended', SNAPSHOT.slice(0, 20));
      session.emit('Target.detachedFromTarget', { sessionId: 'ended' });
      session.afterwards = () => session.sendChunk('ended', SNAPSHOT.slice(20));
    });
    session.answers.set('living', (answer) => {
      session.sendChunk('living', SNAPSHOT.slice(0, 20));
      session.afterwards();
      session.sendChunk('living', SNAPSHOT.slice(20));
      answer();
    });
    const { page, workers } = await meter.measure();
    expect(page).toBe(100);
    expect([...workers]).toEqual([['living', 100]]);
  });
});

/** A snapshot with one object of 100 bytes. */
const SNAPSHOT = JSON.stringify({
  snapshot: { meta: { node_fields: ['type', 'self_size'], node_types: [['object', 'code'], 'number'] } },
  nodes: [0, 100],
});

/** Creates a debugging session of a page. `answers` has a function per worker, called when a snapshot is asked for. */
function fakeSession() {
  const listeners = new Map();
  const emit = (name, event) => listeners.get(name)?.(event);
  const receive = (sessionId, message) =>
    emit('Target.receivedMessageFromTarget', { sessionId, message: JSON.stringify(message) });
  const chunkOf = (chunk) => ({ method: 'HeapProfiler.addHeapSnapshotChunk', params: { chunk } });
  const session = {
    answers: new Map(),
    afterwards: () => {},
    emit,
    on: (name, listener) => listeners.set(name, listener),
    attach: (sessionId) =>
      emit('Target.attachedToTarget', { sessionId, targetInfo: { type: 'worker', url: '/dist/worker.js' } }),
    sendChunk: (sessionId, chunk) => receive(sessionId, chunkOf(chunk)),
    async send(method, { sessionId, message } = {}) {
      if (method === 'HeapProfiler.takeHeapSnapshot')
        emit('HeapProfiler.addHeapSnapshotChunk', { chunk: SNAPSHOT });
      if (method === 'Target.sendMessageToTarget') {
        session.answers.get(sessionId)(() => receive(sessionId, { id: JSON.parse(message).id, result: {} }));
      }
      return { result: { objectId: 'id', value: 0 }, objects: { objectId: 'id' } };
    },
  };
  return session;
}

async function measureThisProcess() {
  const session = new Session();
  session.connect();
  let text = '';
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ params }) => {
    text += params.chunk;
  });
  await session.post('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  session.disconnect();
  return bytesWithoutCode(JSON.parse(text));
}
