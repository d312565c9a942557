/** The fields of the commands for particles, for `command-table.ts`. */
import type { RecordFields } from '../core/records/record-table.js';

export const particleCommands = {
  /**
   * Creates or changes a system of particles (`particles.ts`).
   * - `material`: a material whose texture the particles show
   * - `flags`: `ParticleFlag`
   * - `capacity`: maximum number of particles at a time; fixed when the system is created, as is `seed`
   * - `layers`: one bit per layer of the system
   * - `numbers`: in the order of `ParticleNumber`
   * - `sizes`: a share of the life and metres, per stop
   * - `colors`: a share of the life and a linear colour with alpha, per stop
   */
  setParticles: {
    particles: 'u32',
    node: 'u32',
    material: 'u32',
    flags: 'u32',
    capacity: 'u32',
    seed: 'u32',
    layers: 'u32',
    numbers: 'f32[]',
    sizes: 'f32[]',
    colors: 'f32[]',
  },
  /** Changes the births of a system from a scene time on: the fields of `Emission`. */
  emitParticles: {
    particles: 'u32',
    start: 'f64',
    births: 'f64',
    fraction: 'f64',
    rate: 'f64',
    burst: 'u32',
  },
  destroyParticles: { particles: 'u32' },
} as const satisfies Readonly<Record<string, RecordFields>>;
