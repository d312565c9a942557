import { expect, it } from 'vitest';
import { boxGeometry } from '../geometry/shapes.js';
import { standardMaterial } from '../materials/material.js';
import { spin } from '../motion/motion-turns.js';
import { createTestWorld } from '../testing/test-world.js';
import { texture } from '../textures/texture.js';
import type { View } from '../world/view.js';

it('each of 23 kinds of change notifies the engine, so that an idle engine draws it', async () => {
  const { world, send } = createTestWorld();
  let count = 0;
  world.updates.onChange = () => {
    count++;
  };
  const camera = world.addCamera({ position: [0, 0, 5] });
  world.addCamera();
  const material = standardMaterial();
  const geometry = boxGeometry();
  const mesh = world.addMesh({ geometry, material });
  const light = world.addDirectionalLight();
  const fire = world.addParticles();
  const instances = world.addInstances({ geometry, material, count: 2 });
  const pixels = { width: 1, height: 1, data: new Uint8Array(4) };
  let view: View | null = null;
  const changes: Record<string, () => unknown> = {
    position: () => mesh.position.set(1, 2, 3),
    visible: () => {
      mesh.visible = false;
    },
    attachment: () => mesh.attachTo(light),
    spawn: () => world.addMesh({ geometry, material }),
    material: () => {
      material.baseColor = '#f00';
    },
    texture: () => {
      material.baseColorTexture = texture(pixels);
    },
    'another material': () => {
      mesh.root.material = standardMaterial();
    },
    geometry: () => geometry.update({ positions: new Float32Array(72) }),
    light: () => {
      light.root.intensity = 5;
    },
    'active camera': () => {
      world.activeCamera = camera;
    },
    lens: () => {
      camera.root.fovY = 1;
    },
    'layers of a camera': () => {
      camera.root.layers = 2;
    },
    'direction of a light': () => {
      light.root.direction = [0, -1, 0];
    },
    particles: () => fire.root.emit(1),
    instances: () => instances.touch(0, 1),
    ambient: () => world.setAmbient('#fff', 1),
    environment: () => world.setEnvironment('sky'),
    motion: () => {
      mesh.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
    },
    'end of a motion': () => {
      mesh.motion = null;
    },
    view: () => {
      view = world.addView({ camera, rect: { x: 0, y: 0, width: 0.5, height: 0.5 } }, () => {
        throw new Error('It has no canvas.');
      });
    },
    'part of the canvas': () => {
      (view as View).rect = { x: 0.5, y: 0, width: 0.5, height: 0.5 };
    },
    'end of a view': () => (view as View).dispose(),
    destruction: () => mesh.destroy(),
  };
  send();
  const unnoticed: string[] = [];
  for (const [name, change] of Object.entries(changes)) {
    count = 0;
    await change();
    if (count === 0) unnoticed.push(name);
    send();
  }
  expect(unnoticed).toEqual([]);
});
