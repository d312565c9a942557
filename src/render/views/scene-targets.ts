import type {
  ColorOptions,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
} from '../../graph/graph-pass.js';
import { PassFormat } from '../keys/pass-format.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import type { ViewLook } from './view-look.js';

/**
 * Targets of a view's scene, as textures of the frame graph: scene colour and depth, in the pixel size of the
 * view. Scene colour is linear in half floats, or in the format that `DisplayColors` returns. Colour and
 * depth may be multisampled. The graph owns the textures, and they exist only while passes of a frame use
 * them.
 *
 *   4 samples:  colour ×4 ──resolve──► scene colour        1 sample:  scene colour
 *               depth ×4                                              depth
 *
 * Colours that tone mapping must not change have a target of their own. Scene colour and unmapped colour are
 * premultiplied by coverage. A draw into one target also hides the colour behind it in the other target:
 *
 *   scene colour     0.2 0.1 0.0 · 0.5     a lit surface covers half of the pixel
 *   unmapped colour  0.0 0.0 0.5 · 0.5     an unmapped blue surface covers half of it
 */
export class SceneTargets {
  width = 0;
  height = 0;
  /** Bits of `PassFormat`. */
  format = 0;
  /** Format of scene colour. */
  colorFormat: GPUTextureFormat = 'rgba16float';
  /** The output target, if it shows only this view, in display colours. The scene is then drawn straight into it. */
  shown: GraphTexture | undefined;
  /** Background for `shown`: sRGB, multiplied by alpha. */
  readonly #background: [number, number, number, number] = [0, 0, 0, 0];
  /** Whether a pass of this frame has cleared `shown`. */
  #hasBackground = false;
  /** Newest version in this frame of scene colour, with one sample per pixel. */
  color!: GraphTexture;
  /** Newest version in this frame of depth, with the number of samples that `format` has. */
  depth!: GraphTexture;
  /** Colours that are neither exposed nor tone-mapped, one sample per pixel. */
  unmappedColor: GraphTexture | undefined;
  readonly #color: ColorTarget;
  readonly #unmapped: ColorTarget;
  #depthDescriptor!: GraphTextureDescriptor;
  /** Suffix for the names of the textures. */
  readonly #suffix: string;

  /** @param suffix distinguishes the names of the textures from those of other views */
  constructor(suffix: string) {
    this.#suffix = suffix;
    this.#color = new ColorTarget(`scene colour${suffix}`);
    this.#unmapped = new ColorTarget(`unmapped colour${suffix}`);
  }

  get sampleCount(): 1 | 4 {
    return this.format & PassFormat.multisampled ? 4 : 1;
  }

  /**
   * Per frame: sets the size and the formats.
   * @param format bits of `PassFormat`
   * @param colorFormat format of scene colour
   * @returns true if the targets have changed
   */
  resize(width: number, height: number, format: number, colorFormat: GPUTextureFormat): boolean {
    if (width === this.width && height === this.height && format === this.format) return false;
    this.width = width;
    this.height = height;
    this.format = format;
    this.colorFormat = colorFormat;
    const { sampleCount } = this;
    this.#color.resize(width, height, sampleCount, colorFormat);
    this.#unmapped.resize(width, height, sampleCount, colorFormat);
    const name = `scene depth${this.#suffix}`;
    this.#depthDescriptor = { name, width, height, sampleCount, format: SCENE_DEPTH_FORMAT };
    return true;
  }

  /**
   * Per frame: sets the background of a scene that is drawn into `shown`. In other targets, the last pass
   * adds the background.
   */
  setBackground({ background }: ViewLook): void {
    const alpha = background[3] as number;
    for (let channel = 0; channel < 3; channel++) {
      this.#background[channel] = (background[channel] as number) * alpha;
    }
    this.#background[3] = alpha;
  }

  /**
   * Creates the targets, in the set-up of the view's first pass. Their first use clears colour to 0, or to the
   * background if `shown` is set. It clears depth to the far end (0, because depth is reversed).
   */
  create(builder: PassBuilder): void {
    this.#hasBackground = false;
    this.color = this.#color.create(builder, this.shown);
    this.unmappedColor = this.format & PassFormat.unmappedTarget ? this.#unmapped.create(builder) : undefined;
    this.depth = builder.createTexture(this.#depthDescriptor);
  }

  /** Attaches all colours and depth, in the set-up of a pass that draws the scene. The colours are resolved. */
  attach(builder: PassBuilder): void {
    this.attachColors(builder);
    this.depth = builder.depth(this.depth);
  }

  /** Attaches all colours, in the set-up of a pass that changes the scene's colours. The colours are resolved. */
  attachColors(builder: PassBuilder): void {
    this.#attachSceneColor(builder);
    if (this.unmappedColor !== undefined) {
      this.unmappedColor = this.#unmapped.attach(builder, this.unmappedColor);
    }
  }

  /** Attaches all colours and depth, in the set-up of a pass that follows another pass over the scene. */
  attachAgain(builder: PassBuilder): void {
    this.color = this.#color.attach(builder, this.color);
    this.depth = builder.depth(this.depth);
    if (this.unmappedColor !== undefined) {
      this.unmappedColor = this.#unmapped.attach(builder, this.unmappedColor);
    }
  }

  /**
   * Attaches scene colour and depth, but not unmapped colours, in the set-up of a module's pass that draws into the
   * scene. The colour is resolved.
   */
  attachColor(builder: PassBuilder): void {
    this.#attachSceneColor(builder);
    this.depth = builder.depth(this.depth);
  }

  #attachSceneColor(builder: PassBuilder): void {
    // The view's first pass clears `shown` to the background.
    const clear = this.shown === undefined || this.#hasBackground ? undefined : this.#background;
    this.#hasBackground = true;
    this.color = this.#color.attach(builder, this.color, clear);
  }
}

/**
 * A colour target. Multisampled colours are drawn into a separate texture and resolved into the texture that
 * passes read.
 */
class ColorTarget {
  readonly #name: string;
  readonly #drawnName: string;
  readonly #options: { -readonly [Key in keyof ColorOptions]: ColorOptions[Key] } = {};
  #descriptor!: GraphTextureDescriptor;
  #drawnDescriptor: GraphTextureDescriptor | undefined;

  constructor(name: string) {
    this.#name = name;
    this.#drawnName = `${name}, 4 samples`;
  }

  resize(width: number, height: number, sampleCount: 1 | 4, format: GPUTextureFormat): void {
    const alike = { width, height, format };
    this.#descriptor = { name: this.#name, ...alike };
    this.#drawnDescriptor = sampleCount === 4 ? { name: this.#drawnName, sampleCount, ...alike } : undefined;
  }

  /** Creates the textures. @param shown texture that replaces the target's own texture */
  create(builder: PassBuilder, shown?: GraphTexture): GraphTexture {
    if (this.#drawnDescriptor) builder.createTexture(this.#drawnDescriptor);
    return shown ?? builder.createTexture(this.#descriptor);
  }

  /**
   * Attaches the target to a pass.
   * @param clear colour to clear to; default: the first use clears to 0
   * @returns the newest version
   */
  attach(
    builder: PassBuilder,
    color: GraphTexture,
    clear?: readonly [number, number, number, number],
  ): GraphTexture {
    const options = this.#options;
    const isResolved = this.#drawnDescriptor !== undefined;
    options.clear = clear;
    options.resolveTo = isResolved ? color : undefined;
    return builder.color(isResolved ? builder.findTexture(this.#drawnName) : color, options);
  }
}
