/**
 * Checks the browser features that Fencepost relies on. Each check returns a text about the browser's behaviour, and
 * throws if the engine can't work with that behaviour.
 */
import {
  boxGeometry,
  createEngine,
  type Engine,
  standardMaterial,
  type ThreadingMode,
} from '../src/index.js';

export interface BrowserCheck {
  readonly name: string;
  run(): Promise<string>;
}

const MODES: readonly ThreadingMode[] = ['single', 'render', 'render+rhi'];
/** Milliseconds after which a check fails because a worker has not answered. */
const ANSWER_LIMIT = 5000;
/** Attempts to send shared memory over a port. Firefox loses about half of these messages. */
const PORT_ATTEMPTS = 8;

/** Starts a worker from the source of a function. */
function workerOf(body: () => void): Worker {
  const url = URL.createObjectURL(new Blob([`(${body})()`], { type: 'text/javascript' }));
  return new Worker(url);
}

/** Returns the first message of a worker, and ends the worker. */
const answerOf = (worker: Worker): Promise<string> => nextMessageOf(worker).finally(() => worker.terminate());

function nextMessageOf(worker: Worker): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(String(data));
    worker.onerror = ({ message }) => reject(new Error(message || 'the worker did not start'));
    setTimeout(() => reject(new Error(`no answer within ${ANSWER_LIMIT} ms`)), ANSWER_LIMIT);
  });
}

async function openDevice(): Promise<GPUDevice> {
  if (!navigator.gpu) throw new Error('navigator.gpu is missing');
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error('requestAdapter() returns null');
  return adapter.requestDevice();
}

async function adapterOnPage(): Promise<string> {
  const device = await openDevice();
  const { vendor, architecture, description } = device.adapterInfo ?? {};
  device.destroy();
  return [vendor, architecture, description].filter(Boolean).join(' ') || 'available, without a name';
}

function adapterInWorker(): Promise<string> {
  return answerOf(
    workerOf(async () => {
      const adapter = await navigator.gpu?.requestAdapter();
      postMessage(navigator.gpu ? (adapter ? 'available' : 'no adapter') : 'missing');
    }),
  ).then(expectAnswer('available'));
}

function expectAnswer(wanted: string): (answer: string) => string {
  return (answer) => {
    if (answer !== wanted) throw new Error(answer);
    return answer;
  };
}

function framesInWorker(): Promise<string> {
  return answerOf(workerOf(() => requestAnimationFrame(() => postMessage('available')))).then(
    expectAnswer('available'),
  );
}

function secondContext(): Promise<string> {
  const worker = workerOf(() => {
    self.onmessage = ({ data }: MessageEvent<OffscreenCanvas>) => {
      const first = data.getContext('webgpu');
      try {
        postMessage(data.getContext('webgpu') === first ? 'the same context again' : 'another context');
      } catch (error) {
        postMessage(`refused: ${(error as Error).message}`);
      }
    };
  });
  const canvas = document.createElement('canvas').transferControlToOffscreen();
  worker.postMessage(canvas, [canvas]);
  return answerOf(worker);
}

/**
 * Counts how often shared memory arrives on a fresh port between two workers. Firefox loses memory that a worker
 * posts as soon as it gets the port.
 */
async function memoryOverPort(): Promise<string> {
  if (!crossOriginIsolated) return 'not cross-origin isolated: memory is not shared';
  const reader = workerOf(() => {
    self.onmessage = ({ ports: [port] }) => {
      if (!port) return postMessage('ready');
      port.onmessageerror = () => postMessage('lost');
      port.onmessage = () => postMessage('arrived');
    };
  });
  const writer = workerOf(() => {
    self.onmessage = ({ ports: [port] }) =>
      port ? port.postMessage(new SharedArrayBuffer(8)) : postMessage('ready');
  });
  try {
    for (const worker of [reader, writer]) {
      worker.postMessage(null);
      await nextMessageOf(worker);
    }
    let lost = 0;
    for (let attempt = 0; attempt < PORT_ATTEMPTS; attempt++) {
      const { port1, port2 } = new MessageChannel();
      reader.postMessage(null, [port2]);
      writer.postMessage(null, [port1]);
      if ((await nextMessageOf(reader)) === 'lost') lost++;
    }
    return lost === 0
      ? `arrives on a new port, ${PORT_ATTEMPTS} of ${PORT_ATTEMPTS} times`
      : `is lost on a new port, ${lost} of ${PORT_ATTEMPTS} times`;
  } finally {
    reader.terminate();
    writer.terminate();
  }
}

async function completionLatency(): Promise<string> {
  const device = await openDevice();
  let slowest = 0;
  for (let question = 0; question < 3; question++) {
    const began = performance.now();
    await device.queue.onSubmittedWorkDone();
    slowest = Math.max(slowest, performance.now() - began);
  }
  device.destroy();
  return `an idle queue answers within ${slowest.toFixed(1)} ms`;
}

async function orderOfLoss(): Promise<string> {
  const device = await openDevice();
  const events: string[] = [];
  const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const note = (what: string) => (): void => void events.push(what);
  const all = [
    device.queue.onSubmittedWorkDone().then(note('work done'), note('work rejected')),
    buffer.mapAsync(GPUMapMode.READ).then(note('mapped'), note('mapping rejected')),
    device.lost.then(note('device lost')),
  ];
  device.destroy();
  await Promise.all(all);
  return events.join(', ');
}

/** Returns a hash of a picture. */
function hashOf(bytes: Uint8ClampedArray): string {
  let value = 0x811c9dc5;
  for (const byte of bytes) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(16).padStart(8, '0');
}

async function pictureOf(engine: Engine): Promise<string> {
  await engine.whenReady();
  await engine.step(0);
  return hashOf((await engine.captureFrame()).data);
}

async function engineIn(view: HTMLElement, threading: ThreadingMode): Promise<string> {
  const engine = await createEngine(view, { threading, antialias: false, pixelRatio: 1 });
  const errors: string[] = [];
  engine.addEventListener('error', ({ detail }) => errors.push(`${detail.code}: ${detail.message}`));
  try {
    engine.world.addCamera({ position: [2, 1.5, 3], lookAt: [0, 0, 0] });
    engine.world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
    engine.world.addMesh({ geometry: boxGeometry(), material: standardMaterial({ baseColor: '#ff7a1a' }) });
    const pictures = [await pictureOf(engine)];
    const restored = new Promise((resolve) => engine.addEventListener('devicerestored', resolve));
    await engine.simulateDeviceLoss();
    await restored;
    pictures.push(await pictureOf(engine));
    await engine.setThreading(threading === 'render' ? 'render+rhi' : 'render');
    pictures.push(await pictureOf(engine));
    if (new Set(pictures).size > 1) errors.push(`pictures differ: ${pictures.join(', ')}`);
    if (errors.length > 0) throw new Error(errors.join(' '));
    return `the same picture ${pictures[0]} after a lost device and a change of threads`;
  } finally {
    await engine.dispose();
  }
}

/** Returns all checks, in the order in which they run. @param view the element in which engines draw */
export const browserChecks = (view: HTMLElement): readonly BrowserCheck[] => [
  { name: 'WebGPU on the page', run: adapterOnPage },
  { name: 'WebGPU in workers', run: adapterInWorker },
  { name: 'Animation frames in workers', run: framesInWorker },
  { name: 'A second context of a transferred canvas', run: secondContext },
  { name: 'Shared memory over a port between workers', run: memoryOverPort },
  {
    name: 'Atomics.waitAsync',
    run: async () => ('waitAsync' in Atomics ? 'available' : 'missing: the engine uses messages instead'),
  },
  { name: 'Latency of finished GPU work', run: completionLatency },
  { name: 'Order of events after a device loss', run: orderOfLoss },
  ...MODES.map((mode) => ({ name: `The engine, threading: '${mode}'`, run: () => engineIn(view, mode) })),
];
