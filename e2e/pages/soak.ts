/**
 * The pages of a soak, which `scripts/soak/run.mjs` controls. One page runs all actions on an engine. In the other
 * page a fresh engine shows the same scene for comparison.
 */
import { createEngine, type Engine, type ThreadingMode } from 'fencepost';
import { createPatientEngine } from './patient-engine.js';
import { animationFrame, Soak } from './soak-actions.js';
import { TEXTS } from './soak-content-actions.js';
import { makePictures, type Pictures } from './soak-parts.js';
import { SoakScene } from './soak-scene.js';
import type { SceneState } from './soak-state.js';

export interface OpenOptions {
  readonly seed: number;
  readonly files: readonly string[];
  readonly refusedFiles: readonly string[];
  /** Time limit within which all pending work has to end, in milliseconds. */
  readonly settleLimit: number;
}

/** The state that a canvas shows, and its size, so that another page can show it again. */
export interface Shown {
  readonly state: SceneState;
  /** Width and height in CSS pixels. */
  readonly size: readonly [number, number];
  readonly ratio: number;
}

export interface MarkFigures {
  readonly liveResources: number;
  /** Number of resources that stay after a round for later use, such as pipelines. */
  readonly cached: number;
  /** Number of resources that were added when the same scene was shown a second time. */
  readonly grown: number;
  readonly pendingReleases: number;
  readonly framesInFlight: number;
  readonly retainedBytes: number;
  readonly engineWorkers: number;
}

export interface ShownPixels {
  readonly width: number;
  readonly height: number;
  /** RGBA bytes as base64. */
  readonly data: string;
}

declare global {
  interface Window {
    soak: typeof api;
    /** The page's live workers. The driver's init script maintains the set. */
    liveWorkers: Set<Worker>;
    /** Hides or shows the page. The driver's init script defines it. */
    setHidden(isHidden: boolean): void;
    /** Changes the pixel ratio. The driver's init script defines it. */
    setPixelRatio(ratio: number): void;
  }
}

const view = document.querySelector<HTMLElement>('#view')!;
const BACKGROUND = '#234';
/** Number of frames after which the frame graph has destroyed unused resources. */
const AGEING_FRAMES = 32;
let soak: Soak | null = null;
const actions: string[] = [];
let pictures: Pictures | null = null;

const api = {
  async open({ seed, files, refusedFiles, settleLimit }: OpenOptions): Promise<void> {
    pictures ??= await makePictures();
    const engine = await createEngine(view, {
      background: BACKGROUND,
      // Killed workers should be replaced soon. A shorter limit would report workers that are only busy.
      watchdog: { reportSeconds: 3, restartSeconds: 3 },
    });
    soak = new Soak(engine, seed, {
      view,
      files,
      refusedFiles,
      settleLimit,
      pictures,
      workers: window.liveWorkers,
      log: (entry) => actions.push(entry),
      setPixelRatio: (ratio) => window.setPixelRatio(ratio),
      setHidden: (isHidden) => window.setHidden(isHidden),
    });
    await fillGlyphs(engine);
    await soak.settle();
  },

  /** Runs a round. @returns its failures */
  async round(actions: number, isCalm: boolean): Promise<string[]> {
    await soak!.round(actions, isCalm);
    return soak!.failures.splice(0);
  },

  /** Returns the picture once everything has settled. */
  async picture(): Promise<Shown & { readonly pixels: ShownPixels }> {
    const { engine, scene } = soak!;
    await scene.placeShadows();
    // The resize observers have run after two frames. The third frame is drawn after them.
    for (let frame = 0; frame < 3; frame++) await animationFrame();
    await engine.step(0);
    const state = scene.snapshot();
    const size = [view.clientWidth, view.clientHeight] as const;
    return { state, size, ratio: devicePixelRatio, pixels: await pixelsOf(engine) };
  },

  /**
   * Switches to a mode and empties the scene. Returns the numbers of resources that the rounds have left behind, and
   * the figures of a new device that has drawn only the empty scene.
   * @param shown a scene that is built and removed twice first; the second time must leave no further resources
   */
  async mark(mode: ThreadingMode, shown: SceneState | null): Promise<MarkFigures> {
    const { engine, scene } = soak!;
    await soak!.setThreading(mode);
    scene.clear();
    await soak!.size(64, 64, 1);
    await soak!.settle();
    const used = shown ? await this.liveAfter(shown) : engine.stats().liveResources;
    const usedAgain = shown ? await this.liveAfter(shown) : used;
    await engine.simulateDeviceLoss();
    await soak!.settle();
    performance.clearResourceTimings();
    const { liveResources, pendingReleases, framesInFlight, retainedBytes } = engine.stats();
    const cached = used - liveResources;
    const grown = usedAgain - used;
    const engineWorkers = window.liveWorkers.size;
    return { liveResources, cached, grown, pendingReleases, framesInFlight, retainedBytes, engineWorkers };
  },

  /** Returns the number of live resources after a scene was shown and removed. */
  async liveAfter(state: SceneState): Promise<number> {
    const { engine, scene } = soak!;
    await scene.build(state);
    await soak!.settle();
    scene.clear();
    await soak!.settle();
    for (let frame = 0; frame < AGEING_FRAMES; frame++) await engine.step(0);
    return engine.stats().liveResources;
  },

  /** Returns the actions since the last call. */
  takeActions: (): string[] => actions.splice(0),

  counts: (): Record<string, number> => soak!.counts,

  /** Disposes of the engine. @returns labels of its leaks */
  async close(): Promise<string[]> {
    const { leaks } = await soak!.engine.dispose();
    soak = null;
    return leaks.map((leak) => JSON.stringify(leak));
  },

  /** Shows a scene in a new engine, and returns its pixels. */
  async show({ state, size, ratio }: Shown, threading: ThreadingMode): Promise<ShownPixels> {
    pictures ??= await makePictures();
    view.style.width = `${size[0]}px`;
    view.style.height = `${size[1]}px`;
    const engine = await createPatientEngine(view, { background: BACKGROUND, pixelRatio: ratio, threading });
    try {
      await new SoakScene(engine, pictures).build(state);
      await engine.whenReady();
      await engine.step(0);
      return await pixelsOf(engine);
    } finally {
      await engine.dispose();
    }
  },
};

/** Shows every text once, so that later figures do not include growth of the glyph texture. */
async function fillGlyphs({ world }: Engine): Promise<void> {
  for (const text of TEXTS) (await world.addText({ text, size: 10 })).destroy();
}

async function pixelsOf(engine: Engine): Promise<ShownPixels> {
  const { width, height, data } = await engine.captureFrame();
  let text = '';
  for (const byte of data) text += String.fromCharCode(byte);
  return { width, height, data: btoa(text) };
}

window.soak = api;
document.documentElement.dataset.loaded = 'true';
