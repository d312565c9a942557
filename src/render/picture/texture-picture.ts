import type { FrameGraph } from '../../graph/frame-graph.js';
import type { GraphPass, GraphTexture, GraphTextureDescriptor, PassBuilder } from '../../graph/graph-pass.js';
import type { ImageTextures, Texture, TextureTarget } from '../textures/image-textures.js';
import { PicturePass } from './picture-pass.js';
import type { ViewInfo } from './view-info.js';

/** Format of render textures. */
const RENDER_TEXTURE_FORMAT = 'rgba8unorm-srgb';

/**
 * Draws the mip levels of a texture that views were drawn into. The pass begins its own render passes, so its
 * kind is not `raster`.
 */
class MipmapPass implements GraphPass {
  readonly name: string;
  readonly kind = 'copy';
  /** The target's newest version in this frame. */
  target!: GraphTexture;
  draw: () => void = () => {};

  constructor(name: string) {
    this.name = name;
  }

  setup(builder: PassBuilder): void {
    builder.modify(this.target, 'copy-target');
  }

  execute(): void {
    this.draw();
  }
}

/**
 * A texture that views are drawn into. Its passes draw the views' scenes, then their pictures in order, then the mip
 * levels.
 */
export class TexturePicture {
  /** Views of this frame, in order. */
  readonly views: ViewInfo[] = [];
  readonly picture: PicturePass;
  readonly #mipmaps: MipmapPass;
  readonly #texture: number;
  /** Target for which the descriptor was created. */
  #target: TextureTarget | undefined;
  #descriptor: GraphTextureDescriptor;

  /** @param texture id of the texture */
  constructor(texture: number) {
    const name = `texture ${texture}`;
    this.#texture = texture;
    this.#descriptor = { name, width: 0, height: 0, format: RENDER_TEXTURE_FORMAT };
    this.picture = new PicturePass(`tone mapping, ${name}`, this.views, RENDER_TEXTURE_FORMAT);
    this.#mipmaps = new MipmapPass(`mip levels of ${name}`);
  }

  /** Adds the passes. @param images must contain the texture until the frame ends */
  addPasses(graph: FrameGraph, images: ImageTextures): void {
    const { target, handle } = images.find(this.#texture) as Texture;
    if (!target || handle === undefined) return;
    if (target !== this.#target) this.#setTarget(target, images);
    for (const view of this.views) view.addPasses(graph);
    this.picture.target = graph.importTexture(this.#descriptor, handle);
    graph.addPass(this.picture);
    if (target.mipmaps.levels.length === 0) return;
    this.#mipmaps.target = this.picture.target;
    graph.addPass(this.#mipmaps);
  }

  #setTarget(target: TextureTarget, images: ImageTextures): void {
    const { width, height, mipmaps } = target;
    this.#target = target;
    this.#descriptor = { ...this.#descriptor, width, height, mipLevelCount: 1 + mipmaps.levels.length };
    this.#mipmaps.draw = () => images.drawMipmaps(target);
  }
}
