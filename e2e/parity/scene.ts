// A scene as plain data, so that this engine, three.js and the reference on the CPU draw exactly the same numbers.
// Metres, radians, glTF's conventions: right-handed, Y up, cameras look along −Z, lights in the units of
// KHR_lights_punctual, factors of materials linear.

export type Triple = readonly [number, number, number];

/** An indexed triangle list. */
export interface Shape {
  /** 3 per vertex. */
  readonly positions: readonly number[];
  /** 3 per vertex, unit length. */
  readonly normals: readonly number[];
  /** 2 per vertex, (0, 0) at the top left of the image. */
  readonly uvs: readonly number[];
  /** 4 per vertex: direction of u, and the sign of the bitangent. */
  readonly tangents: readonly number[];
  readonly indices: readonly number[];
}

/** Repeats in both directions and is filtered linearly. */
export interface Image {
  /** Width and height, pixels. */
  readonly size: number;
  /** RGBA8, row 0 at the top. */
  readonly data: Uint8Array;
  readonly hasMipLevels: boolean;
}

export interface ParityMaterial {
  readonly baseColor: readonly [number, number, number, number];
  readonly metallic: number;
  readonly roughness: number;
  /** sRGB, alpha linear. */
  readonly baseColorImage?: Image;
  /** Roughness in green, metallic in blue. */
  readonly metallicRoughnessImage?: Image;
  readonly normalImage?: Image;
  /** Default opaque. */
  readonly alphaMode?: 'mask' | 'blend';
  readonly alphaCutoff?: number;
}

export interface ParityMesh {
  readonly shape: Shape;
  readonly material: ParityMaterial;
  readonly position: Triple;
  /** Unit quaternion. */
  readonly rotation: readonly [number, number, number, number];
  readonly scale: number;
  /** False: the engines have to find the tangents of the normal image by themselves. */
  readonly givesTangents: boolean;
}

export interface ParityLight {
  readonly kind: 'directional' | 'point' | 'spot';
  readonly color: Triple;
  /** Lux for directional lights, candela for the others. */
  readonly intensity: number;
  /** Where the light goes; unit length. */
  readonly direction: Triple;
  readonly position: Triple;
  /** 0: never fades to nothing. */
  readonly range: number;
  readonly innerConeAngle: number;
  readonly outerConeAngle: number;
  /** All meshes cast shadows then, and shadows fall on them. */
  readonly castsShadow: boolean;
}

export interface ParityScene {
  readonly name: string;
  readonly camera: {
    readonly position: Triple;
    readonly target: Triple;
    readonly fovY: number;
    readonly near: number;
    readonly far: number;
  };
  readonly lights: readonly ParityLight[];
  /** Blended meshes stand last, the farthest first. */
  readonly meshes: readonly ParityMesh[];
  /** Width and height of the picture. */
  readonly size: number;
  /** sRGB, `#rrggbb`. */
  readonly background: string;
}

/** What was drawn: RGBA8, sRGB, row 0 at the top. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}
