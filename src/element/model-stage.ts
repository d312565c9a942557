import {
  type Actor,
  type AddedWorld,
  type Bounds,
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
import { frameModel } from './framing.js';

/** Vertical field of view in radians. */
const FOV_Y = 0.6;
/** Distance of the near plane, in radii of the model. */
const NEAR = 0.01;
/** Least distance of the controls, in radii of the model. */
const NEAREST = 0.2;
/** Greatest distance of the controls, in radii of the model. */
const FARTHEST = 20;
/** Bounds of an empty stage, in metres. */
const NO_MODEL: Bounds = { min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] };

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
  /** Name of the material variant; `null` for the file's default materials. */
  variant: string | null = null;
  /** Whether the model was unloaded to free memory. The camera and the last picture remain. */
  isResting = false;
  readonly #setMoving: (isMoving: boolean) => void;
  readonly #camera: Actor<CameraComponent>;
  #isInView = false;
  /** Number of calls that wait for a picture. The view is drawn meanwhile, even out of view. */
  #awaited = 0;
  #isDisposed = false;
  #loading: AbortController | null = null;
  #playback: Playback | null = null;

  /**
   * @param box element in which a canvas is created
   * @param setMoving called with whether the model moves in view
   */
  constructor(engine: Engine, world: AddedWorld, box: HTMLElement, setMoving: (isMoving: boolean) => void) {
    this.engine = engine;
    this.world = world;
    this.#setMoving = setMoving;
    const { clientWidth, clientHeight } = box;
    const { position, target, radius } = frameModel(NO_MODEL, FOV_Y, clientWidth / clientHeight || 1);
    this.#camera = world.addCamera({ position, lookAt: target, fovY: FOV_Y, near: radius * NEAR });
    this.view = engine.addView({ camera: this.#camera, canvas: box, enabled: false });
    this.controls = orbitControls(this.view, this.#camera, {
      target,
      // A model can be seen from below, because it need not stand on a floor.
      maxPolar: Math.PI,
    });
    this.refresh();
  }

  /** Whether the file has its own lights. */
  get isLit(): boolean {
    return this.level?.components.some((component) => component instanceof LightComponent) ?? false;
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
    if (source === null) {
      this.#unload();
      this.refresh();
      return null;
    }
    const loading = new AbortController();
    this.#loading = loading;
    const { signal } = loading;
    const level = await this.world.load(source, { signal, onProgress }).catch((error: unknown) => {
      if (signal.aborted || this.#isDisposed) return null;
      throw error;
    });
    if (!level) return null;
    if (this.#loading === loading) this.#loading = null;
    this.#unload();
    this.level = level;
    if (!isReturning) this.#placeCamera(level.bounds);
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
    controls.isEnabled = isSteered;
    controls.autoRotate = autoRotate;
    this.refresh();
  }

  /** Starts or stops drawing depending on movement and visibility, and draws changes. */
  refresh(): void {
    if (this.#isDisposed) return;
    const { isInView, view, world } = this;
    const isDrawn = isInView || this.#awaited > 0;
    if (view.enabled !== isDrawn) view.enabled = isDrawn;
    if (world.paused === isInView) world.paused = !isInView;
    const isMoving = isInView && (this.#playback !== null || this.autoRotate !== 0);
    this.#setMoving(isMoving);
    if (isDrawn && !isMoving) this.engine.invalidate();
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
      this.refresh();
      // The frame of a capture waits for its pipelines.
      await this.view.captureFrame();
    } catch (error) {
      const isUnseen = (error as { code?: string }).code === 'canvas-hidden';
      if (!isUnseen && !this.#isDisposed) throw error;
    } finally {
      this.#awaited--;
      this.refresh();
    }
  }

  /** Unloads the model. Resolves when its memory is free. `show` loads it again without moving the camera. */
  async rest(): Promise<void> {
    this.#unload();
    this.isResting = true;
    await this.world.setEnvironment(null).catch(() => {});
    if (this.#isDisposed) return;
    this.engine.invalidate();
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    await this.engine.flush().catch(() => {});
  }

  /** Ends the world and the view. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    this.#loading?.abort();
    this.level = null;
    this.#playback = null;
    this.#setMoving(false);
    this.controls.dispose();
    this.view.dispose();
    this.world.destroy();
  }

  /** Moves the camera so that the whole model is visible. Cameras of the file are not used. */
  #placeCamera(bounds: Bounds): void {
    const { controls } = this;
    const [width, height] = sizeOf(this.view);
    const { position, target, radius } = frameModel(bounds, FOV_Y, width / height || 1);
    this.#camera.root.near = radius * NEAR;
    controls.minDistance = 1e-9;
    controls.maxDistance = radius * FARTHEST;
    controls.minDistance = radius * NEAREST;
    void controls.flyTo({ position, target, seconds: 0 });
    this.steer();
  }

  #unload(): void {
    this.#playback = null;
    this.level?.unload();
    this.level = null;
  }
}

/** Returns the size of the view's canvas in CSS pixels. */
function sizeOf({ canvas }: View): readonly [width: number, height: number] {
  const { clientWidth = 0, clientHeight = 0 } = canvas && 'clientWidth' in canvas ? canvas : {};
  return [clientWidth, clientHeight];
}
