/**
 * What STREAM asks of an engine: a scene that is drawn at every animation frame, in which the page moves boxes, and a file that comes into it.
 */
export interface StreamingScene {
  readonly name: string;
  readonly version: string;
  /** Draws at every animation frame from here on. */
  start(canvas: HTMLCanvasElement): Promise<void>;
  /** Resolves when the GPU has completed a frame that shows the file. */
  load(url: string): Promise<void>;
  /** Begins to note pictures; what it returns gives the moments at which they were submitted, in milliseconds of any clock. */
  notePictures(): Promise<() => Promise<number[]>>;
}

export const BOXES = 200;
/** Boxes have a picture as what is loaded has one, so that no pipeline is compiled while it comes. */
export async function boxPicture(): Promise<ImageBitmap> {
  const canvas = new OffscreenCanvas(64, 64);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('There is no context to draw the picture of boxes with.');
  context.fillStyle = '#f80';
  context.fillRect(0, 0, 64, 64);
  return createImageBitmap(await canvas.convertToBlob());
}
export const CAMERA_POSITION = [0, 12, 22] as const;
export const FOV_Y = 0.9;
export const LIGHT_DIRECTION = [-1, -2, -1.5] as const;

/** Where a box is at a time in seconds; metres. */
export function boxPosition(box: number, seconds: number): [x: number, y: number, z: number] {
  const angle = (box / BOXES) * 2 * Math.PI + seconds * 0.5;
  return [Math.cos(angle) * 8, 1 + Math.sin(angle * 9), Math.sin(angle) * 8];
}
