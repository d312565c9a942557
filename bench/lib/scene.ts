/**
 * The scene that every engine draws, and the arithmetic by which the program moves its boxes. The scene is a cube of
 * unit boxes with eight materials, one geometry and one directional light. All boxes are in view. The program moves and
 * rotates every box in every frame. Units are metres, seconds and radians. The axes are right-handed, with Y up.
 *
 *   per box:  phase = 0.37 i       position = base + (0, ½ sin ½(t + phase), 0)
 *             rotation = t + phase about (0.6, 0.8, 0), as a quaternion
 */
export interface BenchScene {
  readonly name: string;
  readonly version: string;
  init(canvas: HTMLCanvasElement, count: number): Promise<void>;
  /** Updates the program: sets position and rotation of every box. */
  update(timeSeconds: number): void;
  /** Does the engine's work on the main thread for one frame. */
  render(): void;
  /** Resolves when the GPU has finished the last frame. Default: the watched device's queue is idle. */
  gpuIdle?(): Promise<void>;
  /**
   * Returns the main-thread milliseconds that the last frame took after `render` had returned, by the engine's own
   * clock. The bench adds them to the duration of `render`.
   */
  engineFrameMs?(): number;
  /** Runs frames by the engine's own animation-frame loop. Returns the engine's own figures per frame. */
  freeRun?(frames: number): Promise<{ update: number[]; render: number[] }>;
}

/** Colours in linear RGB. */
export const COLORS: readonly (readonly [number, number, number])[] = [
  [0.9, 0.25, 0.1],
  [0.95, 0.6, 0.05],
  [0.8, 0.85, 0.1],
  [0.2, 0.75, 0.2],
  [0.05, 0.65, 0.65],
  [0.1, 0.3, 0.9],
  [0.45, 0.15, 0.8],
  [0.85, 0.85, 0.85],
];
export const METALLIC = 0;
export const ROUGHNESS = 0.6;
export const FOV_Y = Math.PI / 4;
export const LIGHT_DIRECTION = [-1, -2, -1.5] as const;
export const LIGHT_INTENSITY = 3;
export const SPACING = 2;

export interface Layout {
  readonly count: number;
  /** Base position of each box, as xyz. */
  readonly positions: Float32Array;
  readonly cameraPosition: readonly [number, number, number];
  readonly near: number;
  readonly far: number;
}

export function createLayout(count: number): Layout {
  const side = Math.ceil(Math.cbrt(count));
  const half = ((side - 1) * SPACING) / 2;
  const positions = new Float32Array(count * 3);
  for (let i = 0; i < count; i++) {
    positions[3 * i] = (i % side) * SPACING - half;
    positions[3 * i + 1] = (Math.floor(i / side) % side) * SPACING - half;
    positions[3 * i + 2] = Math.floor(i / (side * side)) * SPACING - half;
  }
  const radius = (half + 1) * Math.sqrt(3);
  const distance = (radius / Math.sin(FOV_Y / 2)) * 1.02;
  const direction = [0.48, 0.6, 0.64] as const;
  return {
    count,
    positions,
    cameraPosition: [direction[0] * distance, direction[1] * distance, direction[2] * distance],
    near: Math.max(distance - radius * 1.1, 0.1),
    far: distance + radius * 1.1,
  };
}

export type SetTransform = (
  index: number,
  x: number,
  y: number,
  z: number,
  qx: number,
  qy: number,
  qz: number,
  qw: number,
) => void;

/**
 * Moves all boxes by the program's arithmetic, which is the same for every engine. Runs per frame; allocates nothing.
 */
export function moveBoxes(layout: Layout, timeSeconds: number, set: SetTransform): void {
  const { count, positions } = layout;
  for (let i = 0; i < count; i++) {
    const halfAngle = (timeSeconds + 0.37 * i) * 0.5;
    const sine = Math.sin(halfAngle);
    set(
      i,
      positions[3 * i] as number,
      (positions[3 * i + 1] as number) + 0.5 * sine,
      positions[3 * i + 2] as number,
      0.6 * sine,
      0.8 * sine,
      0,
      Math.cos(halfAngle),
    );
  }
}
