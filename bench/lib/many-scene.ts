/**
 * B11's scenes, which each engine implements: many lights, many shadow casters, many meshes. In each scene a group or a
 * camera turns, so the benchmark changes only one rotation per frame. Units are metres and radians, with Y up.
 */
import { COLORS } from './scene.js';

export const MANY_CASES = ['500 lights', '2,000 casters', '3,000 meshes'] as const;
export type ManyCase = (typeof MANY_CASES)[number];

/** Milliseconds of one frame, by thread. */
export interface ThreadTimes {
  readonly mainMs: number;
  /** Missing for engines without such threads. */
  readonly renderMs?: number;
  readonly rhiMs?: number;
}

export interface ManyScene {
  readonly name: string;
  readonly version: string;
  start(canvas: HTMLCanvasElement, of: ManyCase): Promise<void>;
  /**
   * Draws the frame with this number.
   *
   * @param gpuIdle resolves when the page's device is idle
   */
  draw(frame: number, gpuIdle: () => Promise<unknown>): Promise<ThreadTimes>;
}

export const CAMERA = { position: [0, 14, 34], target: [0, 0, 0], fovY: 0.9, near: 0.5, far: 150 } as const;
export const FLOOR = 120;
export const SUN = { direction: [-1, -2, -1.5], intensity: 3 } as const;
export const CASCADES = { count: 4, mapSize: 512, distance: 100 } as const;
export const LAMP = { range: 5, intensity: 4 } as const;

export interface Box {
  readonly position: readonly [number, number, number];
  /** Length of an edge in metres. */
  readonly size: number;
  readonly color: readonly [number, number, number];
}

/** Returns the turn of the group or the camera in a frame, in radians. */
export const turnOf = (frame: number): number => frame * 0.02;

/** Returns boxes in rings around the middle. Each box is a separate mesh, or a shadow caster. */
export function boxesOf(of: ManyCase): Box[] {
  const count = of === '500 lights' ? 200 : of === '2,000 casters' ? 2000 : 3000;
  return Array.from({ length: count }, (_, index) => {
    const angle = index * 2.39996;
    const radius = Math.sqrt(index / count) * 45 + 1;
    return {
      position: [Math.cos(angle) * radius, 0.5 + (index % 5) * 0.4, Math.sin(angle) * radius],
      // A hundred sizes give a hundred geometries, so few meshes are alike.
      size: 0.5 + (index % 100) * 0.006,
      color: COLORS[index % COLORS.length] ?? [1, 1, 1],
    };
  });
}

export function lampsOf(of: ManyCase): (readonly [number, number, number])[] {
  if (of !== '500 lights') return [];
  return Array.from({ length: 500 }, (_, index) => {
    const angle = index * 2.39996;
    const radius = Math.sqrt(index / 500) * 40;
    return [Math.cos(angle) * radius, 1.5, Math.sin(angle) * radius];
  });
}
