// Steps an engine in the page under test frame by frame, and reads its pixels back. No code of the engine is
// imported. The page provides any object with `step` and `captureFrame`, by default as `window.engine`.
//
//   test ── init script: takes the clock ───────► page        engine.start() waits for steps
//        ── evaluate: engine.step(1/60) × n ────► page        (neither clock nor animation frames tick)
//        ◄── width, height, bytes as base64 ── captureFrame
import type { JSHandle, Page } from '@playwright/test';
import type { Image } from './image.js';

/** The methods of an engine that these helpers call. */
export interface SteppableEngine {
  step(deltaSeconds: number): Promise<void>;
  captureFrame(): Promise<{ width: number; height: number; data: Uint8Array | Uint8ClampedArray }>;
  stop?(): void;
  whenReady?(): Promise<void>;
}

export interface EngineLocation {
  /** Name of the page's global variable that holds the engine. Default `engine`. */
  readonly engine?: string;
}

/**
 * Takes over the clock of every engine that the page will create. `engine.start()` then does not run the clock,
 * and only `stepFrames` makes frames. Call this function before `page.goto`. It also affects all later
 * navigations.
 *
 * @throws Error if the page has been opened before, because frames may have run
 */
export async function takeClock(page: Page): Promise<void> {
  if (page.url() !== 'about:blank') {
    throw new Error(`takeClock came after the page was opened ("${page.url()}"). Call it before page.goto.`);
  }
  await page.addInitScript(() => {
    (globalThis as { fencepostClock?: string }).fencepostClock = 'taken';
  });
}

/** Returns a handle to the engine in the page's global variable. */
async function engineOf(page: Page, name: string, call: string): Promise<JSHandle<SteppableEngine>> {
  const handle = await page.evaluateHandle((name) => (globalThis as Record<string, unknown>)[name], name);
  const isEngine = await handle.evaluate(
    (found) => typeof (found as SteppableEngine | undefined)?.step === 'function',
  );
  if (isEngine) return handle as JSHandle<SteppableEngine>;
  throw new Error(
    `${call} found no engine in the page's global variable "${name}". The page has to set it, window.${name} = engine; await waitForEngine(page) before.`,
  );
}

/** Waits until the page has set its global variable and `engine.whenReady()` has resolved. */
export async function waitForEngine(page: Page, { engine = 'engine' }: EngineLocation = {}): Promise<void> {
  await page.waitForFunction((name) => (globalThis as Record<string, unknown>)[name] !== undefined, engine);
  await page.evaluate(async (name) => {
    const instance = (globalThis as Record<string, unknown>)[name] as SteppableEngine;
    await instance.whenReady?.();
  }, engine);
}

export interface StepOptions extends EngineLocation {
  /** Number of frames. Default 1. */
  readonly frames?: number;
  /** Seconds of scene time per frame. Default 1/60. */
  readonly deltaSeconds?: number;
}

/**
 * Stops the engine's own clock and steps exactly this many frames. Each is complete on the GPU before the next
 * begins. The clock may have run an unknown number of frames before this call. Call `takeClock` first to prevent
 * them.
 *
 * @throws Error if the page has no engine, or if `frames` is negative or not a whole number
 */
export async function stepFrames(page: Page, options: StepOptions = {}): Promise<void> {
  const { engine = 'engine', frames = 1, deltaSeconds = 1 / 60 } = options;
  if (!(Number.isInteger(frames) && frames >= 0)) {
    throw new Error(`frames of stepFrames is ${frames}; it has to be a whole number from 0 on.`);
  }
  const handle = await engineOf(page, engine, 'stepFrames');
  await handle.evaluate(
    async (instance, { frames, deltaSeconds }) => {
      instance.stop?.();
      for (let frame = 0; frame < frames; frame++) await instance.step(deltaSeconds);
    },
    { frames, deltaSeconds },
  );
}

/**
 * Reads the engine's canvas back from the GPU, as sRGB RGBA with row 0 at the top.
 *
 * @throws Error if the page has no engine
 */
export async function readPixels(page: Page, { engine = 'engine' }: EngineLocation = {}): Promise<Image> {
  const handle = await engineOf(page, engine, 'readPixels');
  const { width, height, base64 } = await handle.evaluate(async (instance) => {
    const { width, height, data } = await instance.captureFrame();
    // The bytes leave the page as base64, because an array of numbers takes ten times as long.
    let binary = '';
    for (let offset = 0; offset < data.length; offset += 8192) {
      binary += String.fromCharCode(...data.subarray(offset, offset + 8192));
    }
    return { width, height, base64: btoa(binary) };
  });
  return { width, height, data: new Uint8ClampedArray(Buffer.from(base64, 'base64')) };
}
