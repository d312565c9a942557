/**
 * Captures frames of a scene, and replays captures, for `e2e/rhi/capture.spec.ts`. Bytes are passed to the test
 * as base64.
 */
import { createRhi, FlightRecorder, openDevice, openReplay, RhiCapture, replay } from 'fencepost/rhi';
import { createCaptureScene, imageTexels } from '../rhi/capture-scene.js';

type Bytes = Uint8Array | Uint8ClampedArray | ArrayBuffer;

function base64(bytes: Bytes): string {
  const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes;
  let text = '';
  for (const byte of view) text += String.fromCharCode(byte);
  return btoa(text);
}

const fromBase64 = (text: string): ArrayBuffer =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;

const messages = (errors: readonly unknown[]): string[] => errors.map(String);

interface CaptureRequest {
  /**
   * When the `RhiCapture` is created: before the first frame, or right before frame 3. Frames 3 to 5 are
   * captured.
   */
  readonly when: 'from the start' | 'later';
  /** Loses the device after the last frame, so that the flight recorder writes a file. */
  readonly loseDevice?: boolean;
}

async function makeCapture({ when, loseDevice = false }: CaptureRequest) {
  const { device } = await openDevice(navigator.gpu);
  const errors: unknown[] = [];
  const rhi = createRhi({ device, onError: (error) => errors.push(error) });
  let capture = when === 'from the start' ? new RhiCapture(rhi) : undefined;
  const recorder = loseDevice ? new FlightRecorder(rhi, { framesPerKeyframe: 2 }) : undefined;
  const image = await createImageBitmap(new ImageData(new Uint8ClampedArray(imageTexels()), 8, 8));
  const scene = createCaptureScene(rhi, { image });
  const pictures: string[] = [];
  for (let frame = 0; frame < 6; frame++) {
    if (frame === 3) {
      capture ??= new RhiCapture(rhi);
      capture.start();
    }
    const picture = await scene.draw(frame);
    if (frame >= 3) pictures.push(base64(picture));
  }
  let file: ArrayBuffer;
  if (recorder) {
    device.destroy();
    await device.lost;
    file = await recorder.write();
  } else file = (await capture?.stop()) ?? new ArrayBuffer(0);
  capture?.dispose();
  scene.dispose();
  device.destroy();
  return { file: base64(file), byteLength: file.byteLength, pictures, errors: messages(errors) };
}

/** Replays a capture and returns its pictures. @param isShown draws into a canvas of the page */
async function replayCapture(file: string, isShown = false) {
  const { device } = await openDevice(navigator.gpu);
  const pictures: { readonly frame: number; readonly data: string }[] = [];
  const surface = isShown ? document.body.appendChild(document.createElement('canvas')) : null;
  const result = await replay(fromBase64(file), device, {
    surface,
    onFrame: ({ frame, data }) => pictures.push({ frame, data: base64(data) }),
  });
  device.destroy();
  return {
    pictures,
    frames: result.frames,
    canvas: surface && [surface.width, surface.height],
    errors: messages(result.errors),
    draws: result.stats.map(({ drawCalls, skippedDraws }) => [drawCalls, skippedDraws]),
  };
}

/**
 * Steps through the last frame. Returns the target after each draw, the state bound at the last draw, and the
 * names of the passes.
 */
async function stepThrough(file: string) {
  const { device } = await openDevice(navigator.gpu);
  const session = openReplay(fromBase64(file), device);
  const last = session.frames.length - 1;
  const frame = session.frames[last];
  if (frame === undefined) throw new Error('no frame');
  const steps: { line: string; target: string; format: string; data: string; errors: string[] }[] = [];
  let lastDraw = 0;
  for (const [index, command] of frame.commands.entries()) {
    if (!command.isWork && command.name !== 'beginRenderPass') continue;
    const picture = await session.pictureAfter(last, index);
    if (command.isWork) lastDraw = index;
    if (!picture) continue;
    const { target, format, data, errors } = picture;
    steps.push({ line: command.line.trim(), target, format, data: base64(data), errors: messages(errors) });
  }
  const state = session.boundState(last, lastDraw);
  device.destroy();
  return {
    steps,
    state,
    passes: frame.passes.map(({ label, kind }) => `${kind} ${label}`),
    frame: frame.frame,
  };
}

declare global {
  interface Window {
    makeCapture: typeof makeCapture;
    replayCapture: typeof replayCapture;
    stepThrough: typeof stepThrough;
  }
}
Object.assign(window, { makeCapture, replayCapture, stepThrough });
document.documentElement.dataset.loaded = '';
