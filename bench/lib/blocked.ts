/**
 * B3's scene: a bar that turns about the line of sight, drawn at every animation frame. Each engine's program
 * implements it in the engine's own way.
 */
export interface BlockedScene {
  readonly name: string;
  readonly version: string;
  /** Begins to draw at every animation frame. */
  start(canvas: HTMLCanvasElement): Promise<void>;
  /** Returns the number of pictures that have reached the canvas. */
  presentedFrames(): number;
  /**
   * Returns the bar's angle in the visible picture, in radians. Called right after a block, before anything else runs.
   */
  shownRadians(): Promise<number>;
}

/** The bar's rate of rotation, in radians per second. */
export const RATE = 0.4;
export const BAR = [2, 0.5, 0.5] as const;
export const DISTANCE = 4;

/**
 * Returns the angle of the only bright object in an RGBA picture, from the second moments of its pixels. The angle has
 * a period of π.
 */
export function barAngle(width: number, height: number, data: ArrayLike<number>): number {
  let [xx, xy, yy, count] = [0, 0, 0, 0];
  for (let index = 0; index < width * height; index++) {
    const weight = (data[index * 4] ?? 0) / 255;
    const x = (index % width) - width / 2 + 0.5;
    const y = height / 2 - 0.5 - Math.floor(index / width);
    xx += weight * x * x;
    xy += weight * x * y;
    yy += weight * y * y;
    count += weight;
  }
  if (count < 10) throw new Error('The picture shows no bar.');
  return Math.atan2(2 * xy, xx - yy) / 2;
}
