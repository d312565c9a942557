/**
 * What B10 and B13 ask of an engine: one file of glTF, without the lights in it, seen by one camera, and lit in four ways.
 * Metres, radians; right-handed, Y up.
 */
export const LIGHTINGS = ['one light', 'five lights', 'environment', 'four cascades'] as const;
export type Lighting = (typeof LIGHTINGS)[number];

export interface LitScene {
  readonly name: string;
  readonly version: string;
  /** Opens the engine on the canvas, 4 samples per pixel, no tone mapping, and loads the model. */
  start(canvas: HTMLCanvasElement, modelUrl: string): Promise<void>;
  /** Lights it in that way alone; what that takes is loaded and compiled when this resolves. */
  light(lighting: Lighting, environmentUrl: string): Promise<void>;
  /** Draws a frame; resolves when the GPU has completed it. */
  draw(): Promise<void>;
  /** Of textures on the GPU, where the engine can tell. */
  textureBytes?(): number;
}

export const CAMERA = {
  position: [4.2, 2.4, 5],
  target: [0, 0.3, 0],
  fovY: 0.7,
  near: 0.1,
  far: 60,
} as const;
/** The way the light shines. */
export const SUN = { direction: [-1, -2, -1.5], intensity: 3 } as const;
/** Beside the sun: candela, metres. */
export const LAMPS = {
  intensity: 4,
  range: 6,
  positions: [
    [2, 1.5, 2],
    [-2, 1.5, 2],
    [2, 1.5, -2],
    [-2, 1.5, -2],
  ],
} as const;
/** Of the sun's shadow. */
export const CASCADES = { count: 4, mapSize: 1024, distance: 20 } as const;
