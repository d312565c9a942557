import type { GraphPass, GraphTextureDescriptor, PassBuilder, PassContext } from '../../graph/graph-pass.js';
import type { ScreenTexture } from '../pipelines/screen-pass.js';
import type { ToneMapPass } from './tone-map-pass.js';
import type { ViewPlace } from './view-info.js';
import type { ViewPicture } from './view-picture.js';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Draws the tone-mapped picture of a view into a separate texture, for passes that read neighbouring pixels of it. */
export class MappedPicture implements GraphPass {
  readonly kind = 'raster';
  readonly name: string;
  /** The texture of the picture. */
  readonly texture: ScreenTexture = { version: undefined };
  readonly #picture: ViewPicture;
  readonly #toneMap: ToneMapPass;
  readonly #clear: [number, number, number, number] = [0, 0, 0, 0];
  readonly #options = { clear: this.#clear };
  /** Place of the picture in the texture, which it fills. */
  readonly #place: Mutable<ViewPlace> = {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
    isPart: false,
    pixelRatio: 1,
    scale: 1,
  };

  constructor(picture: ViewPicture, toneMap: ToneMapPass) {
    this.#picture = picture;
    this.#toneMap = toneMap;
    this.name = `mapped picture${picture.state.suffix}`;
  }

  /**
   * Per frame, outside passes: prepares tone mapping, and describes a texture of the view's size and format.
   * @param isTranslucent see `ToneMapPass.prepare`
   */
  prepareView({ width, height, pixelRatio, region }: ViewPlace, isTranslucent: boolean): void {
    const { look } = this.#picture.state;
    const place = this.#place;
    place.width = width;
    place.height = height;
    place.pixelRatio = pixelRatio;
    place.region = region;
    this.#toneMap.prepare(look, place, isTranslucent);
    // While the pipeline is being compiled, the pass draws nothing, so its clear colour is the background.
    const isEmpty = isTranslucent || look.isOverlay;
    for (let channel = 0; channel < 3; channel++)
      this.#clear[channel] = isEmpty ? 0 : (look.background[channel] as number);
    this.#clear[3] = isEmpty ? 0 : 1;
    this.texture.version = undefined;
    const before = this.texture.descriptor;
    const format = look.hdr ? 'rgba8unorm-srgb' : 'rgba8unorm';
    if (before?.width === width && before.height === height && before.format === format) return;
    this.texture.descriptor = { name: this.name, width, height, format };
  }

  setup(builder: PassBuilder): void {
    this.#picture.declareToneMapReads(builder);
    const texture = builder.createTexture(this.texture.descriptor as GraphTextureDescriptor);
    this.texture.version = builder.color(texture, this.#options);
  }

  prepare(context: PassContext): void {
    this.#toneMap.bind(context, this.#format, this.#picture.effects);
  }

  execute(): void {
    this.#toneMap.record(this.#format, this.#picture.effects);
  }

  get #format(): GPUTextureFormat {
    return (this.texture.descriptor as GraphTextureDescriptor).format;
  }
}
