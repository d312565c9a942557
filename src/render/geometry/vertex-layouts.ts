import { VertexFormat, vertexAttributeOffset, vertexStride } from '../../proxy/geometry/vertex-format.js';

/** Default values for missing attributes, 48 bytes: tangent, second texture coordinates, padding, colour. */
export const DEFAULT_ATTRIBUTES = /* @__PURE__ */ new Float32Array([0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1]);

/**
 * Returns the layouts of two buffers. Buffer 0 holds the vertices. Buffer 1, of stride 0, holds default
 * values for attributes that the format lacks.
 */
export function vertexBufferLayouts(vertexFormat: number): GPUVertexBufferLayout[] {
  const own: GPUVertexAttribute[] = [
    { shaderLocation: 0, offset: 0, format: 'float32x3' },
    { shaderLocation: 1, offset: 12, format: 'float32x3' },
    { shaderLocation: 2, offset: 24, format: 'float32x2' },
  ];
  const constant: GPUVertexAttribute[] = [];
  const add = (bit: number, shaderLocation: number, format: GPUVertexFormat, constantOffset: number) => {
    if (vertexFormat & bit)
      own.push({ shaderLocation, offset: vertexAttributeOffset(vertexFormat, bit), format });
    else constant.push({ shaderLocation, offset: constantOffset, format });
  };
  add(VertexFormat.tangents, 3, 'float32x4', 0);
  add(VertexFormat.uv1, 4, 'float32x2', 16);
  add(VertexFormat.colors, 5, 'float32x4', 32);
  // Only shaders that apply joints declare these attributes.
  if (vertexFormat & VertexFormat.joints) {
    const offset = vertexAttributeOffset(vertexFormat, VertexFormat.joints);
    own.push({ shaderLocation: 6, offset, format: 'uint16x4' });
    own.push({ shaderLocation: 7, offset: offset + 8, format: 'float32x4' });
  }
  return [
    { arrayStride: vertexStride(vertexFormat), attributes: own },
    { arrayStride: 0, attributes: constant },
  ];
}
