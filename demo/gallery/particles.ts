import { boxGeometry, type Engine, planeGeometry, standardMaterial } from '../../src/index.js';

export default async function build(engine: Engine): Promise<void> {
  const { world } = engine;
  world.addCamera({ position: [0, 1.7, 5.5], lookAt: [0, 0.9, 0], fovY: 0.75 });
  world.setAmbient('#304060', 0.3);
  world.addPointLight({ position: [0, 0.8, 0.3], color: '#ff8030', intensity: 12, castShadow: true });
  const ground = standardMaterial({ baseColor: '#5a554e', roughness: 0.9 });
  world.addMesh({ geometry: planeGeometry({ size: 30, facing: 'y' }), material: ground });
  const wood = standardMaterial({ baseColor: '#4a2f1c', roughness: 0.8 });
  for (let log = 0; log < 5; log++) {
    const beam = world.addMesh({ geometry: boxGeometry({ size: [1.4, 0.16, 0.16] }), material: wood });
    beam.position.set(0, 0.1 + 0.08 * log, 0);
    beam.rotateY((log * Math.PI) / 5);
  }
  const fire = { source: { disc: 0.35 }, position: [0, 0.3, 0], blending: 'additive' } as const;
  world.addParticles({
    ...fire,
    rate: 220,
    life: [0.6, 1.3],
    velocity: [0, 1.5, 0],
    spread: 0.25,
    size: [0.55, 0.12],
    color: ['#ffb43a', '#ff4a12', '#a000'],
    intensity: 0.6,
  });
  world.addParticles({
    rate: 14,
    life: [3, 4],
    position: [0, 1.4, 0],
    source: { sphere: 0.25 },
    velocity: [0.15, 0.7, 0],
    spread: 0.15,
    size: [0.4, 1.8],
    color: ['#5550', '#5556', '#5550'],
    intensity: 0.4,
  });
  world.addParticles({
    ...fire,
    rate: 40,
    life: [1, 2.5],
    velocity: [0, 3.4, 0],
    spread: 1.4,
    size: [0.035, 0.02],
    color: ['#ffe9a8', '#ff7a1a', '#f200'],
    intensity: 6,
    gravity: [0, -4, 0],
    drag: 0.4,
    collide: { bounce: 0.4, friction: 0.3 },
  });
  engine.toneMapping = 'agx';
  engine.effects.bloom = { amount: 0.15 };
}
