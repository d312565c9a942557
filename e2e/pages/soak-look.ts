/** Sets the look of a soak's scene and its environment. */
import type * as fencepost from 'fencepost';
import type { EnvironmentState, LookState } from './soak-state.js';

/** Sets all options except the environment, whose code has to be fetched first. */
export function setLook(engine: fencepost.Engine, look: Omit<LookState, 'environment'>): void {
  engine.renderer = look.renderer;
  engine.antialias = look.antialias;
  engine.exposure = look.exposure;
  engine.toneMapping = look.toneMapping;
  engine.world.setAmbient([...look.ambient] as [number, number, number], 1);
}

/** Resolves when this environment, or a later one, is sent to the render thread. */
export async function setEnvironment(
  world: fencepost.World,
  { sources, ...options }: EnvironmentState,
): Promise<void> {
  await world.setEnvironment([...sources], options);
}
