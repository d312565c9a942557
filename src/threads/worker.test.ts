import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BUILD } from '../core/build.js';
import { ThreadError } from '../core/errors.js';
import { PageWriter } from '../core/page-writer.js';
import { PortMessageKind } from '../core/port-messages.js';
import { TransferWriterCarrier } from '../core/transfer-carrier.js';
import { RenderOpcode, renderStream } from '../proxy/commands.js';
import { wrapThread } from './control/comlink-link.js';
import { offerPart } from './control/load-part.js';
import type { Notice, WorkerConfig, WorkerRequest } from './control/protocol.js';
import * as captures from './parts/captures.js';
import * as controlPart from './parts/control.js';
import * as nullPart from './parts/null.js';

const scope = { onmessage: null as ((event: { data: WorkerConfig }) => unknown) | null };

beforeEach(async () => {
  vi.stubGlobal('self', scope);
  offerPart('null', nullPart);
  await import('./worker.js');
});
afterEach(() => {
  vi.unstubAllGlobals();
  // What a test has offered lies on the global object: the next one begins without it.
  const offered = Object.getOwnPropertySymbols(globalThis).filter(({ description }) =>
    description?.startsWith('fencepost.part.'),
  );
  for (const symbol of offered) Reflect.deleteProperty(globalThis, symbol);
});

let tell = (): void => {};

/** Waits for notices, to whichever connection, until `isDone`. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone())
    await new Promise<void>((resolve) => {
      tell = resolve;
    });
}

/** A connection to the worker: its configuration, and what it hears. */
function connect(options: Partial<WorkerConfig['options']> = {}) {
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
    build: BUILD,
    role: { kind: 'render+rhi' },
    options: {
      backend: 'null',
      maxFramesInFlight: 2,
      sampleCount: 1,
      toneCurve: '',
      displayCode: '',
      validation: false,
      requiredFeatures: [],
      requiredLimits: [],
      reportSeconds: 1,
      restartSeconds: 5,
      ...options,
    },
    awaitsCanvas: false,
    shared: false,
    commandPort: commands.port2,
    mainFences: { port: fences.port2, memory: null, names: ['rendered', 'submitted', 'completed'] },
    noticePort: notice.port2,
    controlPort: control.port2,
    sharedStats: null,
    sharedEvents: null,
    partUrls: {
      basis: '',
      blending: '',
      bundles: '',
      captures: '',
      clusters: '',
      control: '',
      crowds: '',
      deferred: '',
      deformers: '',
      draco: '',
      environment: '',
      faces: '',
      facing: '',
      fences: '',
      graph: '',
      images: '',
      lods: '',
      meshopt: '',
      modules: '',
      motion: '',
      named: '',
      null: '',
      picking: '',
      seldom: '',
      shaders: '',
      shadows: '',
      shared: '',
      validation: '',
      views: '',
      worlds: '',
    },
  };
  const of = (kind: Notice['kind']): Notice[] => notices.filter((heard) => heard.kind === kind);
  const close = (): void => {
    for (const { port1 } of channels) port1.close();
  };
  const ask = (request: WorkerRequest): void => notice.port1.postMessage(request);
  return { config, of, ask, api: wrapThread(control.port1), commandPort: commands.port1, close };
}

it('what answers calls is loaded when it is asked for, and asked for again where it could not be had', async () => {
  const { config, of, ask, api, close } = connect();
  scope.onmessage?.({ data: config });
  await until(() => of('started').length > 0);
  ask('open-control');
  await until(() => of('control').length > 0);
  // It lies nowhere.
  expect(of('control')).toMatchObject([{ error: { name: 'ThreadError', code: 'features-missing' } }]);
  offerPart('control', controlPart);
  const purged = api.purge(0); // waits in the port
  ask('open-control');
  await purged;
  expect(of('control')).toMatchObject([{}, { error: null }]);
  await api.shutDown(false);
  close();
});

it('an attachment that does not come is told of by code that is loaded then', async () => {
  offerPart('control', controlPart);
  const { config, of, commandPort, close } = connect({ reportSeconds: 0.1, restartSeconds: 0.3 });
  scope.onmessage?.({ data: config });
  await until(() => of('started').length > 0);
  const writer = new PageWriter(
    new TransferWriterCarrier({
      // A browser drops what it has no memory for.
      postMessage: (message, moved) => {
        if ((message as readonly unknown[])[0] !== PortMessageKind.attachment)
          commandPort.postMessage(message, moved ?? []);
      },
      onmessage: null,
      close: () => commandPort.close(),
    }),
    renderStream,
  );
  const at = writer.reserveWithAttachment(RenderOpcode.createGeometry, 8);
  writer.words[at] = writer.attach(new ArrayBuffer(8));
  writer.publish();
  await until(() => of('error').length > 0);
  expect(of('error')).toMatchObject([
    {
      error: {
        code: 'attachment-late',
        message: expect.stringContaining('attachment 0, which a record "createGeometry" names'),
      },
    },
  ]);
  close();
});

it('R3: a late answer goes to the connection that asked, not to the one that has taken over since', async () => {
  offerPart('control', controlPart);
  const send = (data: WorkerConfig): unknown => scope.onmessage?.({ data });
  const first = connect();
  const second = connect();
  send(first.config);
  await until(() => first.of('started').length > 0);
  first.ask('open-control');
  await until(() => first.of('control').length > 0);
  const ended = first.api.shutDown(false); // its answer takes some turns
  send(second.config);
  second.ask('is-alive'); // and this one is asked before the second configuration's turn
  await until(() => second.of('started').length > 0);
  expect(await ended).toMatchObject({ leaks: [] });
  await until(() => second.of('alive').length > 0);
  expect([first.of('alive').length, second.of('alive').length]).toEqual([0, 1]);
  first.close();
  second.close();
});

it('a call that fails rejects with the error’s class and code; one that needs a part loads it', async () => {
  offerPart('control', controlPart);
  const { config, of, ask, api, close } = connect();
  scope.onmessage?.({ data: config });
  await until(() => of('started').length > 0);
  ask('open-control');
  // The part for captures lies nowhere.
  await expect(api.startCapture()).rejects.toMatchObject({ name: 'ThreadError', code: 'features-missing' });
  await expect(api.startCapture()).rejects.toBeInstanceOf(ThreadError);
  offerPart('captures', captures);
  await api.startCapture();
  await expect(api.stopCapture()).rejects.toMatchObject({ name: 'RhiError', code: 'capture-empty' });
  await api.shutDown(false);
  close();
});
