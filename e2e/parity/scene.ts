// A scene as plain data, so that this engine, three.js and the reference on the CPU draw exactly the same numbers.
// Units are metres and radians. The conventions are glTF's: right-handed, Y up, cameras look along −Z, lights have
// the units of KHR_lights_punctual, and factors of materials are linear.

export type Triple = readonly [number, number, number];

/** An indexed triangle list. */
export interface Shape {
  /** Three numbers per vertex. */
  readonly positions: readonly number[];
  /** Three numbers per vertex, of unit length. */
  readonly normals: readonly number[];
  /** Two numbers per vertex. (0, 0) is the top left of the image. */
  readonly uvs: readonly number[];
  /** Four numbers per vertex: the direction of u, and the sign of the bitangent. */
  readonly tangents: readonly number[];
  readonly indices: readonly number[];
}

/** An image that repeats in both directions and is filtered linearly. */
export interface Image {
  /** Width and height in pixels. */
  readonly size: number;
  /** RGBA8, row 0 at the top. */
  readonly data: Uint8Array;
  readonly hasMipLevels: boolean;
}

export interface ParityMaterial {
  readonly baseColor: readonly [number, number, number, number];
  readonly metallic: number;
  readonly roughness: number;
  /** Base colour in sRGB. Its alpha is linear. */
  readonly baseColorImage?: Image;
  /** Roughness in green, metallic in blue. */
  readonly metallicRoughnessImage?: Image;
  readonly normalImage?: Image;
  /** Alpha mode. Default: opaque. */
  readonly alphaMode?: 'mask' | 'blend';
  readonly alphaCutoff?: number;
}

export interface ParityMesh {
  readonly shape: Shape;
  readonly material: ParityMaterial;
  readonly position: Triple;
  /** Rotation as a unit quaternion. */
  readonly rotation: readonly [number, number, number, number];
  readonly scale: number;
  /** Whether the engines are given the shape's tangents. Otherwise they derive tangents for the normal image. */
  readonly givesTangents: boolean;
}

export interface ParityLight {
  readonly kind: 'directional' | 'point' | 'spot';
  readonly color: Triple;
  /** Lux for directional lights, candela for the others. */
  readonly intensity: number;
  /** Direction in which the light shines, of unit length. */
  readonly direction: Triple;
  readonly position: Triple;
  /** Distance at which the light ends, in metres. With 0 it never ends. */
  readonly range: number;
  readonly innerConeAngle: number;
  readonly outerConeAngle: number;
  /** Whether all meshes cast and receive shadows of this light. */
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
  /** Meshes in drawing order. Blended meshes are last, and the farthest of them is first. */
  readonly meshes: readonly ParityMesh[];
  /** Width and height of the picture. */
  readonly size: number;
  /** Background in sRGB, as `#rrggbb`. */
  readonly background: string;
}

/** A drawn picture: RGBA8, sRGB, row 0 at the top. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}
