import {
  type RenderPassDescriptor,
  type TextureHandle,
  TextureUsage,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';
import { SCENE_COLOR_FORMAT } from '../pipeline-cache.js';
import type { SceneTargets } from '../scene-targets.js';

/** What surfaces are written to beside scene colour: base colour, normals, material (`shaders/surfaces.wgsl`). */
const SURFACE_FORMATS = ['rgb10a2unorm', 'rgba16uint', 'rgba16uint'] as const;
const LABELS = ['base colour', 'normals', 'material'] as const;

/** Of the pipelines that write surfaces. Together they have the 32 bytes that WebGPU lets every device have. */
export const SURFACE_TARGETS: readonly GPUColorTargetState[] = (
  [SCENE_COLOR_FORMAT, ...SURFACE_FORMATS] as const
).map((format) => ({ format }));

type ColorAttachment = RenderPassDescriptor['colorAttachments'][number];

/**
 * Where the surfaces of a view are written, and the passes over them and the scene's targets:
 *
 *   background ─► surfaces ─► lighting ─► rest
 *   the sky       emission,   adds to     what is blended or unlit
 *                 numbers     the colour
 */
export class SurfaceTargets {
  /** Base colour, normals, material. */
  textures: TextureHandle[] = [];
  /** Rises whenever they are others. */
  version = 0;
  background!: RenderPassDescriptor;
  surfaces!: RenderPassDescriptor;
  lighting!: RenderPassDescriptor;
  rest!: RenderPassDescriptor;
  #sceneVersion = -1;
  #hasBackground = false;

  readonly #rhi: ImmediateContext;
  readonly #scene: SceneTargets;

  constructor(rhi: ImmediateContext, scene: SceneTargets) {
    this.#rhi = rhi;
    this.#scene = scene;
  }

  /** Per frame, outside passes. @param hasBackground whether the pass `background` is recorded */
  update(hasBackground: boolean): void {
    const isResized = this.#scene.version !== this.#sceneVersion;
    if (!isResized && hasBackground === this.#hasBackground) return;
    this.#hasBackground = hasBackground;
    if (isResized) this.#resize();
    this.#describePasses(hasBackground);
  }

  dispose(): void {
    for (const texture of this.textures) this.#rhi.destroy(texture);
    this.textures = [];
    this.#sceneVersion = -1;
  }

  #resize(): void {
    this.dispose();
    const { width, height, version } = this.#scene;
    this.#sceneVersion = version;
    this.version++;
    this.textures = SURFACE_FORMATS.map((format, index) =>
      this.#rhi.createTexture({
        label: LABELS[index] as string,
        width,
        height,
        format,
        usage: TextureUsage.renderAttachment | TextureUsage.textureBinding,
      }),
    );
  }

  #describePasses(hasBackground: boolean): void {
    const { color, unmappedColor, depth } = this.#scene;
    const attach = (texture: TextureHandle, isCleared: boolean): ColorAttachment => ({
      view: { texture },
      storeOp: 'store',
      ...(isCleared ? { loadOp: 'clear', clearValue: [0, 0, 0, 0] } : { loadOp: 'load' }),
    });
    const sceneColors = (isFirst: boolean, isUnmappedFirst: boolean): ColorAttachment[] => [
      attach(color, isFirst),
      ...(unmappedColor === undefined ? [] : [attach(unmappedColor, isUnmappedFirst)]),
    ];
    const clearedDepth = { view: { texture: depth }, depthLoadOp: 'clear', depthClearValue: 0 } as const;
    this.background = {
      label: 'background',
      colorAttachments: sceneColors(true, true),
      depthStencilAttachment: { ...clearedDepth, depthStoreOp: 'discard' },
    };
    this.surfaces = {
      label: 'surfaces',
      colorAttachments: [
        attach(color, !hasBackground),
        ...this.textures.map((texture) => attach(texture, true)),
      ],
      depthStencilAttachment: { ...clearedDepth, depthStoreOp: 'store' },
    };
    this.lighting = { label: 'lighting', colorAttachments: [attach(color, false)] };
    this.rest = {
      label: 'scene',
      colorAttachments: sceneColors(false, !hasBackground),
      depthStencilAttachment: { view: { texture: depth }, depthLoadOp: 'load', depthStoreOp: 'discard' },
    };
  }
}
