/**
 * What a soak's scene is, as plain data that goes from the page of the soak to the page that compares. Slots (of
 * materials, lights, cameras and levels) are places of a fixed number; meshes have ids.
 */

/** Position, rotation, scale, as they lie in a transform. */
export type Transform = readonly number[];

export interface MaterialState {
  readonly isUnlit: boolean;
  /** Linear, with alpha. */
  readonly baseColor: readonly number[];
  /** Apart from the colour, whose alpha may be moving. */
  readonly alphaMode: 'opaque' | 'blend';
  readonly metallic: number;
  readonly roughness: number;
  readonly emissive: readonly number[];
  /** Which picture, and what it is handed over as; null: none. */
  readonly texture: { readonly picture: number; readonly as: 'pixels' | 'bitmap' | 'blob' } | null;
  readonly doubleSided: boolean;
}

export interface MeshState {
  readonly id: number;
  readonly parent: number | null;
  readonly shape: number;
  readonly material: number;
  readonly transform: Transform;
  readonly visible: boolean;
  readonly castShadow: boolean;
  /** Shown in two levels of detail, the coarser one a cone. */
  readonly hasLods: boolean;
}

export interface LightState {
  readonly kind: 'directional' | 'point' | 'spot';
  readonly color: readonly number[];
  readonly intensity: number;
  readonly position: readonly number[];
  readonly castShadow: boolean;
}

export interface CameraState {
  readonly position: readonly number[];
  readonly fovY: number;
  readonly orthographic: boolean;
}

export interface LevelState {
  readonly file: string;
  readonly as: 'address' | 'bytes';
  readonly position: readonly number[];
  readonly scale: number;
  /** In the order in which they began. */
  readonly playbacks: readonly PlaybackState[];
}

/** A clip of a file, as it stands. */
export interface PlaybackState {
  readonly clip: number;
  /** In the clip. */
  readonly seconds: number;
  readonly weight: number;
  readonly additive: boolean;
}

/** Instances, lines or points. */
export interface CrowdState {
  readonly kind: 'instances' | 'lines' | 'points';
  readonly shape: number;
  readonly material: number;
  readonly isColored: boolean;
  /** A seed for each place. */
  readonly places: readonly number[];
}

/** A part of the canvas, shown by a camera. */
export interface ViewState {
  readonly camera: number;
  readonly rect: ViewRect;
}

export interface ViewRect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface EnvironmentState {
  readonly sources: readonly { readonly source: 'studio' | 'sky' | null; readonly weight: number }[];
  readonly intensity: number;
  readonly rotation: number;
  readonly background: boolean;
  readonly backgroundBlur: number;
}

export interface LookState {
  readonly renderer: 'forward' | 'deferred';
  readonly antialias: boolean;
  readonly exposure: number;
  readonly toneMapping: 'none' | 'aces' | 'agx' | 'khronos-neutral';
  readonly ambient: readonly number[];
  readonly environment: EnvironmentState;
}

export interface SceneState {
  readonly materials: readonly MaterialState[];
  readonly meshes: readonly MeshState[];
  readonly lights: readonly (LightState | null)[];
  readonly cameras: readonly (CameraState | null)[];
  readonly activeCamera: number;
  readonly levels: readonly (LevelState | null)[];
  readonly crowds: readonly (CrowdState | null)[];
  /** In the order in which they lie over each other, by slot. */
  readonly views: readonly (readonly [slot: number, ViewState])[];
  readonly look: LookState;
}

export const MATERIAL_COUNT = 6;
export const LIGHT_COUNT = 2;
export const CAMERA_COUNT = 3;
export const LEVEL_COUNT = 2;
export const PICTURE_COUNT = 4;
export const CROWD_COUNT = 3;
export const VIEW_COUNT = 2;

export const PLAIN_MATERIAL: MaterialState = {
  isUnlit: false,
  baseColor: [0.5, 0.5, 0.5, 1],
  alphaMode: 'opaque',
  metallic: 0,
  roughness: 0.5,
  emissive: [0, 0, 0],
  texture: null,
  doubleSided: false,
};

export const PLAIN_CAMERA: CameraState = { position: [0.5, 1, 4], fovY: 0.8, orthographic: false };

export const PLAIN_LOOK: LookState = {
  renderer: 'forward',
  antialias: true,
  exposure: 1,
  toneMapping: 'none',
  ambient: [0, 0, 0],
  environment: {
    sources: [{ source: null, weight: 1 }],
    intensity: 1,
    rotation: 0,
    background: false,
    backgroundBlur: 0,
  },
};
