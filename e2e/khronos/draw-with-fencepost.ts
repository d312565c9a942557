import type * as fencepost from 'fencepost';
import { createPatientEngine } from '../pages/patient-engine.js';
import type { Picture, Triple } from '../parity/scene.js';
import { depthsOf, FOV_Y, type Shot, type Stand } from './shot.js';

/**
 * Draws shots with this engine in its default mode. One engine draws all moments of a file, because filtering
 * the environment takes most of its time.
 */
export class FencepostStage {
  readonly #element: HTMLElement;
  #shown:
    | { readonly look: string; readonly engine: fencepost.Engine; readonly level: fencepost.Level }
    | undefined;
  #playback: fencepost.Playback | undefined;
  #camera: fencepost.Actor | undefined;

  /** @param element an element of the picture's size */
  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** Draws a shot. Returns the picture and the camera's position and target. */
  async draw(shot: Shot): Promise<{ readonly picture: Picture; readonly stand: Stand }> {
    const { engine, level } = await this.#show(shot);
    const { pose } = shot;
    this.#playback?.stop();
    this.#playback = pose && level.play(pose.clip, { speed: 0, startSeconds: pose.seconds });
    await engine.step(0);
    const stand = shot.stand ?? standBefore(level.bounds);
    const { position, target } = stand;
    this.#camera?.destroy();
    this.#camera = engine.world.addCamera({ position, lookAt: target, fovY: FOV_Y, ...depthsOf(stand) });
    engine.world.activeCamera = this.#camera;
    await engine.whenReady();
    await engine.step(0);
    return { picture: await engine.captureFrame(), stand };
  }

  async #show({ file, environment, variant }: Shot) {
    const look = [file, environment, variant].join();
    if (this.#shown?.look === look) return this.#shown;
    await this.#shown?.engine.dispose();
    this.#shown = this.#playback = this.#camera = undefined;
    const engine = await createPatientEngine(this.#element, {
      background: '#000',
      pixelRatio: 1,
      antialias: 1,
    });
    await engine.world.setEnvironment(environment);
    const level = await engine.world.load(file);
    if (variant !== undefined) level.variant = variant;
    this.#shown = { look, engine, level };
    return this.#shown;
  }
}

/** Returns a camera position obliquely in front and above, far enough to see all of `bounds`. */
function standBefore({ min, max }: fencepost.Level['bounds']): Stand {
  const middle = (axis: 0 | 1 | 2): number => (min[axis] + max[axis]) / 2;
  const target: Triple = [middle(0), middle(1), middle(2)];
  const size = Math.hypot(...min.map((low, axis) => max[axis]! - low));
  return { target, position: [target[0] + size * 0.9, target[1] + size * 0.5, target[2] + size * 1.4] };
}
