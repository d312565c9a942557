/**
 * A further picture of a world, by a camera of its own: a part of the canvas, another canvas, or a texture.
 *
 *   engine.addView({ camera, rect: { x: 0.5, y: 0, width: 0.5, height: 1 } })      split screen, picture in picture
 *   engine.addView({ camera, canvas: document.querySelector('#map') })              several canvases of one engine
 *   engine.addView({ camera, target: renderTexture({ width: 512, height: 512 }) })  monitors, mirrors
 *
 * Views are drawn in the order in which they were added, over that of `world.activeCamera`; those in textures and on other canvases come first.
 * Where they leave nothing of the canvas to the active camera, its view is not drawn.
 */

import { OptionError } from '../../core/errors.js';
import { checkNames, checkOptions } from '../../core/options/check-options.js';
import { checkNumber } from '../../core/options/check-value.js';
import { checkMember, type Shaped } from '../../core/options/member.js';
import {
  anything,
  boolean,
  countFrom,
  numberFrom,
  optional,
  options,
  property,
} from '../../core/options/members.js';
import { NO_ID } from '../../proxy/commands.js';
import type { EffectsOptions } from '../../proxy/effects.js';
import type { Actor } from '../components/actor.js';
import { CameraComponent } from '../components/camera-component.js';
import { EffectSettings, type ViewEffects } from '../effects/effect-settings.js';
import type { PickResult } from '../picking/pick-result.js';
import type { RenderTexture, TexturePicture } from '../textures/render-texture.js';
import type { TextureEntry } from '../textures/texture-registry.js';
import type { ViewUpdates } from '../updates/view-updates.js';

const ALL_LAYERS = 0xffffffff;
const RECT_HINT = 'A rect is in shares of the canvas.';

const RECT = {
  x: numberFrom(0, 1, RECT_HINT),
  y: numberFrom(0, 1, RECT_HINT),
  width: numberFrom(0, 1, RECT_HINT),
  height: numberFrom(0, 1, RECT_HINT),
};

/** A part of the canvas or texture: shares of its width and height, 0 to 1, from its top left. */
export type ViewRect = Shaped<typeof RECT>;

const VIEW_OPTIONS = {
  /** An actor with a camera, of any world of the engine: that world is shown. */
  camera: anything<Actor>(),
  /** Default: all of it. */
  rect: property(options(RECT)),
  /** What it is drawn into; default: the engine's canvas. */
  target: optional(anything<RenderTexture>()),
  /** Another canvas, or an element that gets one, that it is drawn to. It shows no other view. */
  canvas: optional(anything<HTMLElement | OffscreenCanvas>()),
  /** Which layers it shows, one bit each; see `layers` of meshes. Default: all. */
  layers: property(countFrom(0, ALL_LAYERS)),
  /** Whether it is drawn. Default true. */
  enabled: property(boolean()),
  /** Effects on its picture. Those that are missing are as the engine has them. */
  effects: property(anything<EffectsOptions>()),
};

export type ViewOptions = Shaped<typeof VIEW_OPTIONS>;

/** A canvas that is a view's, as the engine has it. */
interface ViewSurface {
  readonly canvas?: HTMLCanvasElement | OffscreenCanvas;
  /** Width and height: CSS pixels, or pixels where it is no element. */
  readonly layout?: readonly [number, number];
  dispose?(): void;
}

const WHOLE: ViewRect = { x: 0, y: 0, width: 1, height: 1 };
/** To nine digits: what is left beside a share may be less than what is right, as 1 − 0.8 is less than 0.2. */
const rounded = (share: number): number =>
  typeof share === 'number' ? Math.round(share * 1e9) / 1e9 : share;

export class View {
  /** What it is drawn into; null: the canvas. */
  readonly target: RenderTexture | null;
  /**
   * What its canvas or texture shows by the next frame, with everything that has changed until now: sRGB RGBA8, row 0 at the
   * top. For a view in a part of the engine's canvas, see `engine.captureFrame`.
   * @throws OptionError `option-invalid` where it was disposed of; StateError `canvas-hidden`, `view-not-drawn` where a
   * canvas of its own is not drawn to; AssetError `texture-too-large`; RhiError `capture-failed`
   */
  captureFrame!: () => Promise<TexturePicture>;
  /**
   * As `engine.pick`, in this view, whatever lies over it.
   * @param x a mouse event's `offsetX`: CSS pixels from its left, y from its top; texels where it is drawn into a texture
   * @returns null where nothing is
   * @throws OptionError `option-out-of-range`, `option-invalid` where the view was disposed of, be it before a frame could look;
   *   PlatformError `part-missing`
   * @example map.canvas.addEventListener('click', async ({ offsetX, offsetY }) => select(await map.pick(offsetX, offsetY)));
   */
  pick!: (x: number, y: number) => Promise<PickResult | null>;
  /** @internal Of the render stream; -1: it has none any more. */
  id = -1;
  /** @internal Views that were added later are drawn over those before. */
  order = 0;
  /** @internal What the world has of `target`; null: the canvas. */
  texture: TextureEntry | null = null;
  /** @internal The canvas that is its own. */
  surface: ViewSurface | null = null;
  /** @internal Effects that it has set itself. */
  readonly effectSettings = new EffectSettings<ViewEffects>('a view', undefined, () => this.#mark('effects'));
  readonly #updates: ViewUpdates;
  #camera: CameraComponent | null = null;
  #rect = WHOLE;
  #layers = ALL_LAYERS;
  #enabled = true;
  #isDisposed = false;

  /** @internal use `engine.addView` */
  constructor(
    updates: ViewUpdates,
    options: ViewOptions,
    openSurface: (canvas: HTMLElement | OffscreenCanvas) => ViewSurface,
  ) {
    checkOptions('addView', options, VIEW_OPTIONS);
    const { camera, rect = WHOLE, target = null, canvas, layers = ALL_LAYERS, enabled = true } = options;
    const { effects } = options;
    // Tested by a member: an import of its class would bundle render textures with every page.
    if (target !== null && (canvas !== undefined || typeof target !== 'object' || !('sources' in target))) {
      throw new OptionError(
        'option-invalid',
        'target of addView has to be a renderTexture(), without a canvas.',
      );
    }
    this.#updates = updates;
    this.target = target;
    if (!camera) throw new OptionError('option-invalid', 'addView needs a camera: world.addCamera().');
    this.camera = camera;
    this.rect = rect;
    this.layers = layers;
    this.enabled = enabled;
    if (effects) this.effectSettings.assign(effects, 'addView');
    if (canvas !== undefined) this.surface = openSurface(canvas);
    target?.sources.add(this);
    updates.add(this);
  }

  /** The canvas that is its own; null: it has none. It can change, as `engine.canvas` can: see `surfacechange`. */
  get canvas(): HTMLCanvasElement | OffscreenCanvas | null {
    return this.surface?.canvas ?? null;
  }

  /**
   * The camera it sees by, and whose world it shows; null: it is not drawn. Becomes null when the camera is destroyed.
   * @throws OptionError `option-invalid`, as all that is set, where the view was disposed of
   */
  get camera(): Actor | null {
    return this.#camera?.actor ?? null;
  }
  set camera(actor: Actor | null) {
    const camera = actor?.component?.(CameraComponent) ?? null;
    // Not undefined either: a view that shows nothing would be a riddle.
    if (actor !== null && camera?.updates?.views !== this.#updates) {
      const what = actor?.name ? `"${actor.name}"` : `What was given as a view's camera`;
      throw new OptionError('option-invalid', `${what} has no camera in a world of this engine.`);
    }
    this.#mark('camera');
    this.#camera = camera;
  }

  /** The part of the canvas or texture that it fills. */
  get rect(): ViewRect {
    return this.#rect;
  }
  set rect(rect: ViewRect) {
    checkNames('rect', rect, RECT);
    const x = checkMember('a view', 'rect.x', rect.x, RECT.x);
    const y = checkMember('a view', 'rect.y', rect.y, RECT.y);
    const { width, height } = rect;
    checkNumber('a view', 'rect.width', rounded(width), 0, rounded(1 - x), RECT_HINT);
    checkNumber('a view', 'rect.height', rounded(height), 0, rounded(1 - y), RECT_HINT);
    this.#mark('rect');
    this.#rect = { x, y, width, height };
  }

  /** Which layers it shows, one bit each. */
  get layers(): number {
    return this.#layers;
  }
  set layers(layers: number) {
    const checked = checkMember('a view', 'layers', layers, VIEW_OPTIONS.layers);
    this.#mark('layers');
    this.#layers = checked;
  }

  /** Whether it is drawn; what it has drawn into a texture stays there. */
  get enabled(): boolean {
    return this.#enabled;
  }
  set enabled(value: boolean) {
    const checked = checkMember('a view', 'enabled', value, VIEW_OPTIONS.enabled);
    this.#mark('enabled');
    this.#enabled = checked;
  }

  /**
   * Effects on its picture; those that are `undefined` are as the engine has them.
   * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`, `color-invalid`
   * @example map.effects.vignette = false;
   */
  get effects(): ViewEffects {
    return this.effectSettings.shown;
  }
  set effects(effects: EffectsOptions) {
    this.effectSettings.assign(effects);
  }

  /** Before one of its properties changes. @throws OptionError `option-invalid` where it was disposed of */
  #mark(property: string): void {
    if (this.#isDisposed) {
      throw new OptionError(
        'option-invalid',
        `${property} of a view that was disposed of can't be set. Add another: engine.addView().`,
      );
    }
    this.#updates.mark(this);
  }

  /** @internal */
  get cameraComponent(): CameraComponent | null {
    return this.#camera;
  }

  /** @internal Under which the render thread knows its own canvas; 0: it has none. */
  get canvasId(): number {
    return this.surface ? this.order : 0;
  }

  /** @internal Of what it is drawn into; `NO_ID`: a canvas. */
  get textureId(): number {
    return this.texture?.id ?? NO_ID;
  }

  /** Takes it away; the texture it was drawn into keeps its last picture. May be called again. */
  dispose(): void {
    this.#isDisposed = true;
    this.#updates.remove(this);
    this.surface?.dispose?.();
    this.surface = null;
    this.target?.sources.delete(this);
  }
}
