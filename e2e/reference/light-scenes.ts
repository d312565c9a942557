/** Lights of each kind, and ambient light. */
import type { ReferenceScene } from './scenes.js';
import { addThings } from './things.js';

export const LIGHT_SCENES: Readonly<Record<string, ReferenceScene>> = {
  'light-directional': {
    build(engine) {
      addThings(engine);
      engine.world.addDirectionalLight({ direction: [-1, -1.5, -1], intensity: 3, color: '#fff0d8' });
    },
  },
  'light-point': {
    build(engine) {
      addThings(engine);
      engine.world.addPointLight({ position: [0, 1.4, 0.9], intensity: 9, color: '#ffd0a0', range: 4 });
    },
  },
  'light-spot': {
    build(engine) {
      addThings(engine);
      engine.world.addSpotLight({
        position: [0.4, 4, 1.5],
        direction: [-0.1, -3.4, -1.2],
        intensity: 60,
        color: '#c8e0ff',
        innerConeAngle: 0.2,
        outerConeAngle: 0.36,
      });
    },
  },
  'lights-clustered': {
    build(engine) {
      addThings(engine);
      for (let index = 0; index < 90; index++) {
        engine.world.addPointLight({
          position: [(index % 10) * 0.7 - 3.15, 0.3 + (index % 3) * 0.3, Math.floor(index / 10) * 0.7 - 3],
          color: [1, (index % 5) / 5, (index % 4) / 4],
          intensity: 0.5,
          range: 1.2,
        });
      }
    },
  },
  ambient: {
    build(engine) {
      addThings(engine);
      engine.world.setAmbient('#9ab8ff', 2);
      engine.world.addDirectionalLight({ direction: [-1, -1, -0.2], intensity: 1 });
    },
  },
  hemisphere: {
    build(engine) {
      addThings(engine);
      engine.world.setAmbient({ sky: '#9fc8ff', ground: '#a04020' }, 3);
    },
  },
};
