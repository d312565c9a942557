/**
 * Makes a capture of three frames in the page, with `fencepost/rhi` alone. The frames show a ring of lit boxes over a
 * background. The boxes are multisampled and use a depth buffer. The background is drawn into its own texture.
 */
import { BufferUsage, createRhi, FrameFlag, RhiCapture, ShaderStage, TextureUsage } from '../src/rhi.js';

const WIDTH = 480;
const HEIGHT = 320;
const BOXES = 9;

const code = /* wgsl */ `
struct Box { position: vec4f, color: vec4f }
struct Varying { @builtin(position) position: vec4f, @location(0) color: vec3f }
@group(0) @binding(0) var<storage, read> boxes: array<Box>;

const faces = array(vec3f(1, 0, 0), vec3f(0, 1, 0), vec3f(0, 0, 1));

@vertex fn box(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Varying {
  let corner = array(vec2f(-1, -1), vec2f(1, -1), vec2f(-1, 1), vec2f(-1, 1), vec2f(1, -1), vec2f(1, 1))[index % 6];
  let axis = index / 12;
  let side = f32((index / 6) % 2) * 2 - 1;
  let normal = faces[axis] * side;
  let point = normal + faces[(axis + 1) % 3] * corner.x + faces[(axis + 2) % 3] * corner.y;
  let turn = boxes[instance].position.w;
  let spun = vec3f(point.x * cos(turn) + point.z * sin(turn), point.y, point.z * cos(turn) - point.x * sin(turn));
  let world = spun * 0.55 + boxes[instance].position.xyz;
  let eye = vec3f(world.x, world.y * 0.9 - world.z * 0.43, world.z * 0.9 + world.y * 0.43 + 7);
  let light = vec3f(normal.x * cos(turn) + normal.z * sin(turn), normal.y, normal.z * cos(turn) - normal.x * sin(turn));
  let shade = 0.35 + 0.65 * max(dot(light, normalize(vec3f(-0.5, 0.8, -0.6))), 0);
  return Varying(vec4f(eye.x * 1.2, eye.y * 1.8, (eye.z - 1) * 1.1, eye.z), boxes[instance].color.rgb * shade);
}
@fragment fn lit(in: Varying) -> @location(0) vec4f { return vec4f(in.color, 1); }

@group(0) @binding(0) var backdrop: texture_2d<f32>;
@vertex fn screen(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(f32(i / 2) * 4 - 1, f32(i % 2) * 4 - 1, 1, 1);
}
@fragment fn sky(@builtin(position) at: vec4f) -> @location(0) vec4f {
  return vec4f(mix(vec3f(0.17, 0.14, 0.33), vec3f(0.05, 0.04, 0.12), at.y / ${HEIGHT}), 1);
}
@fragment fn show(@builtin(position) at: vec4f) -> @location(0) vec4f { return textureLoad(backdrop, vec2u(at.xy), 0); }
`;

export async function captureSample(device: GPUDevice): Promise<ArrayBuffer> {
  const errors: unknown[] = [];
  const rhi = createRhi({ device, onError: (error) => errors.push(error) });
  const { context, capabilities } = rhi;
  const capture = new RhiCapture(rhi);
  const format = capabilities.surfaceFormat;
  const size = { width: WIDTH, height: HEIGHT };
  const { renderAttachment, textureBinding } = TextureUsage;
  const viewport = context.createViewportTarget('canvas');
  const samples = context.createTexture({
    label: 'samples',
    ...size,
    sampleCount: 4,
    format,
    usage: renderAttachment,
  });
  const depth = context.createTexture({
    label: 'depth',
    ...size,
    sampleCount: 4,
    format: 'depth24plus',
    usage: renderAttachment,
  });
  const backdrop = context.createTexture({
    label: 'backdrop',
    ...size,
    format,
    usage: renderAttachment | textureBinding,
  });
  const boxes = context.createBuffer({
    label: 'boxes',
    byteLength: BOXES * 32,
    usage: BufferUsage.storage | BufferUsage.copyTarget,
  });
  const module = context.createShaderModule({ label: 'sample', code });
  const boxLayout = context.createBindGroupLayout({
    label: 'boxes',
    entries: [{ binding: 0, visibility: ShaderStage.vertex, buffer: { type: 'read-only-storage' } }],
  });
  const backdropLayout = context.createBindGroupLayout({
    label: 'backdrop',
    entries: [{ binding: 0, visibility: ShaderStage.fragment, texture: {} }],
  });
  const depthStencil = (isWritten: boolean): GPUDepthStencilState => ({
    format: 'depth24plus',
    depthWriteEnabled: isWritten,
    depthCompare: isWritten ? 'less' : 'always',
  });
  const targets = [{ format }];
  const sky = context.createGraphicsPipeline({
    label: 'sky',
    bindGroupLayouts: [],
    vertex: { module, entryPoint: 'screen' },
    fragment: { module, entryPoint: 'sky', targets },
  });
  const show = context.createGraphicsPipeline({
    label: 'show backdrop',
    bindGroupLayouts: [backdropLayout],
    vertex: { module, entryPoint: 'screen' },
    fragment: { module, entryPoint: 'show', targets },
    depthStencil: depthStencil(false),
    multisample: { count: 4 },
  });
  const lit = context.createGraphicsPipeline({
    label: 'lit boxes',
    bindGroupLayouts: [boxLayout],
    vertex: { module, entryPoint: 'box' },
    fragment: { module, entryPoint: 'lit', targets },
    depthStencil: depthStencil(true),
    multisample: { count: 4 },
  });
  const boxGroup = context.createBindGroup({
    label: 'boxes',
    layout: boxLayout,
    entries: [{ binding: 0, buffer: boxes }],
  });
  const backdropGroup = context.createBindGroup({
    label: 'backdrop',
    layout: backdropLayout,
    entries: [{ binding: 0, view: { texture: backdrop } }],
  });
  const clear = { loadOp: 'clear', storeOp: 'store' } as const;

  capture.start();
  for (let frame = 1; frame <= 3; frame++) {
    context.beginFrame(frame, FrameFlag.waitForPipelines);
    context.writeBuffer(boxes, 0, placeBoxes(frame * 0.3));
    context.beginRenderPass({ label: 'sky', colorAttachments: [{ view: { texture: backdrop }, ...clear }] });
    context.setGraphicsPipeline(sky);
    context.draw(3);
    context.endRenderPass();
    context.beginDrawingViewport(viewport, WIDTH, HEIGHT);
    context.beginRenderPass({
      label: 'main',
      colorAttachments: [
        {
          view: { texture: samples },
          resolveTarget: { texture: viewport },
          loadOp: 'clear',
          storeOp: 'discard',
        },
      ],
      depthStencilAttachment: {
        view: { texture: depth },
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
        depthClearValue: 1,
      },
    });
    context.setGraphicsPipeline(show);
    context.setBindGroup(0, backdropGroup);
    context.draw(3);
    context.setGraphicsPipeline(lit);
    context.setBindGroup(0, boxGroup);
    for (let box = 0; box < BOXES; box++) context.draw(36, 1, 0, box);
    context.endRenderPass();
    context.endDrawingViewport(viewport);
    context.endFrame();
  }
  await rhi.flush();
  try {
    const file = await capture.stop();
    if (errors.length > 0) throw errors[0];
    return file;
  } finally {
    capture.dispose();
    rhi.dispose();
  }
}

/** Returns position, angle and colour of each box. */
function placeBoxes(time: number): Float32Array {
  const data = new Float32Array(BOXES * 8);
  for (let box = 0; box < BOXES; box++) {
    const share = box / BOXES;
    const angle = share * 2 * Math.PI + time;
    const hue = share * 2 * Math.PI;
    data.set(
      [Math.cos(angle) * 2.6, Math.sin(angle * 2) * 0.35, Math.sin(angle) * 2.6, time * 2 + box],
      box * 8,
    );
    data.set(
      [0.62 + 0.38 * Math.cos(hue), 0.55 + 0.3 * Math.cos(hue - 2), 0.6 + 0.4 * Math.cos(hue + 2), 1],
      box * 8 + 4,
    );
  }
  return data;
}
