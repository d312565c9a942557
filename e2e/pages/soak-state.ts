/**
 * The state of a soak's scene as plain data, which the soak's page sends to the comparing page. Materials, lights,
 * cameras, levels, crowds and views have fixed numbers of slots. Meshes have ids.
 */

/** Position, rotation and scale, in this order. */
export type Transform = readonly number[];

export interface MaterialState {
  readonly isUnlit: boolean;
  /** Linear colour with alpha. */
  readonly baseColor: readonly number[];
  /** Alpha mode, stored apart from the colour because a motion may change the alpha. */
  readonly alphaMode: 'opaque' | 'blend';
  readonly metallic: number;
  readonly roughness: number;
  readonly emissive: readonly number[];
  /** The image and the form in which it is passed, or `null` for no texture. */
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
  /** Whether the mesh has two levels of detail, the coarser one a cone. */
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
  /** Playbacks in the order of their start. */
  readonly playbacks: readonly PlaybackState[];
}

/** The current state of a playback. */
export interface PlaybackState {
  readonly clip: number;
  /** Time in the clip, in seconds. */
  readonly seconds: number;
  readonly weight: number;
  readonly additive: boolean;
}

/** The state of a set of instances, lines or points. */
export interface CrowdState {
  readonly kind: 'instances' | 'lines' | 'points';
  readonly shape: number;
  readonly material: number;
  readonly isColored: boolean;
  /** A seed for each place, which determines its position. */
  readonly places: readonly number[];
}

/** A part of the canvas that shows the scene through a camera. */
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
  /** Views with their slots, in the order in which they are stacked: the last view lies on top. */
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
