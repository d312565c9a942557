/** A scene root in an engine without a GPU, which each test gets anew. For unit tests only. */
import { Component, createElement, type ReactNode } from 'react';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { timeLimit } from '../../scripts/lib/time-limits.mjs';
import { type Actor, boxGeometry, createEngine, type Engine } from '../index.js';
import { createSceneRoot, Mesh, type SceneRoot } from './index.js';

export const box = boxGeometry();
export let engine: Engine;
export let root: SceneRoot;
export let errors: unknown[];

beforeEach(async () => {
  engine = await createEngine(null, { backend: 'null' });
  errors = [];
  engine.addEventListener('error', ({ detail }) => errors.push(detail));
  root = createSceneRoot(engine, { onError: (error) => errors.push(error) });
  // React prints errors that a boundary has caught, in development.
  vi.spyOn(console, 'error').mockImplementation(() => {});
});
afterEach(async () => {
  vi.useRealTimers();
  root.unmount();
  expect(engine.world.actors).toEqual([]);
  expect(engine.world.levels).toHaveLength(1);
  expect((await engine.dispose()).leaks).toEqual([]);
  vi.restoreAllMocks();
});

export const h = createElement;
export const waitUntil = (check: () => void): Promise<void> =>
  vi.waitFor(check, { timeout: timeLimit(20_000) });
export const codes = (): string[] =>
  errors.map((error) => (error as { code?: string }).code ?? String(error));
export const messages = (): string[] => errors.map((error) => (error as Error).message);
export const names = (): string[] => engine.world.actors.map(({ name }) => name);
export const find = (name: string): Actor =>
  engine.world.actors.find((actor) => actor.name === name) as Actor;
export const mesh = (props: object): ReactNode => h(Mesh, { geometry: box, ...props });

/** A glTF file with one triangle, two variants and a clip that moves it. */
export const file = ((): ArrayBuffer => {
  const numbers = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 5, 0, 0]);
  const view = (byteOffset: number, byteLength: number): object => ({ buffer: 0, byteOffset, byteLength });
  const gltf = {
    asset: { version: '2.0' },
    extensionsUsed: ['KHR_materials_variants'],
    extensions: { KHR_materials_variants: { variants: [{ name: 'red' }, { name: 'blue' }] } },
    buffers: [{ byteLength: 68, uri: `data:;base64,${Buffer.from(numbers.buffer).toString('base64')}` }],
    bufferViews: [view(0, 36), view(36, 8), view(44, 24)],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5126, count: 2, type: 'SCALAR', min: [0], max: [1] },
      { bufferView: 2, componentType: 5126, count: 2, type: 'VEC3' },
    ],
    materials: [{ name: 'plain' }, { name: 'red' }, { name: 'blue' }],
    meshes: [
      {
        primitives: [
          {
            attributes: { POSITION: 0 },
            material: 0,
            extensions: {
              KHR_materials_variants: {
                mappings: [
                  { material: 1, variants: [0] },
                  { material: 2, variants: [1] },
                ],
              },
            },
          },
        ],
      },
    ],
    animations: [
      {
        name: 'slide',
        samplers: [{ input: 1, output: 2 }],
        channels: [{ sampler: 0, target: { node: 0, path: 'translation' } }],
      },
    ],
    nodes: [{ mesh: 0, name: 'sign' }],
    scenes: [{ nodes: [0] }],
    scene: 0,
  };
  return new TextEncoder().encode(JSON.stringify(gltf)).buffer as ArrayBuffer;
})();
export const signFile = new File([file], 'sign.gltf');
export const extraFile = new File(['text'], 'notes.txt');
/** Returns a copy of the file. Spaces at its end make it another one. */
export const freshFile = (spaces = 0): ArrayBuffer => {
  const bytes = new Uint8Array(file.byteLength + spaces).fill(32);
  bytes.set(new Uint8Array(file));
  return bytes.buffer;
};

/** An error boundary of the page, which shows nothing after an error. */
export class PageBoundary extends Component<{ readonly children?: ReactNode; readonly seen: unknown[] }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError(): object {
    return { hasFailed: true };
  }
  override componentDidCatch(error: unknown): void {
    this.props.seen.push(error);
  }
  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}
