import { Session } from 'node:inspector/promises';
import { describe, expect, it } from 'vitest';
import { bytesWithoutCode } from './heap.mjs';

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
});

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
