/**
 * The pages of a soak, driven by `scripts/soak/run.mjs`: one in which an engine lives through everything, one in which
 * a fresh engine shows the same scene for comparison.
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
  /** Everything that was begun has to end within this, in milliseconds. */
  readonly settleLimit: number;
}

/** What a canvas shows, and what is needed to show it again. */
export interface Shown {
  readonly state: SceneState;
  /** CSS pixels. */
  readonly size: readonly [number, number];
  readonly ratio: number;
}

export interface MarkFigures {
  readonly liveResources: number;
  /** Live resources beyond these after a round: pipelines and the like, for the next time. */
  readonly cached: number;
  /** What lives on of the same scene shown once more. */
  readonly grown: number;
  readonly pendingReleases: number;
  readonly framesInFlight: number;
  readonly retainedBytes: number;
  readonly engineWorkers: number;
}

export interface ShownPixels {
  readonly width: number;
  readonly height: number;
  /** RGBA, base64. */
  readonly data: string;
}

declare global {
  interface Window {
    soak: typeof api;
    /** By the driver's init script: the page's workers that nobody has ended. */
    liveWorkers: Set<Worker>;
    /** By the driver's init script. */
    setHidden(isHidden: boolean): void;
    /** By the driver's init script. */
    setPixelRatio(ratio: number): void;
  }
}

const view = document.querySelector<HTMLElement>('#view')!;
const BACKGROUND = '#234';
/** After so many the frame graph has destroyed what no frame takes any more. */
const AGEING_FRAMES = 32;
let soak: Soak | null = null;
const actions: string[] = [];
let pictures: Pictures | null = null;

const api = {
  async open({ seed, files, refusedFiles, settleLimit }: OpenOptions): Promise<void> {
    pictures ??= await makePictures();
    const engine = await createEngine(view, {
      background: BACKGROUND,
      // Killed workers are to be replaced soon; nobody is told of a silence that is shorter than that.
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

  /** @returns what went wrong */
  async round(actions: number, isCalm: boolean): Promise<string[]> {
    await soak!.round(actions, isCalm);
    return soak!.failures.splice(0);
  },

  /** The picture in peace. */
  async picture(): Promise<Shown & { readonly pixels: ShownPixels }> {
    const { engine, scene } = soak!;
    await scene.placeShadows();
    // The observers of the size have been called after two; the third is drawn after them.
    for (let frame = 0; frame < 3; frame++) await animationFrame();
    await engine.step(0);
    const state = scene.snapshot();
    const size = [view.clientWidth, view.clientHeight] as const;
    return { state, size, ratio: devicePixelRatio, pixels: await pixelsOf(engine) };
  },

  /**
   * Back to an empty scene in a mode: what is left there of all that was drawn, and the figures of a GPU's side that has drawn
   * nothing else.
   * @param shown a scene to be shown twice before, of which the second time may leave nothing more; null: none
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

  /** Resources that live once a scene has been shown, and is gone. */
  async liveAfter(state: SceneState): Promise<number> {
    const { engine, scene } = soak!;
    await scene.build(state);
    await soak!.settle();
    scene.clear();
    await soak!.settle();
    for (let frame = 0; frame < AGEING_FRAMES; frame++) await engine.step(0);
    return engine.stats().liveResources;
  },

  /** What was done since the last call. */
  takeActions: (): string[] => actions.splice(0),

  counts: (): Record<string, number> => soak!.counts,

  /** @returns labels of what nobody had destroyed */
  async close(): Promise<string[]> {
    const { leaks } = await soak!.engine.dispose();
    soak = null;
    return leaks.map((leak) => JSON.stringify(leak));
  },

  /** Shows a scene in an engine of its own. */
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

/** Shows every text once, so that no later mark has a larger picture of glyphs. */
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
