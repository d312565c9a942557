/**
 * The page of the conformance runner, which scripts/conformance.mjs controls. It shows one file in a new engine, framed
 * by its bounds under two directional lights, and returns the outcome and a picture. A refused file is a normal result.
 * Crashes, hangs and other things that must not happen are failures.
 *
 *   createEngine → load → camera, lights → step → captureFrame → dispose        one deadline over all of it
 */

import {
  boxGeometry,
  DirectionalLightComponent,
  type Engine,
  FencepostError,
  type Level,
  PointLightComponent,
  type SceneComponent,
  SpotLightComponent,
  standardMaterial,
} from 'fencepost';
import { createPatientEngine } from './patient-engine.js';

export type ThreadingMode = 'single' | 'render' | 'render+rhi';

export interface InspectOptions {
  readonly threading: ThreadingMode;
  /** Edge of the square picture, in pixels. */
  readonly size: number;
  /** The time limit of a file, in milliseconds. */
  readonly limit: number;
  /** Whether edges are smoothed with four samples per pixel. */
  readonly antialias: boolean;
  /** Whether each clip is drawn, too, at its start and at half its duration. */
  readonly time: boolean;
}

/** Pictures of a clip, as `data:` URLs of PNGs. */
export interface ClipPictures {
  readonly name: string;
  /** Time of `halfPicture`, in seconds. */
  readonly half: number;
  readonly beginPicture: string;
  readonly halfPicture: string;
}

export type FailureKind = 'crash' | 'hang' | 'device-lost' | 'gpu-error' | 'untyped';

export interface Inspection {
  warnings: string[];
  /** The typed error with which the file was refused, or null. */
  error: { name: string; code: string; message: string } | null;
  /** Events that must never happen. */
  failures: { kind: FailureKind; message: string }[];
  drawCalls: number;
  primitives: number;
  skippedDraws: number;
  /** Share of the picture's pixels that are not background, 0 to 1. */
  coverage: number;
  /** Number of GPU resources that were not destroyed at the end. */
  leaks: number;
  /** The picture as a `data:` URL of a PNG, or ''. */
  picture: string;
  clips: ClipPictures[];
}

export interface Tile {
  readonly label: string;
  readonly note: string;
  /** The file's result: `ok`, `warning`, `error` or `failed`. */
  readonly status: string;
  readonly picture: string;
}

declare global {
  interface Window {
    conformance: { inspect: typeof inspect; warmUp: typeof warmUp; composeSheet: typeof composeSheet };
  }
}

/** The background in sRGB, 0 to 255. No material of a sample file is likely to have exactly this colour. */
const BACKGROUND = [38, 42, 51] as const;

async function inspect(
  url: string,
  { threading, size, limit, antialias, time }: InspectOptions,
): Promise<Inspection> {
  const inspection = emptyInspection();
  const view = document.createElement('div');
  view.style.cssText = `width:${size}px;height:${size}px`;
  document.body.replaceChildren(view);
  let stage = 'starting the engine';
  let engine: Engine | null = null;
  let timer = 0;
  const late = new Promise<'late'>((resolve) => {
    timer = window.setTimeout(resolve, limit, 'late');
  });
  const work = async (): Promise<void> => {
    engine = await createPatientEngine(view, {
      threading,
      pixelRatio: 1,
      antialias,
      background: `rgb(${BACKGROUND})`,
      deviceLost: 'stop',
    });
    engine.addEventListener('error', ({ detail }) => note(inspection, detail, 'event'));
    engine.addEventListener('devicelost', ({ detail }) =>
      inspection.failures.push({ kind: 'device-lost', message: `${detail.reason} ${detail.message}` }),
    );
    // All threads have started, so later failures come from the file.
    await engine.flush();
    stage = 'loading';
    const level = await load(engine, url, inspection);
    if (level) {
      inspection.warnings.push(...level.warnings);
      stage = 'drawing';
      light(engine, level);
      frame(engine, level);
      // `whenReady` draws no more frames than it needs. On a software adapter, one frame of some files takes seconds.
      await engine.whenReady();
      stage = 'reading the picture back';
      const picture = await engine.captureFrame();
      const { drawCalls, primitives, skippedDraws } = engine.stats();
      Object.assign(inspection, { drawCalls, primitives, skippedDraws });
      inspection.coverage = coverage(picture.data);
      inspection.picture = dataUrl(picture);
      stage = 'playing its clips';
      if (time) inspection.clips = await showClips(engine, level);
    }
    stage = 'disposing';
    await engine.flush();
    inspection.leaks = (await engine.dispose()).leaks.length;
  };
  try {
    if ((await Promise.race([work(), late])) === 'late') {
      inspection.failures.push({ kind: 'hang', message: `${limit} ms were over while ${stage}.` });
    }
  } catch (error) {
    note(inspection, error, stage);
    await (engine as Engine | null)?.dispose().catch(() => {});
  }
  clearTimeout(timer);
  return inspection;
}

/** Loads the file. Returns the level, or null after recording the error. */
async function load(engine: Engine, url: string, inspection: Inspection): Promise<Level | null> {
  try {
    return await engine.world.load(url);
  } catch (error) {
    note(inspection, error, 'loading');
    return null;
  }
}

async function showClips(engine: Engine, level: Level): Promise<ClipPictures[]> {
  const clips: ClipPictures[] = [];
  // Animated parts may leave the bounds of the rest pose.
  if (level.animations.length > 0) frame(engine, level, 1.7);
  for (const [index, { name, duration }] of level.animations.entries()) {
    const picture = async (startSeconds: number): Promise<string> => {
      const playback = level.play(index, { speed: 0, startSeconds });
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const url = dataUrl(await engine.captureFrame());
      playback.stop();
      return url;
    };
    const half = duration / 2;
    clips.push({ name, half, beginPicture: await picture(0), halfPicture: await picture(half) });
  }
  return clips;
}

/** Runs an engine once before the first file, so that no file's time includes fetching and compiling code. */
async function warmUp(options: Pick<InspectOptions, 'threading' | 'size' | 'antialias'>): Promise<void> {
  const view = document.createElement('div');
  view.style.cssText = `width:${options.size}px;height:${options.size}px`;
  document.body.replaceChildren(view);
  const engine = await createPatientEngine(view, {
    threading: options.threading,
    pixelRatio: 1,
    antialias: options.antialias,
  });
  light(engine);
  engine.world.addCamera({ position: [0, 0, 3] });
  engine.world.addMesh({ geometry: boxGeometry(), material: standardMaterial() });
  const json = '{"asset":{"version":"2.0"}}';
  await engine.world.load(new TextEncoder().encode(json).buffer as ArrayBuffer);
  await engine.step(0);
  await engine.captureFrame();
  await engine.dispose();
}

/** Records an error as the file's refusal if it is one, and otherwise as a failure. */
function note(inspection: Inspection, error: unknown, stage: string): void {
  const { name, code, message } = (error ?? {}) as FencepostError;
  const kind = failureKind(error, stage);
  if (kind) {
    // The engine reports a failure by an event and rejects pending promises with it, so the same failure
    // arrives twice.
    const text = `${name} ${code ?? ''} ${message}`;
    if (!inspection.failures.some((failure) => failure.message === text)) {
      inspection.failures.push({ kind, message: text });
    }
  } else inspection.error ??= { name, code, message };
}

/** Codes of RHI errors for files that are too large for the machine. They count as refusals. */
const refusals = new Set(['limit-exceeded', 'texture-too-large', 'too-many-resources']);

function failureKind(error: unknown, stage: string): FailureKind | null {
  if (!(error instanceof FencepostError) || error.code === 'internal') return 'untyped';
  if (error.code === 'device-lost') return 'device-lost';
  if (error.code === 'wait-timed-out') return 'hang';
  if (error.name === 'AssetError' && error.code === 'asset-worker-died') return 'crash';
  if (error.name === 'ThreadError' || error.name === 'StreamError') return 'crash';
  if (error.name === 'RhiError' && !refusals.has(error.code)) return 'gpu-error';
  // At this stage the file has not been requested yet.
  return stage === 'starting the engine' ? 'crash' : null;
}

/** Direction from the target to the camera: in front, to the right and above. */
const BACK = normalized([0.5, 0.4, 1]);

/**
 * Adds two lights, one from above on the left and one from the camera, so that nothing visible is black. They
 * are dim if the file has its own lights, so that those show.
 */
function light({ world }: Engine, level?: Level): void {
  const ownLights = [DirectionalLightComponent, PointLightComponent, SpotLightComponent];
  const isLit = level?.actors.some((actor) =>
    ownLights.some((kind) => actor.component<SceneComponent>(kind)),
  );
  const factor = isLit ? 0.1 : 1;
  world.addDirectionalLight({ direction: [0.4, -1, -0.6], intensity: 2 * factor });
  world.addDirectionalLight({ direction: BACK.map((value) => -value), intensity: 1.5 * factor });
}

const FOV_Y = 0.6;

/**
 * Places the camera at the smallest distance that shows all eight corners of the bounds, with a small margin, times
 * `stepsBack`. A larger distance also shows parts that clips move out of the bounds.
 */
function frame({ world }: Engine, level: Level, stepsBack = 1): void {
  const { min, max } = level.bounds;
  const center = min.map((low, axis) => (low + (max[axis] as number)) / 2);
  const half = min.map((low, axis) => ((max[axis] as number) - low) / 2);
  const back = BACK;
  const right = normalized([back[2], 0, -back[0]]);
  const up = [
    back[1] * right[2] - back[2] * right[1],
    back[2] * right[0] - back[0] * right[2],
    back[0] * right[1] - back[1] * right[0],
  ];
  const tangent = Math.tan(FOV_Y / 2);
  let distance = 0;
  for (let corner = 0; corner < 8; corner++) {
    const offset = half.map((length, axis) => (corner & (1 << axis) ? length : -length));
    const sideways = Math.max(Math.abs(dot(offset, right)), Math.abs(dot(offset, up)));
    distance = Math.max(distance, sideways / tangent + dot(offset, back));
  }
  const radius = Math.hypot(...half);
  if (distance === 0) distance = 1; // the bounds are a point or empty
  distance *= 1.08 * stepsBack;
  world.activeCamera = world.addCamera({
    position: center.map((middle, axis) => middle + (back[axis] as number) * distance),
    lookAt: center,
    fovY: FOV_Y,
    near: stepsBack > 1 ? distance / 1000 : Math.max(distance - radius * 1.1, distance / 1000),
    far: distance + radius * (stepsBack > 1 ? 10 : 1.1) + distance / 1000,
  });
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, axis) => sum + value * (b[axis] as number), 0);
}

function normalized(vector: [number, number, number]): [number, number, number] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length) as [number, number, number];
}

function coverage(data: Uint8ClampedArray): number {
  let covered = 0;
  for (let at = 0; at < data.length; at += 4) {
    const isBackground = BACKGROUND.every((value, channel) => Math.abs(data[at + channel]! - value) <= 2);
    if (!isBackground) covered++;
  }
  return covered / (data.length / 4);
}

function dataUrl({
  width,
  height,
  data,
}: {
  width: number;
  height: number;
  data: Uint8ClampedArray;
}): string {
  const [canvas, context] = flatCanvas(width, height);
  context.putImageData(new ImageData(new Uint8ClampedArray(data), width, height), 0, 0);
  return canvas.toDataURL('image/png');
}

const colors: Record<string, string> = { ok: '#8fd19e', warning: '#f2cc60', error: '#ff9580' };

/** Draws the contact sheet with one labelled tile per file. Returns a `data:` URL of a PNG. */
async function composeSheet(tiles: readonly Tile[], size: number): Promise<string> {
  const columns = Math.max(1, Math.ceil(Math.sqrt(tiles.length * 1.25)));
  const gap = 8;
  const labelHeight = 36;
  const rows = Math.ceil(tiles.length / columns);
  const [canvas, context] = flatCanvas(gap + columns * (size + gap), gap + rows * (size + labelHeight + gap));
  context.fillStyle = '#111317';
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const [index, tile] of tiles.entries()) {
    const x = gap + (index % columns) * (size + gap);
    const y = gap + Math.floor(index / columns) * (size + labelHeight + gap);
    context.fillStyle = '#1b1e25';
    context.fillRect(x, y, size, size);
    if (!tile.picture) writeWrapped(context, tile.note, x + gap, y + gap, size - 2 * gap);
    else {
      const image = new Image();
      image.src = tile.picture;
      await image.decode();
      context.drawImage(image, x, y, size, size);
    }
    context.font = '12px sans-serif';
    context.fillStyle = '#e8e8e8';
    context.fillText(shortened(context, tile.label, size), x, y + size + 14);
    context.fillStyle = colors[tile.status] ?? '#ff4040';
    context.fillText(shortened(context, tile.note, size), x, y + size + 30);
  }
  return canvas.toDataURL('image/png');
}

/** Writes a file's message in its tile in place of a picture. */
function writeWrapped(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  size: number,
): void {
  context.font = '11px sans-serif';
  context.fillStyle = '#9aa0ab';
  let line = '';
  let bottom = y + 11;
  for (const word of [...text.split(/(?<=[\s/-])/), null]) {
    const isFull = word === null || context.measureText(line + word).width > size;
    if (!isFull) line += word;
    else {
      if (bottom <= y + size) context.fillText(line, x, bottom);
      line = word ?? '';
      bottom += 14;
    }
  }
}

function shortened(context: CanvasRenderingContext2D, text: string, width: number): string {
  let kept = text;
  while (kept && context.measureText(kept === text ? text : `${kept}…`).width > width)
    kept = kept.slice(0, -1);
  return kept === text ? text : `${kept}…`;
}

function flatCanvas(width: number, height: number): [HTMLCanvasElement, CanvasRenderingContext2D] {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser has no 2D canvas.');
  return [canvas, context];
}

function emptyInspection(): Inspection {
  return {
    warnings: [],
    error: null,
    failures: [],
    drawCalls: 0,
    primitives: 0,
    skippedDraws: 0,
    coverage: 0,
    leaks: 0,
    picture: '',
    clips: [],
  };
}

window.conformance = { inspect, warmUp, composeSheet };
document.documentElement.dataset.loaded = 'true';
