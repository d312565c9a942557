/**
 * Random states for a soak's scene. Each method takes its random numbers in a fixed order, so that a seed always gives
 * the same states.
 */
import * as fencepost from 'fencepost';
import { SHAPE_COUNT } from './soak-parts.js';
import type { Random } from './soak-random.js';
import {
  CAMERA_COUNT,
  type CameraState,
  type CrowdState,
  type EnvironmentState,
  type LightState,
  type LookState,
  MATERIAL_COUNT,
  type MaterialState,
  type MeshState,
  PICTURE_COUNT,
  type ViewRect,
  type ViewState,
} from './soak-state.js';

export class SoakValues {
  constructor(private readonly random: Random) {}

  /** Returns a random mesh state. @param ids ids of the existing meshes */
  mesh(id: number, ids: readonly number[]): MeshState {
    const { random } = this;
    return {
      id,
      parent: ids.length > 0 && random.next() < 0.3 ? random.pick(ids) : null,
      shape: random.below(SHAPE_COUNT),
      material: random.below(MATERIAL_COUNT),
      transform: this.transform(),
      visible: random.next() < 0.9,
      castShadow: random.next() < 0.8,
      hasLods: random.next() < 0.2,
    };
  }

  point(): number[] {
    const { random } = this;
    return [random.between(-1.2, 1.2), random.between(-0.8, 0.8), random.between(-1, 1)];
  }

  color(): number[] {
    const { random } = this;
    return [random.next(), random.next(), random.next()];
  }

  transform(): number[] {
    const { random } = this;
    const angle = random.between(0, Math.PI);
    const scale = random.between(0.5, 1.3);
    const transform = [...this.point(), 0, Math.sin(angle), 0, Math.cos(angle), scale, scale, scale];
    return [...new Float32Array(transform)];
  }

  material(): MaterialState {
    const { random } = this;
    const alpha = random.next() < 0.8 ? 1 : random.between(0.2, 0.9);
    const texture =
      random.next() < 0.4
        ? { picture: random.below(PICTURE_COUNT), as: random.pick(['pixels', 'bitmap', 'blob'] as const) }
        : null;
    return {
      isUnlit: random.next() < 0.2,
      baseColor: [...this.color(), alpha],
      alphaMode: alpha === 1 ? 'opaque' : 'blend',
      metallic: random.next(),
      roughness: random.between(0.1, 1),
      emissive: random.next() < 0.2 ? this.color() : [0, 0, 0],
      texture,
      doubleSided: random.next() < 0.3,
    };
  }

  light(): LightState | null {
    const { random } = this;
    const kind = random.pick(['directional', 'point', 'spot', 'none'] as const);
    const color = this.color();
    const position = [random.between(-2, 2), random.between(1, 3), random.between(1, 3)];
    const castShadow = random.next() < 0.5;
    const intensity = kind === 'directional' ? 2 : 20;
    return kind === 'none' ? null : { kind, color, position, intensity, castShadow };
  }

  camera(): CameraState | null {
    const { random } = this;
    const position = [random.between(-1, 1), random.between(0, 2), random.between(3, 5)];
    const isThere = random.next() < 0.8;
    const state = { position, fovY: random.between(0.6, 1.1), orthographic: random.next() < 0.3 };
    return isThere ? state : null;
  }

  crowd(): CrowdState | null {
    const { random } = this;
    const kind = random.pick(['instances', 'instances', 'lines', 'points', 'none'] as const);
    const shape = random.below(SHAPE_COUNT);
    const material = random.below(MATERIAL_COUNT);
    const isColored = random.next() < 0.5;
    const places = this.places();
    return kind === 'none' ? null : { kind, shape, material, isColored, places };
  }

  /** Returns at least two places, because a line has two ends. */
  places(): number[] {
    const count = 2 + this.random.below(10);
    return Array.from({ length: count }, () => this.random.below(2 ** 31));
  }

  view(): ViewState {
    return { camera: this.random.below(CAMERA_COUNT), rect: this.rect() };
  }

  rect(): ViewRect {
    return this.random.pick([
      { x: 0, y: 0, width: 0.5, height: 1 },
      { x: 0.5, y: 0, width: 0.5, height: 0.5 },
      { x: 0.25, y: 0.25, width: 0.5, height: 0.75 },
      { x: 0, y: 0, width: 1, height: 1 },
    ]);
  }

  look(): Omit<LookState, 'environment'> {
    const { random } = this;
    return {
      renderer: random.pick(['forward', 'deferred'] as const),
      antialias: random.next() < 0.7,
      exposure: random.between(0.5, 2),
      toneMapping: random.pick(['none', 'aces', 'agx', 'khronos-neutral'] as const),
      ambient: random.next() < 0.5 ? this.color() : [0, 0, 0],
    };
  }

  environment(): EnvironmentState {
    const { random } = this;
    const count = random.next() < 0.3 ? 2 : 1;
    return {
      sources: Array.from({ length: count }, () => ({
        source: random.pick(['studio', 'sky', null] as const),
        weight: random.between(0.2, 1),
      })),
      intensity: random.between(0.2, 2),
      rotation: random.between(-3, 3),
      background: random.next() < 0.4,
      backgroundBlur: random.next() < 0.5 ? 0 : random.next(),
    };
  }

  play(): fencepost.PlayOptions {
    const { random } = this;
    return {
      loop: random.pick(['repeat', 'repeat', 'once', 'ping-pong'] as const),
      speed: random.pick([0, 0.5, 1, 2, -1]),
      weight: random.pick([0.5, 1, 1]),
      fadeSeconds: random.pick([0, 0.2]),
      startSeconds: random.pick([0, 0.3]),
      additive: random.next() < 0.2,
    };
  }

  motion(): { readonly kind: string; readonly motion: fencepost.Motion | null } {
    const { random } = this;
    const kind = random.pick(['none', 'spin', 'orbit', 'keyframes'] as const);
    const radiansPerSecond = random.between(-6, 6);
    const motion = {
      none: () => null,
      spin: () => fencepost.spin({ axis: [random.between(-1, 1), 1, 0.3], radiansPerSecond }),
      orbit: () => fencepost.orbit({ radiansPerSecond, turnsAlong: random.next() < 0.5 }),
      keyframes: () =>
        fencepost.keyframes({
          times: [0, 0.4, 1],
          positions: [this.point(), this.point(), this.point()],
          loop: random.next() < 0.5,
        }),
    }[kind]();
    return { kind, motion };
  }

  materialMotion(): fencepost.MaterialMotion | null {
    const colors = [this.color(), this.color(), this.color()];
    const isMoving = this.random.next() < 0.7;
    const motion = fencepost.animate({ times: [0, 0.5, 1.5], baseColor: colors, loop: true });
    return isMoving ? motion : null;
  }
}
