/**
 * The layout of vertices in memory: interleaved 32-bit floats, except for joints, which have 16 bits each. Position,
 * normal and first texture coordinates always come first. The attributes of the format's bits follow in this order.
 * Strides are in bytes.
 *
 *   position xyz │ normal xyz │ uv0 xy │ [tangent xyzw] │ [uv1 xy] │ [colour rgba, linear] │ [4 joints, 4 weights]
 *
 * A shader declares every attribute. A missing attribute is read from a constant buffer of stride 0, so formats need no
 * shader variants. Points and lines may have no normals. Their normals are zero then, which the shaders treat as unlit,
 * as glTF requires.
 */
export enum VertexFormat {
  tangents = 1,
  uv1 = 2,
  colors = 4,
  joints = 8,
}

export const BASE_VERTEX_BYTES = 32;

/** Returns the bytes from one vertex to the next. */
export function vertexStride(format: number): number {
  return (
    BASE_VERTEX_BYTES +
    (format & VertexFormat.tangents ? 16 : 0) +
    (format & VertexFormat.uv1 ? 8 : 0) +
    (format & VertexFormat.colors ? 16 : 0) +
    (format & VertexFormat.joints ? 24 : 0)
  );
}

/** Returns the byte offset of an optional attribute within a vertex. `format` must have the attribute. */
export function vertexAttributeOffset(format: number, attribute: number): number {
  return BASE_VERTEX_BYTES + (vertexStride(format & (attribute - 1)) - BASE_VERTEX_BYTES);
}
