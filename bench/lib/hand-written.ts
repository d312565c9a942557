/**
 * The common part of both hand-written WebGPU scenes: device, canvas, 4× MSAA targets, one box, and a small
 * metallic-roughness shader. The shader (GGX, one directional light) costs about as much per pixel as Fencepost's.
 * Matrices are composed from position and quaternion in the usual way.
 */
import {
  COLORS,
  FOV_Y,
  type Layout,
  LIGHT_DIRECTION,
  LIGHT_INTENSITY,
  METALLIC,
  ROUGHNESS,
} from './scene.js';

export const SAMPLE_COUNT = 4;
export const INDEX_COUNT = 36;
export const DEPTH_FORMAT = 'depth24plus';

/** WGSL, to be placed after a declaration of `fn worldFromLocal(instance: u32) -> mat4x4f`. */
export const LIT_SHADER = /* wgsl */ `
struct View { clipFromWorld: mat4x4f, cameraPosition: vec4f, lightDirection: vec4f }
struct Material { color: vec4f, metallic: f32, roughness: f32 }
@group(0) @binding(0) var<uniform> view: View;
@group(1) @binding(0) var<uniform> material: Material;
struct Varyings { @builtin(position) clip: vec4f, @location(0) world: vec3f, @location(1) normal: vec3f }

@vertex fn vertexMain(
  @builtin(instance_index) instance: u32, @location(0) position: vec3f, @location(1) normal: vec3f
) -> Varyings {
  let transform = worldFromLocal(instance);
  let world = transform * vec4f(position, 1.0);
  return Varyings(view.clipFromWorld * world, world.xyz, (transform * vec4f(normal, 0.0)).xyz);
}

@fragment fn fragmentMain(in: Varyings) -> @location(0) vec4f {
  let n = normalize(in.normal);
  let v = normalize(view.cameraPosition.xyz - in.world);
  let l = -view.lightDirection.xyz;
  let h = normalize(v + l);
  let nl = saturate(dot(n, l));
  let nv = max(dot(n, v), 1e-4);
  let nh = saturate(dot(n, h));
  let a = material.roughness * material.roughness;
  let a2 = a * a;
  let d = a2 / (3.14159265 * pow(nh * nh * (a2 - 1.0) + 1.0, 2.0));
  let g = 0.5 / (nl * sqrt(nv * nv * (1.0 - a2) + a2) + nv * sqrt(nl * nl * (1.0 - a2) + a2) + 1e-6);
  let f0 = mix(vec3f(0.04), material.color.rgb, material.metallic);
  let f = f0 + (1.0 - f0) * pow(1.0 - saturate(dot(v, h)), 5.0);
  let diffuse = (1.0 - f) * (1.0 - material.metallic) * material.color.rgb / 3.14159265;
  let linear = (diffuse + f * d * g) * nl * view.lightDirection.w;
  return vec4f(pow(saturate(linear), vec3f(1.0 / 2.2)), 1.0);
}`;

export interface Gpu {
  readonly device: GPUDevice;
  readonly context: GPUCanvasContext;
  readonly format: GPUTextureFormat;
  readonly color: GPUTextureView;
  readonly depth: GPUTextureView;
}

export async function openGpu(canvas: HTMLCanvasElement): Promise<Gpu> {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter?.requestDevice();
  const context = canvas.getContext('webgpu');
  if (!device || !context) throw new Error('No WebGPU.');
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format, alphaMode: 'opaque' });
  const target = (targetFormat: GPUTextureFormat) =>
    device
      .createTexture({
        size: [canvas.width, canvas.height],
        sampleCount: SAMPLE_COUNT,
        format: targetFormat,
        usage: GPUTextureUsage.RENDER_ATTACHMENT,
      })
      .createView();
  return { device, context, format, color: target(format), depth: target(DEPTH_FORMAT) };
}

export function beginPass(gpu: Gpu, encoder: GPUCommandEncoder): GPURenderPassEncoder {
  return encoder.beginRenderPass({
    colorAttachments: [
      {
        view: gpu.color,
        resolveTarget: gpu.context.getCurrentTexture().createView(),
        clearValue: [0, 0, 0, 1],
        loadOp: 'clear',
        storeOp: 'discard',
      },
    ],
    depthStencilAttachment: {
      view: gpu.depth,
      depthClearValue: 1,
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
    },
  });
}

export function bufferWith(device: GPUDevice, usage: number, data: Float32Array | Uint16Array): GPUBuffer {
  const buffer = device.createBuffer({ size: data.byteLength, usage, mappedAtCreation: true });
  const range = buffer.getMappedRange();
  if (data instanceof Float32Array) new Float32Array(range).set(data);
  else new Uint16Array(range).set(data);
  buffer.unmap();
  return buffer;
}

/** Creates a unit box: 24 vertices of position and normal. */
export function createBox(device: GPUDevice): { vertices: GPUBuffer; indices: GPUBuffer } {
  const vertices = new Float32Array(24 * 6);
  const indices = new Uint16Array(INDEX_COUNT);
  for (let face = 0; face < 6; face++) {
    const axis = face >> 1;
    const sign = face & 1 ? -1 : 1;
    for (let corner = 0; corner < 4; corner++) {
      const offset = (face * 4 + corner) * 6;
      vertices[offset + axis] = sign / 2;
      vertices[offset + ((axis + 1) % 3)] = (corner & 1 ? 1 : -1) / 2;
      vertices[offset + ((axis + 2) % 3)] = (corner & 2 ? 1 : -1) / 2;
      vertices[offset + 3 + axis] = sign;
    }
    const first = face * 4;
    const order = sign > 0 ? [0, 1, 3, 0, 3, 2] : [0, 3, 1, 0, 2, 3];
    for (let i = 0; i < 6; i++) indices[face * 6 + i] = first + (order[i] as number);
  }
  return {
    vertices: bufferWith(device, GPUBufferUsage.VERTEX, vertices),
    indices: bufferWith(device, GPUBufferUsage.INDEX, indices),
  };
}

export function createLitPipeline(
  gpu: Gpu,
  declarations: string,
  layouts: GPUBindGroupLayout[],
): GPURenderPipeline {
  const { device } = gpu;
  const module = device.createShaderModule({ code: declarations + LIT_SHADER });
  return device.createRenderPipeline({
    layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
    vertex: {
      module,
      buffers: [
        {
          arrayStride: 24,
          attributes: [
            { shaderLocation: 0, offset: 0, format: 'float32x3' },
            { shaderLocation: 1, offset: 12, format: 'float32x3' },
          ],
        },
      ],
    },
    fragment: { module, targets: [{ format: gpu.format }] },
    primitive: { cullMode: 'back' },
    depthStencil: { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'less' },
    multisample: { count: SAMPLE_COUNT },
  });
}

/**
 * Returns `clipFromWorld` (16 floats) of a camera at `cameraPosition` that looks at the origin. The camera's position
 * and the light's direction and intensity follow, in the layout of `LIT_SHADER`.
 */
export function viewData(
  cameraPosition: readonly [number, number, number],
  near: number,
  far: number,
  aspect = 1,
  depth: 'forward' | 'reversed' = 'forward',
): Float32Array {
  const [ex, ey, ez] = cameraPosition;
  const distance = Math.hypot(ex, ey, ez);
  // Camera axes in world space: z points from the target to the camera.
  const z = [ex / distance, ey / distance, ez / distance] as const;
  const sideways = Math.hypot(z[2], z[0]);
  const x = [z[2] / sideways, 0, -z[0] / sideways] as const;
  const y = [z[1] * x[2], z[2] * x[0] - z[0] * x[2], -z[1] * x[0]] as const;
  const f = 1 / Math.tan(FOV_Y / 2);
  const a = depth === 'forward' ? far / (near - far) : near / (far - near);
  const b = depth === 'forward' ? near * a : far * a;
  const data = new Float32Array(24);
  for (let column = 0; column < 3; column++) {
    data[column * 4] = ((x[column] as number) * f) / aspect;
    data[column * 4 + 1] = (y[column] as number) * f;
    data[column * 4 + 2] = (z[column] as number) * a;
    data[column * 4 + 3] = -(z[column] as number);
  }
  data[14] = -distance * a + b;
  data[15] = distance;
  data.set(cameraPosition, 16);
  const length = Math.hypot(...LIGHT_DIRECTION);
  data.set([...LIGHT_DIRECTION.map((value) => value / length), LIGHT_INTENSITY], 20);
  return data;
}

export function viewOf(layout: Layout): Float32Array {
  return viewData(layout.cameraPosition, layout.near, layout.far);
}

export function materialData(index: number): Float32Array {
  const color = COLORS[index % COLORS.length] as readonly number[];
  return new Float32Array([...color, 1, METALLIC, ROUGHNESS, 0, 0]);
}

/** Writes worldFromLocal (4×4, column-major, unit scale) at `offset` (floats). Runs per box; allocates nothing. */
export function composeMatrix(
  out: Float32Array,
  offset: number,
  x: number,
  y: number,
  z: number,
  qx: number,
  qy: number,
  qz: number,
  qw: number,
): void {
  const x2 = qx + qx;
  const y2 = qy + qy;
  const z2 = qz + qz;
  const xx = qx * x2;
  const xy = qx * y2;
  const xz = qx * z2;
  const yy = qy * y2;
  const yz = qy * z2;
  const zz = qz * z2;
  const wx = qw * x2;
  const wy = qw * y2;
  const wz = qw * z2;
  out[offset] = 1 - (yy + zz);
  out[offset + 1] = xy + wz;
  out[offset + 2] = xz - wy;
  out[offset + 3] = 0;
  out[offset + 4] = xy - wz;
  out[offset + 5] = 1 - (xx + zz);
  out[offset + 6] = yz + wx;
  out[offset + 7] = 0;
  out[offset + 8] = xz + wy;
  out[offset + 9] = yz - wx;
  out[offset + 10] = 1 - (xx + yy);
  out[offset + 11] = 0;
  out[offset + 12] = x;
  out[offset + 13] = y;
  out[offset + 14] = z;
  out[offset + 15] = 1;
}
