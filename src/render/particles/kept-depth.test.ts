import { describe, expect, it } from 'vitest';
import { encodeRecord } from '../../core/records/record-codec.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import { ParticleFlag, ParticleNumber } from '../../proxy/particles.js';
import { named, RendererBench } from '../renderer.test-support.js';
import { Particles } from './particles.js';

const BOUNCING = ParticleFlag.collides | ParticleFlag.againstDepth;

/** A renderer with a camera and one system of particles. */
class ParticlesBench extends RendererBench {
  readonly particles = new Particles(this.renderer.world);
  readonly #stream = createLocalStream({ table: renderCommands });

  constructor() {
    super();
    this.camera(1);
    this.node(2, [0, 0, 0]);
    this.material(3);
    this.renderer.features.particles = this.particles;
  }

  /** Changes the system, or creates it. */
  setFlags(flags: number): void {
    encodeRecord(this.#stream.writer, renderCommands, 'setParticles', {
      particles: 0,
      node: 2,
      material: 3,
      flags,
      capacity: 10,
      seed: 1,
      layers: 1,
      numbers: new Float32Array(ParticleNumber.count).fill(1),
      sizes: [0, 1],
      colors: [0, 1, 1, 1, 1],
    });
    this.#stream.writer.publish();
    while (this.#stream.reader.next()) this.particles.execute(this.#stream.reader);
  }

  /** Renders a frame. @returns the number of textures of kept depth that it creates, and of those that it writes */
  counts(frame: number): readonly [created: number, written: number] {
    const commands = this.frame(frame);
    const created = named(commands, 'createTexture').filter(isKept);
    return [created.length, named(commands, 'dispatch').length];
  }
}

const isKept = (values: object): boolean => JSON.stringify(values).includes('depth for particles');

describe('the depth that is kept for particles', () => {
  it('is kept while a visible system bounces off surfaces', () => {
    const bench = new ParticlesBench();
    bench.setFlags(ParticleFlag.visible | ParticleFlag.isNew);
    expect(bench.counts(1)).toEqual([0, 0]);
    bench.setFlags(ParticleFlag.visible | BOUNCING);
    expect(bench.counts(2)).toEqual([1, 1]);
    expect(bench.counts(3)).toEqual([0, 1]);
    bench.setFlags(BOUNCING);
    expect(bench.counts(4)).toEqual([0, 0]);
    bench.setFlags(ParticleFlag.visible | BOUNCING);
    expect(bench.counts(5)).toEqual([1, 1]);
  });

  it('is created again in another size', () => {
    const bench = new ParticlesBench();
    bench.setFlags(ParticleFlag.visible | ParticleFlag.isNew | BOUNCING);
    expect(bench.counts(1)).toEqual([1, 1]);
    bench.send('surfaceSize', { width: 32, height: 64, pixelRatio: 1 });
    expect(bench.counts(2)).toEqual([1, 1]);
    expect(bench.counts(3)).toEqual([0, 1]);
  });
});
