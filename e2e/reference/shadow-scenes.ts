/**
 * Shadows of each kind of light and edge. Texels of shadow maps are not much smaller than pixels, so rounding
 * that moves a texel changes few pixels.
 */
import { planeGeometry, standardMaterial } from 'fencepost';
import type { ReferenceScene } from './scenes.js';
import { addThings, chequerWithHoles } from './things.js';

const SPOT = { position: [1.5, 4.5, 2.5], direction: [-1.5, -4.2, -2.4], intensity: 70 } as const;

export const SHADOW_SCENES: Readonly<Record<string, ReferenceScene>> = {
  'shadow-cascades': {
    build(engine) {
      const { ball } = addThings(engine);
      for (let row = 1; row < 5; row++) {
        ball.clone().position.set(row % 2 === 0 ? -1.6 : 1.6, 0.75, -row * 1.6);
      }
      engine.world.addDirectionalLight({
        direction: [-1, -1.4, -0.3],
        intensity: 3,
        castShadow: { mapSize: 256, cascades: 3, distance: 14 },
      });
      engine.world.setAmbient('#fff', 0.3);
    },
  },
  'shadow-spot': {
    build(engine) {
      addThings(engine);
      engine.world.addSpotLight({ ...SPOT, outerConeAngle: 0.5, castShadow: { mapSize: 256 } });
    },
  },
  'shadow-point': {
    build(engine) {
      addThings(engine);
      engine.world.addPointLight({
        position: [0, 1.3, 0.9],
        intensity: 9,
        castShadow: { mapSize: 256 },
      });
    },
  },
  'shadow-soft': {
    build(engine) {
      addThings(engine);
      const castShadow = { mapSize: 256, softness: 0.6 };
      engine.world.addSpotLight({ ...SPOT, outerConeAngle: 0.5, castShadow });
    },
  },
  'shadow-masked': {
    build(engine) {
      const { box } = addThings(engine);
      box.visible = false;
      engine.world.addMesh({
        geometry: planeGeometry({ size: 1.6 }),
        material: standardMaterial({
          baseColorTexture: chequerWithHoles(),
          alphaMode: 'mask',
          doubleSided: true,
        }),
        position: [0.9, 1.2, 0],
        rotation: [-0.38, 0, 0, 0.92],
      });
      engine.world.addDirectionalLight({
        direction: [0.1, -1, -0.2],
        intensity: 3,
        castShadow: { mapSize: 256, cascades: 1, distance: 9 },
      });
    },
  },
  'shadow-excepted': {
    build(engine) {
      const { ball, box } = addThings(engine);
      for (const mesh of ball.components) Object.assign(mesh, { castShadow: false });
      for (const mesh of box.components) Object.assign(mesh, { receiveShadow: false });
      const other = ball.clone();
      for (const mesh of other.components) Object.assign(mesh, { castShadow: true });
      other.position.set(1.75, 1.6, 0.25);
      other.scale.set(0.5, 0.5, 0.5);
      engine.world.addDirectionalLight({
        direction: [-1, -1, -0.2],
        intensity: 3,
        castShadow: { mapSize: 256, cascades: 1, distance: 9 },
      });
    },
  },
};
