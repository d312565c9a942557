import {
  type Actor,
  type Bounds,
  type CameraComponent,
  type Engine,
  type Level,
  LightComponent,
  type LoadProgress,
  type OrbitControls,
  orbitControls,
  type Playback,
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

/**
 * Shows one model in one engine, and places the camera so that the whole model is visible. The picture is drawn after
 * changes, and at each animation frame only while the model moves and is in view.
 */
export class ModelStage {
  readonly engine: Engine;
  level: Level | null = null;
  /** Whether pointers, the wheel and touch turn the camera. */
  isSteered = false;
  /** Radians per second about +Y. */
  autoRotate = 0;
  /** Name or index of the playing clip. An empty text plays the first clip; `null` plays none. */
  animation: string | null = null;
  /** Factor on the environment's light. With `undefined`, the default of the environment's kind applies. */
  environmentIntensity: number | undefined;
  /** Name of the material variant; `null` for the file's default materials. */
  variant: string | null = null;
  isInView = true;
  #isStarted = false;
  #loading: AbortController | null = null;
  #camera: Actor<CameraComponent> | null = null;
  #controls: OrbitControls | null = null;
  #playback: Playback | null = null;

  constructor(engine: Engine) {
    this.engine = engine;
    this.#placeCamera({ min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] });
  }

  /** Whether the file has its own lights. */
  get isLit(): boolean {
    return this.level?.components.some((component) => component instanceof LightComponent) ?? false;
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
    if (source === null) {
      this.#unload();
      this.refresh();
      return null;
    }
    const loading = new AbortController();
    this.#loading = loading;
    const { signal } = loading;
    const level = await this.engine.world.load(source, { signal, onProgress }).catch((error: unknown) => {
      if (signal.aborted) return null;
      throw error;
    });
    if (!level) return null;
    this.#unload();
    this.level = level;
    this.#placeCamera(level.bounds);
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
    const { isSteered, autoRotate } = this;
    const controls = this.#controls;
    if (controls) {
      controls.isEnabled = isSteered;
      controls.autoRotate = autoRotate;
    }
    this.refresh();
  }

  /** Starts or stops the engine depending on movement, and draws changes. */
  refresh(): void {
    const isMoving = this.isInView && (this.#playback !== null || this.autoRotate !== 0);
    if (isMoving && !this.#isStarted) this.engine.start();
    if (!isMoving && this.#isStarted) this.engine.stop();
    this.#isStarted = isMoving;
    if (!isMoving) this.engine.invalidate();
  }

  /** Replaces the camera and its controls. Cameras of the file are not used. */
  #placeCamera(bounds: Bounds): void {
    const { world, canvas } = this.engine;
    const { clientWidth, clientHeight } = canvas;
    const { position, target, radius } = frameModel(bounds, FOV_Y, clientWidth / clientHeight || 1);
    this.#controls?.dispose();
    this.#camera?.destroy();
    this.#camera = world.addCamera({ position, lookAt: target, fovY: FOV_Y, near: radius * NEAR });
    world.activeCamera = this.#camera;
    this.#controls = orbitControls(this.engine, this.#camera, {
      target,
      minDistance: radius * NEAREST,
      maxDistance: radius * FARTHEST,
      // A model can be seen from below, because it need not stand on a floor.
      maxPolar: Math.PI,
    });
    this.steer();
  }

  #unload(): void {
    this.#playback = null;
    this.level?.unload();
    this.level = null;
  }
}
