import { createContext, useContext } from 'react';
import { StateError } from '../index.js';
import type { SceneState } from './tree/scene-state.js';

/** The scene around a component; `null` outside of scenes. */
export const SceneContext = createContext<SceneState | null>(null);

/** Returns the scene around a component. @param what the hook or component, for messages @throws StateError `scene-missing` */
export function useScene(what: string): SceneState {
  const scene = useContext(SceneContext);
  if (scene) return scene;
  throw new StateError(
    'scene-missing',
    `${what} works only in a <Scene>. Move it into a component within one.`,
  );
}
