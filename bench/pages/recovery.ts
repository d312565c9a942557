/**
 * Measures the time without a picture: from the loss of the device, or the end of a worker, to the next complete frame.
 * That frame has to have the same pixels as the frames before the loss. Each run has its own engine.
 */
import {
  boxGeometry,
  createEngine,
  type Engine,
  type EngineOptions,
  sphereGeometry,
  standardMaterial,
} from '../../src/index.js';

export interface RecoveryRun {
  readonly options: EngineOptions;
  /** The device, or the index of a worker in the order in which the engine starts them. */
  readonly what: 'device' | number;
}

export interface RecoveryResult {
  /** Milliseconds from the call to the event that reports the loss. */
  readonly noticed: number;
  /** Milliseconds from that event to the first complete frame. */
  readonly restored: number;
}

declare global {
  interface Window {
    measureRecovery(run: RecoveryRun): Promise<RecoveryResult>;
  }
}

const workers: Worker[] = [];
const NativeWorker = Worker;
window.Worker = class extends NativeWorker {
  constructor(url: string | URL, options?: WorkerOptions) {
    super(url, options);
    workers.push(this);
  }
};

/** Adds a hundred meshes with a few materials. */
function addScene({ world }: Engine): void {
  world.addCamera({ position: [0, 4, 14], lookAt: [0, 0, 0] });
  world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
  const geometries = [boxGeometry({ size: 0.6 }), sphereGeometry({ radius: 0.4, segments: 8 })] as const;
  const materials = ['#2a8', '#f71', '#48f', '#eee'].map((baseColor) => standardMaterial({ baseColor }));
  for (let index = 0; index < 100; index++) {
    const geometry = geometries[index % 2 === 0 ? 0 : 1];
    const material = materials[index % materials.length];
    if (!material) continue;
    world.addMesh({ geometry, material, position: [(index % 10) - 4.5, 0, Math.floor(index / 10) - 4.5] });
  }
}

window.measureRecovery = async ({ options, what }) => {
  workers.length = 0;
  const canvas = document.createElement('canvas');
  canvas.style.cssText = 'width:64px;height:64px';
  document.body.append(canvas);
  const engine = await createEngine(canvas, options);
  const errors: string[] = [];
  try {
    addScene(engine);
    await engine.step(0);
    const before = (await engine.captureFrame()).data.join();
    const at = new Map<string, number>();
    const note = (event: string): void => {
      if (!at.has(event)) at.set(event, performance.now());
    };
    const noticedBy = what === 'device' ? 'devicelost' : 'error thread-not-answering';
    const restoredBy = what === 'device' ? 'devicerestored' : 'threadrestarted';
    engine.addEventListener('error', ({ detail }) => {
      errors.push(detail.message);
      note(`error ${detail.code}`);
    });
    engine.addEventListener('devicelost', () => note('devicelost'));
    const restored = new Promise((resolve) => engine.addEventListener(restoredBy, resolve, { once: true }));
    engine.start();
    await engine.whenReady();
    const began = performance.now();
    if (what === 'device') void engine.simulateDeviceLoss();
    else workers[what]?.terminate();
    await restored;
    const end = performance.now();
    engine.stop();
    if ((await engine.captureFrame()).data.join() !== before)
      throw new Error('The picture after the recovery differs from the picture before.');
    const noticed = at.get(noticedBy);
    if (noticed === undefined) throw new Error(`There was no ${noticedBy}: ${errors.join(' ')}`);
    return { noticed: noticed - began, restored: end - noticed };
  } finally {
    await engine.dispose();
    document.querySelectorAll('canvas').forEach((each) => {
      each.remove();
    });
  }
};
