import type {
  ColorOptions,
  GraphTexture,
  GraphTextureDescriptor,
  PassBuilder,
} from '../../graph/graph-pass.js';
import { PassFormat } from '../keys/pass-format.js';
import { SCENE_DEPTH_FORMAT } from '../pipelines/pipeline-cache.js';
import type { OutputSettings } from './output-settings.js';

/**
 * Targets that the scene of a view is drawn into, as textures of the frame graph: scene colour (linear in half floats, or as
 * `DisplayColors` says) and depth, multisampled or not, the size of the view in pixels. They are the graph's, and live as long in a frame as they are used.
 *
 *   4 samples:  colour ×4 ──resolve──► scene colour        1 sample:  scene colour
 *               depth ×4                                              depth
 *
 * Colours that tone mapping must leave alone, where there are any, go to a target of their own beside scene colour. Both
 * are premultiplied by coverage, and what is drawn into one hides what lies behind it in the other:
 *
 *   scene colour     0.2 0.1 0.0 · 0.5     half a pixel of something lit
 *   unmapped colour  0.0 0.0 0.5 · 0.5     and half a pixel of something blue that is shown as it is
 */
export class SceneTargets {
  width = 0;
  height = 0;
  /** Bits of `PassFormat`. */
  format = 0;
  /** Format of scene colour. */
  colorFormat: GPUTextureFormat = 'rgba16float';
  /** Texture that takes the place of scene colour in this frame: a target that shows nothing else. */
  shown: GraphTexture | undefined;
  /** Background of scene colour: sRGB, multiplied by alpha. */
  readonly #background: [number, number, number, number] = [0, 0, 0, 0];
  /** Newest versions of this frame: scene colour, one sample per pixel, and depth, as many as the format says. */
  color!: GraphTexture;
  depth!: GraphTexture;
  /** Colours that are neither exposed nor tone-mapped, one sample per pixel. */
  unmappedColor: GraphTexture | undefined;
  readonly #color: ColorTarget;
  readonly #unmapped: ColorTarget;
  #depthDescriptor!: GraphTextureDescriptor;
  /** Ends the names of its textures. */
  readonly #suffix: string;

  /** @param suffix of the names of its textures, by which they differ from those of other views */
  constructor(suffix: string) {
    this.#suffix = suffix;
    this.#color = new ColorTarget(`scene colour${suffix}`);
    this.#unmapped = new ColorTarget(`unmapped colour${suffix}`);
  }

  get sampleCount(): 1 | 4 {
    return this.format & PassFormat.multisampled ? 4 : 1;
  }

  /** Per frame. @param format bits of `PassFormat` @param colorFormat that goes with them @returns true when they are others than before */
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

  /** Per frame: what is behind the scene where it is drawn into `shown`; elsewhere the last pass adds it. */
  setBackground({ red, green, blue, alpha }: OutputSettings): void {
    const background = this.#background;
    background[0] = red * alpha;
    background[1] = green * alpha;
    background[2] = blue * alpha;
    background[3] = alpha;
  }

  /** In the set-up of the view's first pass: what was never drawn into is cleared, colour to nothing, depth to the far end (0, reversed). */
  create(builder: PassBuilder): void {
    this.color = this.#color.create(builder, this.shown);
    this.unmappedColor = this.format & PassFormat.unmappedTarget ? this.#unmapped.create(builder) : undefined;
    this.depth = builder.createTexture(this.#depthDescriptor);
  }

  /** In the set-up of a pass that draws the scene: all colours, resolved, and depth. */
  attach(builder: PassBuilder): void {
    this.attachColor(builder);
    if (this.unmappedColor !== undefined) {
      this.unmappedColor = this.#unmapped.attach(builder, this.unmappedColor);
    }
  }

  /** In the set-up of a pass that draws into the scene what tone mapping changes: scene colour, resolved, and depth. */
  attachColor(builder: PassBuilder): void {
    this.color = this.#color.attach(
      builder,
      this.color,
      this.shown === undefined ? undefined : this.#background,
    );
    this.depth = builder.depth(this.depth);
  }
}

/** A target of colours; several samples are drawn into a texture of their own, and resolved into the one that is read. */
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

  /** @param shown what is read in the place of a texture of its own */
  create(builder: PassBuilder, shown?: GraphTexture): GraphTexture {
    if (this.#drawnDescriptor) builder.createTexture(this.#drawnDescriptor);
    return shown ?? builder.createTexture(this.#descriptor);
  }

  /** @param clear to what; default: to nothing, where it was never drawn into @returns its newest version */
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
