/**
 * STREAM's scene, which each engine implements. The engine draws it at every animation frame, the page moves boxes in
 * it, and a file is loaded into it.
 */
export interface StreamingScene {
  readonly name: string;
  readonly version: string;
  /** Begins to draw at every animation frame. */
  start(canvas: HTMLCanvasElement): Promise<void>;
  /** Resolves when the GPU has completed a frame that shows the file. */
  load(url: string): Promise<void>;
  /**
   * Begins to record the times at which pictures are submitted. The returned function ends the recording and returns
   * the times, in milliseconds of any clock.
   */
  notePictures(): Promise<() => Promise<number[]>>;
}

export const BOXES = 200;
/**
 * Returns an image for the boxes. With an image they use the same pipeline as the loaded file, so that nothing is
 * compiled during the load.
 */
export async function boxPicture(): Promise<ImageBitmap> {
  const canvas = new OffscreenCanvas(64, 64);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('The picture of the boxes cannot be drawn, because there is no 2D context.');
  context.fillStyle = '#f80';
  context.fillRect(0, 0, 64, 64);
  return createImageBitmap(await canvas.convertToBlob());
}
export const CAMERA_POSITION = [0, 12, 22] as const;
export const FOV_Y = 0.9;
export const LIGHT_DIRECTION = [-1, -2, -1.5] as const;

/** Returns a box's position in metres at a time in seconds. */
export function boxPosition(box: number, seconds: number): [x: number, y: number, z: number] {
  const angle = (box / BOXES) * 2 * Math.PI + seconds * 0.5;
  return [Math.cos(angle) * 8, 1 + Math.sin(angle * 9), Math.sin(angle) * 8];
}
