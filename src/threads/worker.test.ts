import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { BUILD } from '../core/build.js';
import { ThreadError } from '../core/errors.js';
import { PageWriter } from '../core/streams/page-writer.js';
import { PortMessageKind } from '../core/streams/port-messages.js';
import { TransferWriterCarrier } from '../core/streams/transfer-carrier.js';
import { RenderOpcode, renderStream } from '../proxy/commands.js';
import * as tools from './calls/worker-tools-module.js';
import { wrapThread } from './control/comlink-link.js';
import type { Notice, WorkerConfig, WorkerRequest } from './control/protocol.js';
import { offerFile } from './library-files/load-file.js';

const scope = { onmessage: null as ((event: { data: WorkerConfig }) => unknown) | null };

beforeEach(async () => {
  vi.stubGlobal('self', scope);
  // The null backend is one of the tools.
  offerFile('tools', tools);
  // Import the worker again, so that it has no device yet.
  vi.resetModules();
  await import('./worker.js');
});
afterEach(() => {
  vi.unstubAllGlobals();
  hideTools();
});

/** Makes `worker-tools.js` impossible to load. */
function hideTools(): void {
  Reflect.deleteProperty(globalThis, Symbol.for('fencepost.file.tools'));
}

let wake = (): void => {};

/** Resolves once `isDone` returns true. Checks it after each notice to any connection. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone())
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
}

/** Creates a connection to the worker: its configuration, and a record of the notices that it receives. */
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
    wake();
  };
  const config: WorkerConfig = {
    build: BUILD,
    role: { kind: 'render+rhi' },
    options: {
      backend: 'null',
      maxFramesInFlight: 2,
      maximumReadBackBytes: 2 ** 28,
      maximumCaptureBytes: 2 ** 29,
      antialias: 1,
      toneMapping: 'none',
      hdr: true,
      validation: false,
      checksGraph: false,
      isRhiTraced: false,
      rhiBypass: false,
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
    toolsUrl: '',
  };
  const of = (kind: Notice['kind']): Notice[] => notices.filter((heard) => heard.kind === kind);
  const close = (): void => {
    for (const { port1 } of channels) port1.close();
  };
  const ask = (request: WorkerRequest): void => notice.port1.postMessage(request);
  return { config, of, ask, api: wrapThread(control.port1), commandPort: commands.port1, close };
}

it('answers calls once it has started, and needs no tools for most of them', async () => {
  const { config, of, ask, api, close } = connect();
  scope.onmessage?.({ data: config });
  await until(() => of('started').length > 0);
  hideTools();
  ask('is-alive');
  await until(() => of('alive').length > 0);
  await api.purge(0);
  expect(await api.readEvents(null)).toMatchObject({ lost: 0 });
  expect(await api.shutDown(false)).toMatchObject({ executed: [], recorded: [], closesStream: true });
  close();
});

it('does not start if its options need tools that cannot be loaded; a later connection starts', async () => {
  hideTools();
  const send = (data: WorkerConfig): unknown => scope.onmessage?.({ data });
  const first = connect();
  send(first.config);
  await until(() => first.of('not-started').length > 0);
  expect(first.of('not-started')).toMatchObject([
    { error: { name: 'ThreadError', code: 'features-missing' } },
  ]);
  offerFile('tools', tools);
  const second = connect();
  send(second.config);
  await until(() => second.of('started').length > 0);
  expect(second.of('started')).toMatchObject([{ build: BUILD, capabilities: { backend: 'null' } }]);
  await second.api.shutDown(false);
  first.close();
  second.close();
});

it('rejects a page of another build', async () => {
  const { config, of, close } = connect();
  scope.onmessage?.({ data: { ...config, build: 'another' } });
  await until(() => of('not-started').length > 0);
  expect(of('not-started')).toMatchObject([{ error: { name: 'ThreadError', code: 'builds-differ' } }]);
  close();
});

it('reports an attachment that does not arrive', async () => {
  const { config, of, commandPort, close } = connect({ reportSeconds: 0.1, restartSeconds: 0.3 });
  scope.onmessage?.({ data: config });
  await until(() => of('started').length > 0);
  const writer = new PageWriter(
    new TransferWriterCarrier({
      // Browsers drop messages for which they have no memory.
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

it('R9: a worker sends signs of life during a long task, and none during a short one', async () => {
  const { config, of, commandPort, close } = connect();
  scope.onmessage?.({ data: config });
  await until(() => of('started').length > 0);
  const writer = new PageWriter(new TransferWriterCarrier(commandPort), renderStream);
  const sendPages = (pages: number): void => {
    for (let page = 0; page < pages; page++) {
      writer.reserve(RenderOpcode.beginFrame, 16_000);
    }
    writer.publish();
  };
  let now = performance.now();
  // Milliseconds that pass between two readings of the clock.
  let passing = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += passing;
    return now;
  });
  sendPages(2);
  while (writer.pagesOutstanding > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(of('beat')).toEqual([]);
  passing = 20;
  sendPages(40);
  await until(() => of('beat').length > 3);
  vi.restoreAllMocks();
  close();
});

it('R3: a late answer is sent to the connection that asked, not to its successor', async () => {
  const send = (data: WorkerConfig): unknown => scope.onmessage?.({ data });
  const first = connect();
  const second = connect();
  send(first.config);
  await until(() => first.of('started').length > 0);
  const ended = first.api.shutDown(false); // The answer takes some turns.
  send(second.config);
  second.ask('is-alive'); // This request arrives before the second connection starts.
  await until(() => second.of('started').length > 0);
  expect(await ended).toMatchObject({ closesStream: false });
  await until(() => second.of('alive').length > 0);
  expect([first.of('alive').length, second.of('alive').length]).toEqual([0, 1]);
  first.close();
  second.close();
});

it('a failing call rejects with the error’s class and code, and a call that needs the tools loads them', async () => {
  const { config, of, api, close } = connect();
  scope.onmessage?.({ data: config });
  await until(() => of('started').length > 0);
  hideTools();
  await expect(api.startCapture()).rejects.toMatchObject({ name: 'ThreadError', code: 'features-missing' });
  await expect(api.startCapture()).rejects.toBeInstanceOf(ThreadError);
  offerFile('tools', tools);
  await api.startCapture();
  await expect(api.stopCapture()).rejects.toMatchObject({ name: 'RhiError', code: 'capture-empty' });
  await api.shutDown(false);
  close();
});
