/**
 * The scene of B10 and B13, which each engine implements: a glTF file without its own lights, one camera, and four
 * kinds of lighting. Units are metres and radians. The axes are right-handed, with Y up.
 */
export const LIGHTINGS = ['one light', 'five lights', 'environment', 'four cascades'] as const;
export type Lighting = (typeof LIGHTINGS)[number];

export interface LitScene {
  readonly name: string;
  readonly version: string;
  /** Opens the engine on the canvas, with 4× MSAA, without tone mapping, and loads the model. */
  start(canvas: HTMLCanvasElement, modelUrl: string): Promise<void>;
  /** Replaces the lighting. Resolves when its data has been loaded and compiled. */
  light(lighting: Lighting, environmentUrl: string): Promise<void>;
  /** Draws a frame. Resolves when the GPU has completed the frame. */
  draw(): Promise<void>;
  /** Bytes of textures on the GPU, for engines that report them. */
  textureBytes?(): number;
}

export const CAMERA = {
  position: [4.2, 2.4, 5],
  target: [0, 0.3, 0],
  fovY: 0.7,
  near: 0.1,
  far: 60,
} as const;
/** Direction in which the light shines. */
export const SUN = { direction: [-1, -2, -1.5], intensity: 3 } as const;
/** Additional lamps, in candela and metres. */
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
/** Cascades of the sun's shadow. */
export const CASCADES = { count: 4, mapSize: 1024, distance: 20 } as const;
