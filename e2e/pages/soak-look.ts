/** How a soak's scene is drawn, and the light from all around. */
import type * as fencepost from 'fencepost';
import type { EnvironmentState, LookState } from './soak-state.js';

/** Everything but the environment, which comes with code that has to be fetched. */
export function setLook(engine: fencepost.Engine, look: Omit<LookState, 'environment'>): void {
  engine.renderer = look.renderer;
  engine.antialias = look.antialias;
  engine.exposure = look.exposure;
  engine.toneMapping = look.toneMapping;
  engine.world.setAmbient([...look.ambient] as [number, number, number], 1);
}

/** Resolves when it goes to the render thread, or another one instead. */
export async function setEnvironment(
  world: fencepost.World,
  { sources, ...options }: EnvironmentState,
): Promise<void> {
  await world.setEnvironment([...sources], options);
}
