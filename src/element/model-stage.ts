import {
  type Actor,
  type AddedWorld,
  type CameraComponent,
  type Engine,
  type Level,
  LightComponent,
  type LoadProgress,
  type OrbitControls,
  orbitControls,
  type Playback,
  type View,
} from '../index.js';
import { type Aim, aimCamera, automaticCamera } from './camera-aim.js';
import { environmentOf } from './environment-image.js';
import type { Eye } from './hotspot-places.js';
import { ModelShadow } from './model-shadow.js';
import { isMotionReduced, watchMotion } from './reduced-motion.js';

/**
 * Shows one model in a world of its own, on a canvas of its own, and places the camera so that the whole model is
 * visible. The picture is drawn after changes, and at each animation frame only while a model moves in view. A stage
 * that is out of view is not drawn, and its world is paused.
 */
export class ModelStage {
  readonly engine: Engine;
  readonly world: AddedWorld;
  readonly view: View;
  readonly controls: OrbitControls;
  level: Level | null = null;
  /** Whether pointers, the wheel, touch and keys turn the camera. */
  isSteered = false;
  /** Radians per second about +Y. */
  autoRotate = 0;
  /** Name or index of the playing clip. An empty text plays the first clip; `null` plays none. */
  animation: string | null = null;
  /** Factor on the environment's light. With `undefined`, the default of the environment's kind applies. */
  environmentIntensity: number | undefined;
  /** Values of the camera's attributes. `aim` applies them. */
  readonly camera = automaticCamera();
  readonly shadow: ModelShadow;
  /** Address of the environment, which precedes the attribute `environment`; `null` for none. */
  environmentImage: string | null = null;
  /** Name of the material variant; `null` for the file's default materials. */
  variant: string | null = null;
  /** Whether the model was unloaded to free memory. The camera and the last picture remain. */
  isResting = false;
  readonly #setMoving: (isMoving: boolean) => void;
  readonly #camera: Actor<CameraComponent>;
  #radius = 1;
  #isInView = false;
  #isMoving = false;
  /** Whether the next picture is that of a model which is not loaded yet. The canvas is not drawn until then. */
  #isArriving = false;
  /** Number of calls that wait for a picture. The view is drawn meanwhile, even out of view. */
  #awaited = 0;
  readonly #ended = new AbortController();
  #loading: AbortController | null = null;
  #surrounding: AbortController | null = null;
  #playback: Playback | null = null;

  /**
   * @param box element in which a canvas is created
   * @param setMoving called with whether the model moves in view
   */
  constructor(engine: Engine, world: AddedWorld, box: HTMLElement, setMoving: (isMoving: boolean) => void) {
    this.engine = engine;
    this.world = world;
    this.#setMoving = setMoving;
    this.shadow = new ModelShadow(world);
    const { clientWidth, clientHeight } = box;
    const { position, target, fovY, near } = aimCamera(this.camera, null, clientWidth / clientHeight || 1);
    this.#camera = world.addCamera({ position, lookAt: target, fovY, near });
    this.view = engine.addView({ camera: this.#camera, canvas: box, enabled: false });
    // A model can be seen from below, because it need not stand on a floor.
    this.controls = orbitControls(this.view, this.#camera, { target, maxPolar: Math.PI });
    watchMotion(() => this.steer(), this.#ended.signal);
    this.refresh();
  }

  /** Whether the file has its own lights. */
  get isLit(): boolean {
    return this.level?.components.some((component) => component instanceof LightComponent) ?? false;
  }

  /** The camera's pose and lens. */
  get lens(): Eye {
    const { position, rotation, root } = this.#camera;
    return { position, rotation, fovY: root.fovY };
  }

  /** Radius of the sphere around the model, in metres. */
  get radius(): number {
    return this.#radius;
  }

  get isInView(): boolean {
    return this.#isInView;
  }
  set isInView(isInView: boolean) {
    this.#isInView = isInView;
    this.refresh();
  }

  /**
   * Loads a file and shows it instead of the current file, which stays visible until then.
   *
   * @returns the level; `null` without a source, or if another call has superseded this call
   * @throws AssetError, OptionError, ThreadError, StateError
   */
  async show(source: string | null, onProgress: (progress: LoadProgress) => void): Promise<Level | null> {
    this.#loading?.abort();
    this.#loading = null;
    const isReturning = this.isResting;
    this.isResting = false;
    this.#isArriving = source !== null && !this.level;
    if (source === null) {
      this.#unload();
      this.refresh();
      return null;
    }
    const loading = new AbortController();
    this.#loading = loading;
    const { signal } = loading;
    const level = await this.world.load(source, { signal, onProgress }).catch((error: unknown) => {
      if (signal.aborted || this.#ended.signal.aborted) return null;
      this.#isArriving = false;
      this.refresh();
      throw error;
    });
    if (!level) return null;
    if (this.#loading === loading) this.#loading = null;
    this.#unload();
    this.level = level;
    this.shadow.fall(level.bounds);
    if (!isReturning) this.aim(0);
    return level;
  }

  /** Plays the clip that `animation` selects, instead of the current clip. @throws OptionError `animation-unknown` */
  play(): void {
    this.#playback?.stop();
    this.#playback = null;
    const { level, animation } = this;
    if (level && animation !== null) {
      const isPlace = /^\d*$/.test(animation) && !level.animations.some(({ name }) => name === animation);
      this.#playback = level.play(isPlace ? Number(animation) : animation);
    }
    this.refresh();
  }

  /** Applies `variant` to the model. @throws OptionError `variant-unknown` */
  chooseVariant(): void {
    if (this.level) this.level.variant = this.variant;
    this.refresh();
  }

  /**
   * Applies the current settings of the camera's controls.
   *
   * @throws OptionError `option-out-of-range`
   */
  steer(): void {
    const { isSteered, autoRotate, controls } = this;
    controls.isEnabled = controls.keys = isSteered;
    controls.autoRotate = isMotionReduced() ? 0 : autoRotate;
    this.refresh();
  }

  /**
   * Moves the camera as its attributes say. Cameras of the file are not used.
   *
   * @param seconds duration of the movement; the camera moves at once if no model is in view, or for users
   *   who want less motion
   * @throws OptionError `option-out-of-range`
   */
  aim(seconds: number): void {
    const { position, target } = this.limit();
    const isFlight = this.isInView && this.level && !isMotionReduced();
    void this.controls.flyTo({ position, target, seconds: isFlight ? seconds : 0 });
    this.refresh();
  }

  /** Applies the lens and the limits of the camera's attributes. Returns the pose of the attributes. */
  limit(): Aim {
    const { controls } = this;
    const [width, height] = sizeOf(this.view);
    const aim = aimCamera(this.camera, this.level?.bounds ?? null, width / height || 1);
    const { root } = this.#camera;
    root.fovY = aim.fovY;
    root.near = aim.near;
    this.#radius = aim.radius;
    // Greatest values first, because a least value may not exceed its greatest value.
    const { minAzimuth, maxAzimuth, minPolar, maxPolar, minDistance, maxDistance } = aim.limits;
    Object.assign(controls, { minAzimuth: -Infinity, minPolar: 0, minDistance: 1e-9 });
    Object.assign(controls, { maxAzimuth, maxPolar, maxDistance, minAzimuth, minPolar, minDistance });
    // A written value is moved into the limits.
    const { distance } = controls;
    controls.distance = distance;
    this.refresh();
    return aim;
  }

  /**
   * Sets the environment. Only the last call applies.
   *
   * @param source `studio`, `sky`, `none`, or the address of a picture
   * @throws OptionError, AssetError
   */
  async surround(source: string, intensity: number): Promise<void> {
    this.#surrounding?.abort();
    const surrounding = new AbortController();
    this.#surrounding = surrounding;
    const { signal } = surrounding;
    try {
      const isComputed = source === 'studio' || source === 'sky';
      const environment =
        source === 'none' ? null : isComputed ? source : await environmentOf(source, signal);
      if (!signal.aborted) await this.world.setEnvironment(environment, { intensity });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Starts or stops drawing depending on movement and visibility, and draws changes. */
  refresh(): void {
    this.#follow();
    const { view, engine } = this;
    if (!this.#isDisposed && view.enabled && !this.#isMoving) engine.invalidate();
  }

  /** Starts or stops drawing depending on movement and visibility. */
  #follow(): void {
    if (this.#isDisposed) return;
    const { isInView, view, world } = this;
    const hasPicture = !this.#isArriving && !this.isResting;
    const isDrawn = (isInView && hasPicture) || this.#awaited > 0;
    if (view.enabled !== isDrawn) view.enabled = isDrawn;
    if (world.paused === isInView) world.paused = !isInView;
    this.#isMoving = isInView && (this.#playback !== null || this.controls.autoRotate !== 0);
    this.#setMoving(this.#isMoving);
  }

  /**
   * Resolves when the canvas shows all changes so far, or at once if the canvas has no size. Loads of other stages are
   * not awaited, unlike by `engine.whenReady()`.
   */
  async whenDrawn(): Promise<void> {
    await this.world.whenReady();
    if (this.#isDisposed) return;
    this.#awaited++;
    try {
      this.#follow();
      // The frame of a capture waits for its pipelines.
      await this.view.captureFrame();
    } catch (error) {
      const isUnseen = (error as { code?: string }).code === 'canvas-hidden';
      if (!isUnseen && !this.#ended.signal.aborted) throw error;
    } finally {
      this.#awaited--;
      this.#isArriving &&= !this.level;
      this.#follow();
    }
  }

  /** Unloads the model. Resolves when its memory is free. `show` loads it again without moving the camera. */
  async rest(): Promise<void> {
    this.#unload();
    this.isResting = true;
    await this.surround('none', 1).catch(() => {});
    if (this.#isDisposed) return;
    this.engine.invalidate();
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    await this.engine.flush().catch(() => {});
  }

  /** Ends the world and the view. */
  dispose(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort();
    this.#loading?.abort();
    this.#surrounding?.abort();
    this.level = null;
    this.#playback = null;
    this.#setMoving(false);
    this.controls.dispose();
    this.view.dispose();
    this.world.destroy();
  }

  /** Whether the stage or its engine has ended. */
  get #isDisposed(): boolean {
    return this.#ended.signal.aborted || this.world.disposed.aborted;
  }

  #unload(): void {
    this.#playback = null;
    this.shadow.fall(null);
    this.level?.unload();
    this.level = null;
  }
}

/** Returns the size of the view's canvas in CSS pixels. */
function sizeOf({ canvas }: View): readonly [width: number, height: number] {
  const { clientWidth = 0, clientHeight = 0 } = canvas && 'clientWidth' in canvas ? canvas : {};
  return [clientWidth, clientHeight];
}
