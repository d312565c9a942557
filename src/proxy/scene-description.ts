/**
 * A loaded file as plain data. The asset worker passes the description to the game, which creates a Level from it. All
 * parts are structured-cloneable; buffers and images are transferred. Indices refer to the arrays in the description.
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
  /** Names of the material variants. */
  readonly variants: readonly string[];
  readonly environment?: LevelEnvironment | undefined;
  /** Features of the file that were omitted, each as a sentence that names the feature. */
  readonly warnings: readonly string[];
}

/** A skin: the joints that move the vertices of a mesh. */
export interface SkinDescription {
  /** Indices of nodes. */
  readonly joints: readonly number[];
  /** 12 floats per joint: the 3 rows of the matrix from the mesh's space to the joint's. */
  readonly matrices: Float32Array;
}

/** An animation of a file; `clip.ts` has the layout of its numbers. */
export interface ClipDescription {
  readonly name: string;
  /** Duration in seconds. */
  readonly duration: number;
  /** Target of each track: index of a material for `ClipPath.material`, else index of a node. */
  readonly nodes: readonly number[];
  readonly tracks: Uint32Array;
  readonly floats: Float32Array;
}

/**
 * Layout of radiance in memory: linear RGBA in half floats, or blocks of BC6H. The order fixes the numbers in records.
 */
export const ENVIRONMENT_FORMATS = ['rgba16float', 'bc6h-rgb-ufloat', 'bc6h-rgb-float'] as const;
export type EnvironmentFormat = (typeof ENVIRONMENT_FORMATS)[number];

/** Radiance from all around, rows from the top: an equirectangular image, or the faces of a cube, +X −X +Y −Y +Z −Z. */
export interface EnvironmentImage {
  /** Texels of the image or of each face. */
  readonly width: number;
  readonly height: number;
  readonly faces: 1 | 6;
  readonly format: EnvironmentFormat;
  readonly data: ArrayBuffer;
}

/** An environment of a file, to be passed to `world.setEnvironment`, which decodes its images. */
export interface LevelEnvironment {
  readonly name: string;
  /** Factor on the radiance, from 0 to a million. */
  readonly intensity: number;
  /** Quaternion xyzw of unit length, from a direction in the scene to the direction in the images. */
  readonly rotation: readonly number[];
  /** Files of the images: +X −X +Y −Y +Z −Z, oriented as in EXT_lights_image_based. */
  readonly faces: readonly Blob[];
  /** Name of the file that holds the environment, for messages. */
  readonly file: string;
  /** Path of the environment within the file, for messages. */
  readonly place: string;
}

interface PrimitiveDescription {
  readonly geometry: number;
  readonly material: number;
  /** Materials by variant, for the variants that replace the default material. */
  readonly variants?: ReadonlyMap<number, number>;
}

/** Returns the number of places in which a node shows its primitives. */
export const placeCount = ({ instances }: Pick<NodeDescription, 'instances'>): number =>
  instances ? instances.length / 10 : 1;

/** Levels of detail: a group of nodes. Their size in the view decides which one of the nodes is visible. */
export interface LodGroup {
  /** Index of the node of the finest level. */
  readonly base: number;
  /** Minimum size of each level as a fraction of the view's height, in falling order. */
  readonly sizes: readonly number[];
  /** Sphere around the finest level, in the base's space: centre xyz, radius. */
  readonly sphere: readonly number[];
}

export interface NodeDescription {
  readonly name: string;
  /** Index of the parent, which comes earlier in `nodes`; −1 for a root. */
  readonly parent: number;
  /** 10 numbers: position xyz, rotation quaternion xyzw, scale xyz. */
  readonly transform: readonly number[];
  readonly primitives: readonly PrimitiveDescription[];
  /**
   * Transforms of the primitives' instances, 10 numbers each. A node without instances shows its primitives at its own
   * place.
   */
  readonly instances?: Float32Array;
  readonly isHidden?: boolean;
  /** Weights of the morph targets of the node's primitives. */
  readonly weights?: readonly number[];
  /** Index of the skin of the node's primitives. */
  readonly skin?: number;
  /** The level of detail to which the node belongs; 0 is the finest. */
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
  /** Lux for directional lights, candela for others. */
  readonly intensity: number;
  /** Metres; 0 is unlimited. */
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
  /**
   * For geometries with joints, by joint: centre and half extents of the vertices that the joint moves. A negative
   * extent means that the joint moves none.
   */
  readonly jointBoxes?: Float32Array;
  readonly morph?: MorphDescription;
}

/** The morph targets of a geometry. */
export interface MorphDescription {
  readonly names: readonly string[];
  /** Offsets, `size` floats per target and vertex: position and normal (6), or also the tangent (9). */
  readonly deltas: ArrayBuffer;
  readonly size: 6 | 9;
  /** 6 floats per target: minimum and maximum of the offsets of positions. */
  readonly boxes: Float32Array;
}

export interface MaterialTexture {
  readonly texture: number;
  readonly uvSet: 0 | 1;
  /** a b c d e f of `material-layout.ts`; default: identity. */
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

/**
 * A texture. Each texture owns its image. An image that is used in two colour spaces or with two samplers is decoded
 * twice.
 */
export interface TextureDescription {
  readonly label: string;
  /** A decoded image (not premultiplied, without colour conversion), or texels in the layout `texels`. */
  readonly image: ImageBitmap | ArrayBuffer;
  /** Layout of the texels (`texels.ts`). Default: RGBA8 rows from the top. */
  readonly texels?: number;
  /** The image's file, from which the image can be decoded again. Textures with the same image share the file. */
  readonly encoded?: Blob;
  readonly width: number;
  readonly height: number;
  readonly srgb: boolean;
  readonly sampler: SamplerDescription;
}

/** A request to the asset worker. All sources are resolved to absolute URLs or bytes before the request is sent. */
export type AssetSource =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'bytes'; readonly name: string; readonly bytes: ArrayBuffer | Blob }
  /** Several dropped files: one .gltf or .glb, and the files that it refers to by name or relative path. */
  | {
      readonly kind: 'files';
      readonly files: readonly { readonly name: string; readonly bytes: ArrayBuffer | Blob }[];
    };

/** Images of the faces of a cube, from a loaded file's `LevelEnvironment`. */
export interface CubePictures {
  readonly kind: 'environment-cube';
  /** Name of the file. */
  readonly name: string;
  readonly place: string;
  readonly faces: readonly Blob[];
}

/** Bytes loaded so far, and bytes in total (0 if unknown), of all files that the source needs. */
export interface LoadProgress {
  readonly loadedBytes: number;
  readonly totalBytes: number;
}
