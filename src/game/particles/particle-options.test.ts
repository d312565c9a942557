import { describe, expect, it } from 'vitest';
import { ParticlesComponent } from './particles-component.js';

describe('options of particles', () => {
  it.each([
    [{ rate: -1 }, 'rate of addParticles'],
    [{ life: 0 }, 'life of addParticles'],
    [{ life: [2, 1] }, 'second number of life'],
    [{ life: [1, 2, 3] }, 'life of addParticles'],
    [{ velocity: [1, 2] }, 'velocity of addParticles'],
    [{ velocity: [1, 2, Number.NaN] }, 'velocity of addParticles'],
    [{ spread: 'much' }, 'spread of addParticles'],
    [{ source: { ball: 1 } }, 'source of addParticles'],
    [{ source: { sphere: 1, disc: 1 } }, 'source of addParticles'],
    [{ source: { sphere: -1 } }, 'source.sphere of addParticles'],
    [{ source: { box: 1 } }, 'source.box of addParticles'],
    [{ softness: -0.1 }, 'softness of addParticles'],
    [{ softness: Number.NaN }, 'softness of addParticles'],
    [{ softness: Number.POSITIVE_INFINITY }, 'softness of addParticles'],
    [{ size: [] }, 'size of addParticles'],
    [{ size: [1, -1] }, 'size of addParticles'],
    [
      {
        size: [
          [0.5, 1],
          [0.2, 1],
        ],
      },
      'share of size',
    ],
    [{ size: new Array(9).fill(1) }, 'size of addParticles'],
    [{ color: 'reddish' }, 'color of addParticles'],
    [{ color: ['#fff', [2, 0, 0]] }, 'color of addParticles'],
    [{ color: [[0, '#fff'], '#000'] }, 'color of addParticles'],
    [{ intensity: -1 }, 'intensity of addParticles'],
    [{ texture: 'spark.png' }, 'texture of addParticles'],
    [{ gravity: -9.81 }, 'gravity of addParticles'],
    [{ drag: -1 }, 'drag of addParticles'],
    [{ collide: 'deep' }, "'depth'"],
    [{ collide: null }, 'collide of addParticles'],
    [{ collide: { against: 'walls' } }, 'collide.against of addParticles'],
    [{ collide: { against: 'depth', thickness: 0 } }, 'collide.thickness of addParticles'],
    [{ collide: { against: 'depth', bounce: Number.NaN } }, 'collide.bounce of addParticles'],
    [{ collide: { against: 'depth', normal: [0, 1, 0] } }, 'normal'],
    [{ collide: { normal: [0, 0, 0] } }, 'length of normal'],
    [{ collide: { bounce: 2 } }, 'bounce of addParticles'],
    [{ sort: 'depth' }, 'sort of addParticles'],
    [{ maximumCount: 0 }, 'maximumCount of addParticles'],
    [{ seed: 0.5 }, 'seed of addParticles'],
    [{ blending: 'multiply' }, 'blending of addParticles'],
    [{ behindGlass: 1 }, 'behindGlass of addParticles'],
    [{ layers: -1 }, 'layers of addParticles'],
    [{ colour: '#fff' }, 'colour'],
  ])('%j is refused', (options, named) => {
    const create = () => new ParticlesComponent(options as never);
    expect(create).toThrow(expect.objectContaining({ name: 'OptionError' }));
    expect(create).toThrow(named);
  });

  it('a clone has the settings of collisions with their defaults', () => {
    const surfaces = { against: 'depth', thickness: 0.5, bounce: 0.5, friction: 0.1 };
    const particles = new ParticlesComponent({ collide: 'depth', softness: 0.2 });
    expect(particles.collide).toEqual(surfaces);
    const copy = particles.clone();
    expect([copy.collide, copy.softness]).toEqual([surfaces, 0.2]);
  });

  it('stops are spread evenly, or lie where they are given', () => {
    const particles = new ParticlesComponent({
      size: [0, 1, 0.5],
      color: [
        [0.2, '#fff'],
        [0.9, [1, 0, 0, 0]],
      ],
    });
    expect(particles.size).toEqual([0, 1, 0.5]);
    particles.size = 2;
    expect(particles.size).toBe(2);
    expect(() => {
      particles.color = [] as never;
    }).toThrow('color of the particles');
  });
});
