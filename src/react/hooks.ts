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
import { useScene } from './scene-context.js';

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
  /** Calls the callback in steps of equal length, as `world.onFixedTick` does; `true` is 60 per second. */
  readonly fixed?: boolean | FixedTickOptions;
}

/**
 * Calls a function in every frame, with the seconds since the last frame and the sum of all seconds. Each render may
 * pass another function. An error that the function throws is reported to `onError` of the scene, and all other
 * functions still run.
 *
 * @throws StateError `scene-missing` outside of a `<Scene>`; OptionError `option-invalid`
 * @example useTick((seconds) => ref.current?.rotateY(seconds));
 */
export function useTick(callback: TickCallback, { group, fixed = false }: TickOptions = {}): void {
  const { world } = useScene('useTick');
  if (typeof callback !== 'function') throw new OptionError('option-invalid', 'useTick takes a function.');
  const current = useRef(callback);
  useLayoutEffect(() => {
    current.current = callback;
  });
  const options = typeof fixed === 'object' ? fixed : {};
  const key = JSON.stringify(options);
  useLayoutEffect(() => {
    const call: TickCallback = (seconds, sum) => current.current(seconds, sum);
    return fixed ? world.onFixedTick(call, options) : world.onTick(call, { ...(group && { group }) });
  }, [world, group, Boolean(fixed), key]);
}

/**
 * Returns a loaded glTF file, and suspends the component until then. All components of a scene share the file. The
 * returned level is hidden: it tells variants, animations and sizes, and its materials are shared by every
 * `<Model>` of the file. A file that no component uses is unloaded after some seconds.
 *
 * @throws AssetError if the file has failed, which the closest error boundary catches; StateError `scene-missing`
 * @example const { variants } = useModel('shoe.glb');
 */
export function useModel(source: LoadSource): Level {
  const { models } = useScene('useModel');
  useEffect(() => {
    const model = models.acquire(source);
    return () => models.release(model);
  }, [models, source]);
  const model = models.read(source);
  // React continues the component when the promise has resolved.
  if (model.isPending) throw model.settled;
  if (model.level) return model.level;
  throw model.error;
}
