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
}

export interface LightState {
  readonly kind: 'directional' | 'point' | 'spot';
  readonly color: readonly number[];
  readonly intensity: number;
  readonly position: readonly number[];
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
}

export interface SceneState {
  readonly materials: readonly MaterialState[];
  readonly meshes: readonly MeshState[];
  readonly lights: readonly (LightState | null)[];
  readonly cameras: readonly (CameraState | null)[];
  readonly activeCamera: number;
  readonly levels: readonly (LevelState | null)[];
}

export const MATERIAL_COUNT = 6;
export const LIGHT_COUNT = 2;
export const CAMERA_COUNT = 3;
export const LEVEL_COUNT = 2;
export const PICTURE_COUNT = 4;

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
