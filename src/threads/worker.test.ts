import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as features from './control/features.js';
import { type Notice, WORKER_PARTS, type WorkerConfig, type WorkerRequest } from './control/messages.js';

const scope = { onmessage: null as ((event: { data: WorkerConfig | WorkerRequest }) => unknown) | null };

beforeEach(async () => {
  vi.stubGlobal('self', scope);
  Object.assign(globalThis, { [Symbol.for(WORKER_PARTS.features)]: features });
  await import('./worker.js');
});
afterEach(() => vi.unstubAllGlobals());

let tell = (): void => {};

/** Waits for notices, to whichever connection, until `isDone`. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone())
    await new Promise<void>((resolve) => {
      tell = resolve;
    });
}

/** A connection to the worker: its configuration, and what it hears. */
function connect() {
  const notices: Notice[] = [];
  const channels = Array.from({ length: 4 }, () => new MessageChannel());
  const [commands, fences, notice, control] = channels as [
    MessageChannel,
    MessageChannel,
    MessageChannel,
    MessageChannel,
  ];
  notice.port1.onmessage = ({ data }: MessageEvent<Notice>) => {
    notices.push(data);
    tell();
  };
  const config: WorkerConfig = {
    role: { kind: 'render+rhi' },
    backend: 'null',
    awaitsCanvas: false,
    maxFramesInFlight: 2,
    sampleCount: 1,
    toneCurve: '',
    shared: false,
    commandPort: commands.port2,
    mainFencePort: fences.port2,
    noticePort: notice.port2,
    controlPort: control.port2,
    sharedStats: null,
    sharedEvents: null,
    validation: false,
    reportSeconds: 1,
    restartSeconds: 5,
    partUrls: { features: '', images: '' },
  };
  const of = (kind: Notice['kind']): Notice[] => notices.filter((heard) => heard.kind === kind);
  const close = (): void => {
    for (const { port1 } of channels) port1.close();
  };
  return { config, of, close };
}

it('R3: a late answer goes to the connection that asked, not to the one that has taken over since', async () => {
  const send = (data: WorkerConfig | WorkerRequest): unknown => scope.onmessage?.({ data });
  const first = connect();
  const second = connect();
  send(first.config);
  await until(() => first.of('started').length > 0);
  send({ id: 0, call: 'shutDown' }); // its answer takes some turns
  send(second.config);
  send({ id: 0, call: 'isAlive' }); // and this one is asked before the second configuration's turn
  await until(
    () => second.of('started').length > 0 && [first, second].flatMap(({ of }) => of('answer')).length === 2,
  );
  expect(first.of('answer')).toEqual([{ kind: 'answer', id: 0, value: { leaks: [] } }]);
  expect(second.of('answer')).toEqual([{ kind: 'answer', id: 0, value: true }]);
  first.close();
  second.close();
});
