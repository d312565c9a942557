import { useEffect, useLayoutEffect, useRef } from 'react';
import {
  type Engine,
  type FixedTickOptions,
  type Level,
  type LoadSource,
  OptionError,
  type TickCallback,
  type TickGroup,
  type World,
} from '../index.js';
import { checkNames } from './check-names.js';
import { useScene } from './scene-context.js';
import { isSame } from './tree/same.js';

/** Returns the engine of the scene. @throws StateError `scene-missing` outside of a `<Scene>` */
export function useEngine(): Engine {
  return useScene('useEngine').engine;
}

/** Returns the world of the scene. @throws StateError `scene-missing` outside of a `<Scene>` */
export function useWorld(): World {
  return useScene('useWorld').world;
}

export interface TickOptions {
  /** When the callback runs within a frame. Default `'pre-physics'`. It excludes `fixed`. */
  readonly group?: TickGroup;
  /**
   * Calls the callback in steps of equal length, as `world.onFixedTick` does. A number is the steps per second, from 1 to
   * 1000, and `true` is 60. It excludes `group`. Default false.
   */
  readonly fixed?: boolean | number | FixedTickOptions;
}

/**
 * Calls a function in every frame, with the seconds since the last frame and the sum of all seconds. Each render may
 * pass another function. An error that the function throws is reported to `onError` of the scene, and all other
 * functions still run.
 *
 * @throws StateError `scene-missing` outside of a `<Scene>`; OptionError `option-invalid`, `option-unknown`,
 * `option-out-of-range`
 * @example useTick((seconds) => ref.current?.rotateY(seconds));
 */
export function useTick(callback: TickCallback, options: TickOptions = {}): void {
  const { world } = useScene('useTick');
  if (typeof callback !== 'function') throw new OptionError('option-invalid', 'useTick takes a function.');
  const current = useRef(callback);
  useLayoutEffect(() => {
    current.current = callback;
  });
  // The same object in each render, as long as the options are the same.
  const kept = useRef<TickOptions>(options);
  if (!isSame(kept.current, options)) kept.current = options;
  const used = kept.current;
  useLayoutEffect(() => {
    const call: TickCallback = (seconds, sum) => current.current(seconds, sum);
    const fixed = stepsOf(used);
    if (fixed) return world.onFixedTick(call, fixed);
    return world.onTick(call, used.group === undefined ? {} : { group: used.group });
  }, [world, used]);
}

/** Returns the options of fixed steps; `null` for a tick per frame. @throws OptionError */
function stepsOf(options: TickOptions): FixedTickOptions | null {
  checkNames('useTick', options, ['group', 'fixed']);
  const { group, fixed = false } = options;
  if (fixed === false) return null;
  if (group !== undefined)
    throw new OptionError(
      'option-invalid',
      'useTick has the options group and fixed. Fixed steps run in the group physics, so leave one of them out.',
    );
  if (fixed === true) return {};
  if (typeof fixed === 'number') return { hertz: fixed };
  if (typeof fixed === 'object' && fixed !== null) return fixed;
  throw new OptionError(
    'option-invalid',
    `fixed of useTick is ${JSON.stringify(fixed)}; it has to be true, false, a number of steps per second, or options.`,
  );
}

/**
 * Returns a loaded glTF file, and suspends the component until then. All components of a scene share the file. The
 * returned level is hidden: it tells variants, animations and sizes, and its materials are shared by every
 * `<Model>` of the file. A file that no component uses is unloaded after some seconds.
 *
 * Arrays of files are compared by their elements, URLs and bytes by content. Create a `File` outside of the component:
 * another one in each render is loaded again and again, until OptionError `source-unstable` ends that.
 *
 * @throws AssetError if the file has failed, which the closest error boundary catches; StateError `scene-missing`;
 * OptionError `source-unstable`
 * @example const { variants } = useModel('shoe.glb');
 */
export function useModel(source: LoadSource): Level {
  const { models } = useScene('useModel');
  const model = models.read(source);
  useEffect(() => {
    const used = models.acquire(model.source);
    return () => models.release(used);
  }, [models, model]);
  // React continues the component when the promise has resolved.
  if (model.isPending) throw model.settled;
  if (model.level) return model.level;
  throw model.error;
}
