/**
 * What B3 asks of an engine: a bar that turns about the line of sight, drawn at every animation frame, and what of it
 * is to be seen. Both programs do it the way their engine offers.
 */
export interface BlockedScene {
  readonly name: string;
  readonly version: string;
  /** Draws at every animation frame from here on. */
  start(canvas: HTMLCanvasElement): Promise<void>;
  /** Pictures that reached the canvas so far. */
  presentedFrames(): number;
  /** The bar's angle in the picture that is shown, radians; asked right after a block, before anything else runs. */
  shownRadians(): Promise<number>;
}

/** Radians per second. */
export const RATE = 0.4;
export const BAR = [2, 0.5, 0.5] as const;
export const DISTANCE = 4;

/** The angle of the only bright thing in an RGBA picture, from the second moments of its pixels; its period is π. */
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
