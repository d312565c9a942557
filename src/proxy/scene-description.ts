/**
 * A loaded file as plain data: what the asset worker hands to the game, which makes a Level of it. Everything
 * is structured-cloneable; the buffers and images in it are transferred. Indices refer to the arrays here.
 */
import type { DrawnTopology } from './commands.js';
import type { SamplerDescription } from './images/sampler.js';
import type { MaterialValues, TextureSlot } from './materials/material-features.js';

export interface SceneDescription {
  readonly name: string;
  readonly nodes: readonly NodeDescription[];
  readonly geometries: readonly GeometryDescription[];
  readonly materials: readonly MaterialDescription[];
  readonly textures: readonly TextureDescription[];
  readonly clips: readonly ClipDescription[];
  readonly skins: readonly SkinDescription[];
  /** Names of the looks that it offers. */
  readonly variants: readonly string[];
  readonly environment?: LevelEnvironment | undefined;
  /** Features of the file that were left out, each a sentence naming the feature. */
  readonly warnings: readonly string[];
}

/** What moves the vertices of meshes. */
export interface SkinDescription {
  /** Indices of nodes. */
  readonly joints: readonly number[];
  /** 12 floats per joint: 3 rows of what takes the mesh's space to the joint's. */
  readonly matrices: Float32Array;
}

/** What a file calls an animation; its numbers stand in `clip.ts`. */
export interface ClipDescription {
  readonly name: string;
  /** Seconds. */
  readonly duration: number;
  /** By track: index of the node that it moves or whose light or camera it drives, or of the material. */
  readonly nodes: readonly number[];
  readonly tracks: Uint32Array;
  readonly floats: Float32Array;
}

/** How radiance lies in memory: linear RGBA in half floats, or blocks of BC6H. The order fixes the numbers in records. */
export const ENVIRONMENT_FORMATS = ['rgba16float', 'bc6h-rgb-ufloat', 'bc6h-rgb-float'] as const;
export type EnvironmentFormat = (typeof ENVIRONMENT_FORMATS)[number];

/** Radiance from all around, rows from the top: an equirectangular image, or the faces of a cube, +X −X +Y −Y +Z −Z. */
export interface EnvironmentImage {
  /** Texels; of each face. */
  readonly width: number;
  readonly height: number;
  readonly faces: 1 | 6;
  readonly format: EnvironmentFormat;
  readonly data: ArrayBuffer;
}

/** Light from all around that a file brings, to be given to `world.setEnvironment`. Its pictures are decoded then. */
export interface LevelEnvironment {
  readonly name: string;
  /** Factor on its radiance, from 0 to a million. */
  readonly intensity: number;
  /** Quaternion xyzw of unit length: from a direction in the scene to where its pictures show what comes from there. */
  readonly rotation: readonly number[];
  /** The pictures' files: +X −X +Y −Y +Z −Z, as EXT_lights_image_based says how they lie. */
  readonly faces: readonly Blob[];
  /** The file that it came with, and where it stands there, for messages. */
  readonly file: string;
  readonly place: string;
}

interface PrimitiveDescription {
  readonly geometry: number;
  readonly material: number;
  /** By variant: the materials of those in which it has another. */
  readonly variants?: ReadonlyMap<number, number>;
}

/** In how many places a node shows its primitives. */
export const placeCount = ({ instances }: Pick<NodeDescription, 'instances'>): number =>
  instances ? instances.length / 10 : 1;

/** Nodes that are shown in each other's place, by size. */
export interface LodGroup {
  /** Index of the node of the finest level. */
  readonly base: number;
  /** By level, falling: from which share of the view's height on it is shown. */
  readonly sizes: readonly number[];
  /** Around the finest level, in the base's space: centre xyz, radius. */
  readonly sphere: readonly number[];
}

export interface NodeDescription {
  readonly name: string;
  /** Index of the parent, which comes earlier in `nodes`; −1 for a root. */
  readonly parent: number;
  /** 10 numbers: position xyz, rotation quaternion xyzw, scale xyz. */
  readonly transform: readonly number[];
  readonly primitives: readonly PrimitiveDescription[];
  /** Where the primitives are shown, 10 numbers each; without them, where the node is. */
  readonly instances?: Float32Array;
  readonly isHidden?: boolean;
  /** How much it shows of each morph target of its primitives. */
  readonly weights?: readonly number[];
  /** Index of what moves the vertices of its primitives. */
  readonly skin?: number;
  /** Of which level of detail it is a part; 0 is the finest. */
  readonly lod?: { readonly group: LodGroup; readonly level: number };
  readonly camera?: CameraDescription;
  readonly light?: LightDescription;
}

/** Angles in radians, lengths in metres. */
export type CameraDescription =
  | {
      readonly kind: 'perspective';
      readonly fovY: number;
      readonly near: number;
      readonly far: number;
      readonly aspect?: number;
    }
  | {
      readonly kind: 'orthographic';
      readonly halfWidth: number;
      readonly halfHeight: number;
      readonly near: number;
      readonly far: number;
    };

export interface LightDescription {
  readonly kind: 'directional' | 'point' | 'spot';
  /** Linear RGB. */
  readonly color: readonly [number, number, number];
  /** Lux for directional, candela otherwise. */
  readonly intensity: number;
  /** Metres; 0 = unlimited. */
  readonly range: number;
  readonly innerConeAngle: number;
  readonly outerConeAngle: number;
}

export interface GeometryDescription {
  readonly label: string;
  /** Bits of `VertexFormat`. */
  readonly vertexFormat: number;
  readonly topology: DrawnTopology;
  readonly vertexCount: number;
  readonly indexCount: number;
  /** Interleaved vertices (`vertex-format.ts`), then `indexCount` 32-bit indices. */
  readonly data: ArrayBuffer;
  readonly minimum: readonly [number, number, number];
  readonly maximum: readonly [number, number, number];
  /** Where vertices go with joints, by joint: centre and half extents of those that it moves; a negative extent: none. */
  readonly jointBoxes?: Float32Array;
  readonly morph?: MorphDescription;
}

/** The shapes that a geometry's vertices can be moved to. */
export interface MorphDescription {
  readonly names: readonly string[];
  /** Per target and vertex by how much, `size` floats: position, normal, and with 9 the tangent. */
  readonly deltas: ArrayBuffer;
  readonly size: 6 | 9;
  /** 6 floats per target: the least and the most that it moves a vertex by. */
  readonly boxes: Float32Array;
}

export interface MaterialTexture {
  readonly texture: number;
  readonly uvSet: 0 | 1;
  /** a b c d e f of `material-layout.ts`; omitted = identity. */
  readonly transform?: readonly number[];
}

/** A material with the parameters of all features. */
export interface MaterialDescription extends MaterialValues {
  readonly label: string;
  readonly alphaMode: 'opaque' | 'mask' | 'blend';
  readonly doubleSided: boolean;
  readonly unlit: boolean;
  readonly textures: Readonly<Partial<Record<TextureSlot, MaterialTexture>>>;
}

/** Each texture owns its image (one used in two colour spaces or samplers is decoded for each). */
export interface TextureDescription {
  readonly label: string;
  /** A decoded image (not premultiplied, no colour conversion), or texels as `texels` says. */
  readonly image: ImageBitmap | ArrayBuffer;
  /** `texels.ts`; default: RGBA8 rows from the top. */
  readonly texels?: number;
  /** The picture's file, from which it can be decoded again; textures of one picture share it. */
  readonly encoded?: Blob;
  readonly width: number;
  readonly height: number;
  readonly srgb: boolean;
  readonly sampler: SamplerDescription;
}

/** A request to the asset worker: everything is resolved to absolute URLs or bytes before it is sent. */
export type AssetSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'bytes'; readonly name: string; readonly bytes: ArrayBuffer | Blob }
  /** Several dropped files: one is the .gltf/.glb, the others are what it refers to, by name or relative path. */
  | {
      readonly kind: 'files';
      readonly files: readonly { readonly name: string; readonly bytes: ArrayBuffer | Blob }[];
    };

/** Pictures of a cube, of a file that was loaded: what `LevelEnvironment` holds. */
export interface CubePictures {
  readonly kind: 'environment-cube';
  /** Of the file. */
  readonly name: string;
  readonly place: string;
  readonly faces: readonly Blob[];
}

/** Bytes so far and in all (0 when unknown), over every file the source needs. */
export interface LoadProgress {
  readonly loadedBytes: number;
  readonly totalBytes: number;
}
