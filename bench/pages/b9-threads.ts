/**
 * Runs the engine with equally busy threads. The game works in its tick, the render thread in a module's callback, the
 * RHI's thread in `GPUQueue.submit`. The work is a number of loop iterations, which is calibrated once. A thread that
 * shares its core takes longer for the same work. Frames follow one another as fast as the engine allows.
 *
 *            oneFrameThreadLag: true       oneFrameThreadLag: false
 *   game     ▓▓▓1▓▓▓2▓▓▓3                  ▓▓▓1   ▓▓▓2   ▓▓▓3
 *   render      ▓▓▓1▓▓▓2▓▓▓3                  ▓▓▓1   ▓▓▓2
 */
import { createEngine, type EngineOptions } from '../../src/index.js';

export interface ThreadsRun {
  readonly options: EngineOptions;
  /** Loop iterations for each thread. */
  readonly turns: number;
  readonly frames: number;
}

export interface ThreadsResult {
  readonly milliseconds: number;
  /** Duration of the work per frame, in milliseconds. */
  readonly gameWork: number;
  readonly renderWork: number;
  /** 0 unless the RHI has its own thread. */
  readonly rhiWork: number;
}

declare global {
  interface Window {
    threads: {
      /** Returns the loop iterations that take this long on a thread with its own core. */
      calibrate(milliseconds: number): number;
      run(run: ThreadsRun): Promise<ThreadsResult>;
    };
  }
}

const moduleUrl = (text: string): string =>
  URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));

/** The work is a text, so that every thread runs the same code. A bundler would rename its functions. */
const WORK = `const timedWork = (turns) => {
  const began = performance.now();
  let x = 1;
  for (let turn = 0; turn < turns; turn++) x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) + turn;
  globalThis.worked = x;
  return performance.now() - began;
};`;
const { timedWork }: { timedWork(turns: number): number } = await import(
  /* @vite-ignore */ moduleUrl(`export ${WORK}`)
);

const renderModule = moduleUrl(`${WORK}
export default ({ data, defineCommand, onFrame, post }) => {
  let milliseconds = 0;
  onFrame(() => { milliseconds += timedWork(data); });
  defineCommand('report', () => { post(milliseconds); milliseconds = 0; });
};`);

const CHANNEL = 'b9-submit';

/**
 * Returns the URL of a module that engine workers import first. It makes each `GPUQueue.submit` do the same work as the
 * other threads.
 */
const busySubmit = (turns: number): string =>
  moduleUrl(`${WORK}
let milliseconds = 0;
const submit = GPUQueue.prototype.submit;
GPUQueue.prototype.submit = function (lists) {
  milliseconds += timedWork(${turns});
  return submit.call(this, lists);
};
const channel = new BroadcastChannel('${CHANNEL}');
channel.onmessage = ({ data }) => {
  if (data === 'ask') channel.postMessage(milliseconds);
  milliseconds = 0;
};`);

function prefixWorkers(prefix: string): () => void {
  const NativeWorker = Worker;
  window.Worker = class extends NativeWorker {
    constructor(url: string | URL, options?: WorkerOptions) {
      const address = new URL(url, location.href).href;
      super(moduleUrl(`import ${JSON.stringify(prefix)};\nimport ${JSON.stringify(address)};`), options);
    }
  };
  return () => {
    window.Worker = NativeWorker;
  };
}

window.threads = {
  calibrate(milliseconds) {
    // These rounds warm up, so that the loop is compiled.
    for (let round = 0; round < 20; round++) timedWork(100_000);
    const turns = 2_000_000;
    let fastest = Infinity;
    for (let round = 0; round < 10; round++) fastest = Math.min(fastest, timedWork(turns));
    return Math.round((turns * milliseconds) / fastest);
  },

  async run({ options, turns, frames }) {
    const hasRhiWork = options.threading === 'render+rhi';
    const restore = hasRhiWork ? prefixWorkers(busySubmit(turns)) : null;
    const canvas = document.createElement('canvas');
    canvas.style.cssText = 'width:8px;height:8px';
    document.body.append(canvas);
    const engine = await createEngine(canvas, { ...options, antialias: false });
    restore?.();
    const channel = new BroadcastChannel(CHANNEL);
    const failed = new Promise<never>((_, reject) =>
      engine.addEventListener('error', ({ detail }) => reject(detail), { once: true }),
    );
    failed.catch(() => {});
    const measure = async (): Promise<ThreadsResult> => {
      engine.world.addCamera({ position: [0, 0, 2] });
      const module = await engine.addRenderModule(renderModule, { data: turns });
      let gameMilliseconds = 0;
      engine.world.onTick(() => {
        gameMilliseconds += timedWork(turns);
      });
      // All steps are requested at once, so that each tick begins when the engine allows it.
      const produce = async (count: number): Promise<void> => {
        await Promise.all(Array.from({ length: count }, () => engine.step(0)));
      };
      const renderReport = async (): Promise<number> => {
        const reported = new Promise<number>((resolve) => {
          const end = module.onMessage((value) => {
            end();
            resolve(value as number);
          });
        });
        module.send('report');
        await produce(1);
        return reported;
      };
      await produce(5);
      await renderReport();
      channel.postMessage('forget');
      gameMilliseconds = 0;
      const began = performance.now();
      await produce(frames);
      const milliseconds = performance.now() - began;
      const gameWork = gameMilliseconds / frames;
      let rhiWork = 0;
      if (hasRhiWork) {
        const answered = new Promise<number>((resolve) => {
          channel.onmessage = ({ data }) => data > 0 && resolve(data);
        });
        channel.postMessage('ask');
        rhiWork = (await answered) / frames;
      }
      return { milliseconds, gameWork, renderWork: (await renderReport()) / (frames + 1), rhiWork };
    };
    try {
      return await Promise.race([measure(), failed]);
    } finally {
      channel.close();
      await engine.dispose();
      canvas.remove();
    }
  },
};
