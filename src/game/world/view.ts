/**
 * An additional view of a world, with its own camera. It is drawn in a part of the canvas, on another canvas, or into a
 * texture.
 *
 *   engine.addView({ camera, rect: { x: 0.5, y: 0, width: 0.5, height: 1 } })      split screen, picture in picture
 *   engine.addView({ camera, canvas: document.querySelector('#map') })              several canvases of one engine
 *   engine.addView({ camera, target: renderTexture({ width: 512, height: 512 }) })  monitors, mirrors
 *
 * Views on the canvas are drawn in the order in which they were added, on top of the view of
 * `world.activeCamera`. Views into textures and on other canvases are drawn first. If views cover the whole canvas,
 * the active camera's view is skipped.
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
import type { ViewCaptureOptions } from '../../proxy/capture-options.js';
import { type DebugView, NO_ID, type ToneMapping, type Transparency } from '../../proxy/commands.js';
import type { EffectsOptions } from '../../proxy/effects.js';
import { type Antialias, type BackgroundColor, LOOK, type ShownAntialias } from '../../proxy/look.js';
import type { Actor } from '../components/actor.js';
import { CameraComponent } from '../components/camera-component.js';
import { EffectSettings, type ViewEffects } from '../effects/effect-settings.js';
import { ViewLook } from '../effects/view-look.js';
import type { PickResult } from '../picking/pick-result.js';
import type { RenderTexture, TexturePicture } from '../textures/render-texture.js';
import type { TextureEntry } from '../textures/texture-registry.js';
import type { SceneUpdates } from '../updates/scene-updates.js';
import type { ViewUpdates } from '../updates/view-updates.js';
import { registerCanvas } from './canvas-views.js';
import type { TickCallback } from './tick-groups.js';

const ALL_LAYERS = 0xffffffff;
const RECT_HINT = 'A rect is in fractions of the canvas, from 0 to 1.';

const RECT = {
  x: numberFrom(0, 1, RECT_HINT),
  y: numberFrom(0, 1, RECT_HINT),
  width: numberFrom(0, 1, RECT_HINT),
  height: numberFrom(0, 1, RECT_HINT),
};

/** A part of the canvas or texture, as fractions of its width and height, 0 to 1, from its top left. */
export type ViewRect = Shaped<typeof RECT>;

const VIEW_OPTIONS = {
  /** An actor with a camera, in any world of the engine. The view shows that world. */
  camera: anything<Actor>(),
  /** Part that the view fills. Default: the whole canvas or texture. */
  rect: property(options(RECT)),
  /** Texture to draw into. Default: the engine's canvas. */
  target: optional(anything<RenderTexture>()),
  /** Another canvas to draw to, or an element in which a canvas is created. The canvas can show no other view. */
  canvas: optional(anything<HTMLElement | OffscreenCanvas>()),
  /** Layers that the view shows, one bit each; see `layers` of meshes. Default: all. */
  layers: property(countFrom(0, ALL_LAYERS)),
  /** Whether the view is drawn. Default true. */
  enabled: property(boolean()),
  /** Effects of this view. Missing effects are taken from the engine. */
  effects: property(anything<EffectsOptions>()),
  /** Factor on all light in this view, 1e-6 to 1e6. Default: the engine's. */
  exposure: property(LOOK.exposure),
  /** Tone mapping of this view. Default: the engine's. */
  toneMapping: property(LOOK.toneMapping),
  /**
   * Colour behind the scene in this view. With an alpha below 1, the view lies over the pictures beneath it. Default:
   * the engine's.
   */
  background: property(LOOK.background),
  /** How edges are smoothed in this view, as in `EngineOptions.antialias`. Default: the engine's. */
  antialias: property(LOOK.antialias),
  /** The picture that this view shows instead of the lit scene. Default: the engine's. */
  debugView: property(LOOK.debugView),
  /** How this view draws blended surfaces. Default: the engine's. */
  transparency: property(LOOK.transparency),
  /** Whether this view shows shadows. Default true. */
  shadows: property(boolean()),
};

export type ViewOptions = Shaped<typeof VIEW_OPTIONS>;

/** The canvas of a view, as the engine provides it. */
interface ViewSurface {
  readonly canvas?: HTMLCanvasElement | OffscreenCanvas;
  /** Width and height: CSS pixels of an element, or else pixels. */
  readonly layout?: readonly [number, number];
  dispose?(): void;
}

/** The members of an engine that controls of a camera use. */
export interface ControlsEngine {
  readonly canvas: HTMLElement;
  readonly world: {
    readonly disposed: AbortSignal;
    /** @internal */
    readonly updates: SceneUpdates;
    /** @internal */
    readonly viewSize: readonly [width: number, height: number];
    onTick(callback: TickCallback): () => void;
  };
  addEventListener(type: 'surfacechange', listener: () => void): void;
  removeEventListener(type: 'surfacechange', listener: () => void): void;
  /** Requests a frame, for engines that draw on demand. */
  invalidate(): void;
}

export const WHOLE: ViewRect = { x: 0, y: 0, width: 1, height: 1 };
/**
 * Rounds a fraction to nine digits. Otherwise a width of 0.2 would exceed the computed rest 1 − 0.8, which is
 * slightly less.
 */
const rounded = (share: number): number =>
  typeof share === 'number' ? Math.round(share * 1e9) / 1e9 : share;

export class View {
  /** The texture that the view is drawn into; `null` for a view on a canvas. */
  readonly target: RenderTexture | null;
  /**
   * Captures the view's canvas or texture in the next frame, with all changes made before the call. The picture is sRGB
   * RGBA8, with row 0 at the top. A view in a part of the engine's canvas is captured from the last frame. With
   * options, the view is drawn anew in any size, without the pictures beneath it.
   * @param options width and height, 1 to 16384 pixels, and `samples`, 1 to 64 per pixel
   * @throws OptionError `option-unknown` and `option-out-of-range` for wrong options, `option-invalid` if the view was
   * disposed of; StateError `engine-disposed`, `canvas-hidden`, `no-frame-yet` for a part of the engine's canvas, or
   * `view-not-drawn` if its own canvas is not drawn to, or with options if the view is not enabled or has no camera;
   * AssetError `texture-too-large`; RhiError `capture-failed`
   */
  captureFrame!: (options?: ViewCaptureOptions) => Promise<TexturePicture>;
  /**
   * Picks like `engine.pick`, in this view, ignoring other views on top of it.
   * @param x CSS pixels from the view's left, such as a mouse event's `offsetX`; for a view into a texture, texels
   * @param y CSS pixels from the view's top, such as a mouse event's `offsetY`; for a view into a texture, texels
   * @returns null if there is nothing at this place
   * @throws OptionError `option-out-of-range`, `option-invalid` if the view was or is disposed of before the
   * result is known; PlatformError `part-missing`
   * @example map.canvas.addEventListener('click', async ({ offsetX, offsetY }) => select(await map.pick(offsetX, offsetY)));
   */
  pick!: (x: number, y: number) => Promise<PickResult | null>;
  /** @internal Id in the render stream; -1 before it is added. */
  id = -1;
  /** @internal Position in the drawing order: a view with a higher number is drawn later, on top. */
  order = 0;
  /** @internal The world's entry for `target`; `null` for a view on a canvas. */
  texture: TextureEntry | null = null;
  /** @internal The view's own canvas, if it has one. */
  surface: ViewSurface | null = null;
  /** @internal The engine that the view belongs to. */
  engine: ControlsEngine | null = null;
  /** @internal Called when the view is disposed of. */
  readonly onDispose = new Set<() => void>();
  /** @internal Effects set on this view. */
  readonly effectSettings = new EffectSettings<ViewEffects>('a view', undefined, () => this.#mark('effects'));
  /** @internal The look set on this view. */
  readonly look = new ViewLook((property) => this.#mark(property));
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
    // The target is tested by a member, because an import of its class would bundle it with every page.
    if (target !== null && (canvas !== undefined || typeof target !== 'object' || !('sources' in target))) {
      throw new OptionError(
        'option-invalid',
        'target of addView has to be a renderTexture(), and excludes the option canvas.',
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
    this.exposure = options.exposure;
    this.toneMapping = options.toneMapping;
    this.background = options.background;
    this.antialias = options.antialias;
    this.debugView = options.debugView;
    this.transparency = options.transparency;
    if (options.shadows !== undefined) this.shadows = options.shadows;
    if (canvas !== undefined) this.surface = openSurface(canvas);
    registerCanvas(this);
    target?.sources.add(this);
    updates.add(this);
  }

  /**
   * The view's own canvas; `null` if it has none. The engine may replace it, like `engine.canvas`: see `surfacechange`.
   */
  get canvas(): HTMLCanvasElement | OffscreenCanvas | null {
    return this.surface?.canvas ?? null;
  }

  /**
   * The view's camera, whose world is shown. While it is `null`, the view is not drawn. It becomes `null` when the
   * camera is destroyed.
   * @throws OptionError `option-invalid`, as for all setters, if the view was disposed of
   */
  get camera(): Actor | null {
    return this.#camera?.actor ?? null;
  }
  set camera(actor: Actor | null) {
    const camera = actor?.component?.(CameraComponent) ?? null;
    // Undefined is rejected as well: a view that silently shows nothing would be hard to debug.
    if (actor !== null && camera?.updates?.views !== this.#updates) {
      const what = actor?.name ? `"${actor.name}"` : `The value given as a view's camera`;
      throw new OptionError('option-invalid', `${what} has no camera in a world of this engine.`);
    }
    this.#mark('camera');
    this.#camera = camera;
  }

  /** The part of the canvas or texture that the view fills. */
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

  /** Layers that the view shows, one bit each. */
  get layers(): number {
    return this.#layers;
  }
  set layers(layers: number) {
    const checked = checkMember('a view', 'layers', layers, VIEW_OPTIONS.layers);
    this.#mark('layers');
    this.#layers = checked;
  }

  /** Whether the view is drawn. A texture keeps its last picture while this is false. */
  get enabled(): boolean {
    return this.#enabled;
  }
  set enabled(value: boolean) {
    const checked = checkMember('a view', 'enabled', value, VIEW_OPTIONS.enabled);
    this.#mark('enabled');
    this.#enabled = checked;
  }

  /**
   * Effects of this view. An effect that is `undefined` is taken from the engine.
   * @throws OptionError `option-unknown`, `option-invalid`, `option-out-of-range`, `color-invalid`
   * @example map.effects.vignette = false;
   */
  get effects(): ViewEffects {
    return this.effectSettings.shown;
  }
  set effects(effects: EffectsOptions) {
    this.effectSettings.assign(effects);
  }

  /** Factor on all light in this view; `undefined` uses the engine's. @throws OptionError `option-out-of-range` */
  get exposure(): number | undefined {
    return this.look.exposure;
  }
  set exposure(factor: number | undefined) {
    this.look.exposure = factor;
  }

  /** Tone mapping of this view; `undefined` uses the engine's. @throws OptionError `option-invalid` */
  get toneMapping(): ToneMapping | undefined {
    return this.look.toneMapping;
  }
  set toneMapping(toneMapping: ToneMapping | undefined) {
    this.look.toneMapping = toneMapping;
  }

  /**
   * Colour behind the scene in this view; `undefined` uses the engine's. With an alpha below 1, the view lies over the
   * pictures beneath it, and lets the page show through its own canvas.
   * @throws OptionError `color-invalid`
   */
  get background(): BackgroundColor | undefined {
    return this.look.background;
  }
  set background(color: BackgroundColor | undefined) {
    this.look.background = color;
  }

  /** How edges are smoothed in this view; `undefined` uses the engine's. @throws OptionError `option-invalid` */
  get antialias(): ShownAntialias | undefined {
    return this.look.antialias;
  }
  set antialias(value: Antialias | undefined) {
    this.look.antialias = value;
  }

  /**
   * The picture that this view shows instead of the lit scene; `undefined` uses the engine's setting.
   * @throws OptionError `option-invalid`
   * @example map.debugView = 'normals';
   */
  get debugView(): DebugView | undefined {
    return this.look.debugView;
  }
  set debugView(name: DebugView | undefined) {
    this.look.debugView = name;
  }

  /** How this view draws blended surfaces; `undefined` uses the engine's setting. @throws OptionError `option-invalid` */
  get transparency(): Transparency | undefined {
    return this.look.transparency;
  }
  set transparency(transparency: Transparency | undefined) {
    this.look.transparency = transparency;
  }

  /** Whether this view shows shadows. Default true. @throws OptionError `option-invalid` */
  get shadows(): boolean {
    return this.look.shadows;
  }
  set shadows(isOn: boolean) {
    this.look.shadows = isOn;
  }

  /** Marks the view to be sent, before a change. @throws OptionError `option-invalid` if the view was disposed of */
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

  /** @internal Id of the view's own canvas on the render thread; 0 if it has none. */
  get canvasId(): number {
    return this.surface ? this.order : 0;
  }

  /** @internal Id of the view's texture; `NO_ID` for a view on a canvas. */
  get textureId(): number {
    return this.texture?.id ?? NO_ID;
  }

  /** Removes the view; its texture keeps the last picture. Further calls have no effect. */
  dispose(): void {
    this.#isDisposed = true;
    this.#updates.remove(this);
    this.surface?.dispose?.();
    this.surface = null;
    this.target?.sources.delete(this);
    for (const callback of this.onDispose) callback();
    this.onDispose.clear();
  }

  /** @internal */
  get isDisposed(): boolean {
    return this.#isDisposed;
  }
}
