/**
 * The common part of this engine's scenes in B1: an engine with default options, a camera, a light, a geometry, and a
 * material per colour.
 */
import { boxGeometry, createEngine, type Engine, standardMaterial } from '../../src/index.js';
import {
  COLORS,
  createLayout,
  FOV_Y,
  type Layout,
  LIGHT_DIRECTION,
  LIGHT_INTENSITY,
  METALLIC,
  ROUGHNESS,
} from './scene.js';

export interface BoxWorld {
  readonly engine: Engine;
  readonly layout: Layout;
  readonly geometry: ReturnType<typeof boxGeometry>;
  readonly materials: readonly ReturnType<typeof standardMaterial>[];
}

/** Opens an engine with the common parts. @param count number of boxes */
export async function openBoxWorld(canvas: HTMLCanvasElement, count: number): Promise<BoxWorld> {
  const engine = await createEngine(canvas);
  const { world } = engine;
  const layout = createLayout(count);
  world.addCamera({
    position: [...layout.cameraPosition],
    lookAt: [0, 0, 0],
    fovY: FOV_Y,
    near: layout.near,
    far: layout.far,
  });
  world.addDirectionalLight({ direction: [...LIGHT_DIRECTION], intensity: LIGHT_INTENSITY });
  const materials = COLORS.map((color) =>
    standardMaterial({ baseColor: [...color], metallic: METALLIC, roughness: ROUGHNESS }),
  );
  return { engine, layout, geometry: boxGeometry(), materials };
}
