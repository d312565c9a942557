import { type Engine, planeGeometry, sphereGeometry, standardMaterial } from '../../src/index.js';

export default async function build({ world }: Engine): Promise<void> {
  world.addCamera({ position: [0, 5, 12], lookAt: [0, 0, 0], fovY: 0.7 });
  world.setAmbient('#b0c4ff', 0.8);
  world.addDirectionalLight({ direction: [-1, -1.5, -1], intensity: 2.5 });
  world.addMesh({
    geometry: planeGeometry({ size: 16 }),
    material: standardMaterial({ baseColor: '#43523a', roughness: 1 }),
    rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2],
    position: [0, -0.3, 0],
  });
  const side = 60;
  const balls = world.addInstances({
    geometry: sphereGeometry({ radius: 0.09, segments: 8 }),
    material: standardMaterial({ baseColor: '#ffd36b', roughness: 0.5 }),
    count: side * side,
  });
  // The positions are numbers in one array. The instances have no actors or objects.
  let time = 0;
  world.onTick((deltaSeconds) => {
    time += deltaSeconds;
    for (let place = 0; place < balls.count; place++) {
      const x = ((place % side) / side - 0.5) * 14;
      const z = (Math.floor(place / side) / side - 0.5) * 14;
      balls.positions[place * 3] = x;
      balls.positions[place * 3 + 1] = 0.5 * Math.sin(Math.hypot(x, z) * 1.5 - time * 2);
      balls.positions[place * 3 + 2] = z;
    }
    balls.touch();
  });
}
