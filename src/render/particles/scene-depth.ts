import type {
  BindGroupHandle,
  BindGroupLayoutHandle,
  TextureHandle,
} from '../../rhi/commands/descriptors.js';
import type { ImmediateContext } from '../../rhi/record/immediate-context.js';

/** Returns WGSL that declares the depth of a scene in binding 0. @param group its bind group */
export const declareSceneDepth = (group: number, sampleCount: number): string => `
@group(${group}) @binding(0) var sceneDepth: texture_depth_${sampleCount > 1 ? 'multisampled_' : ''}2d;
`;

/** Bind group with the depth of a view's scene, which soft particles read. */
export class DepthBinding {
  group: BindGroupHandle | undefined;
  /** Layout and texture of the group. */
  #layout: BindGroupLayoutHandle | undefined;
  #texture: TextureHandle | undefined;
  readonly #rhi: ImmediateContext;

  constructor(rhi: ImmediateContext) {
    this.#rhi = rhi;
  }

  /** Per frame: creates the group again if the texture was replaced. */
  update(layout: BindGroupLayoutHandle, texture: TextureHandle): void {
    if (layout === this.#layout && texture === this.#texture) return;
    this.dispose();
    this.#layout = layout;
    this.#texture = texture;
    const entries = [{ binding: 0, view: { texture } }];
    this.group = this.#rhi.createBindGroup({ label: 'particles, depth', layout, entries });
  }

  dispose(): void {
    this.#rhi.destroy(this.group);
    this.group = this.#layout = this.#texture = undefined;
  }
}
