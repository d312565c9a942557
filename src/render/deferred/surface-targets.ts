import type { GraphTexture, GraphTextureDescriptor, PassBuilder } from '../../graph/graph-pass.js';
import { SCENE_COLOR_FORMAT } from '../keys/display-colors.js';
import type { SceneTargets } from '../views/scene-targets.js';

/**
 * Formats of the targets that surfaces are written to, besides scene colour: base colour, normals, material
 * (`shaders/surfaces.wgsl`).
 */
const SURFACE_FORMATS = ['rgb10a2unorm', 'rgba16uint', 'rgba16uint'] as const;
const NAMES = ['base colour', 'normals', 'material'] as const;

/**
 * Targets of the pipelines that write surfaces. WebGPU counts them as 32 bytes per sample, the limit that
 * every device guarantees.
 */
export const SURFACE_TARGETS: readonly GPUColorTargetState[] = (
  [SCENE_COLOR_FORMAT, ...SURFACE_FORMATS] as const
).map((format) => ({ format }));

/** Targets that hold the surfaces of a view, from the pass that writes them to the pass that lights them. */
export class SurfaceTargets {
  /** Newest versions in this frame of base colour, normals and material. */
  readonly textures: GraphTexture[] = [];
  #descriptors: readonly GraphTextureDescriptor[] = [];

  readonly #scene: SceneTargets;
  readonly #suffix: string;

  constructor(scene: SceneTargets, suffix: string) {
    this.#scene = scene;
    this.#suffix = suffix;
  }

  /** Per frame: adopts the size of the scene's targets. */
  resize(): void {
    const { width, height } = this.#scene;
    const [first] = this.#descriptors;
    if (first?.width === width && first.height === height) return;
    this.#descriptors = SURFACE_FORMATS.map((format, index) => ({
      name: `${NAMES[index]}${this.#suffix}`,
      width,
      height,
      format,
    }));
  }

  /** Creates and attaches the targets, in the set-up of the pass that writes the surfaces. */
  attach(builder: PassBuilder): void {
    for (let index = 0; index < this.#descriptors.length; index++) {
      const texture = builder.createTexture(this.#descriptors[index] as GraphTextureDescriptor);
      this.textures[index] = builder.color(texture);
    }
  }
}
