/**
 * Random histories of a world: actions of page code, loads, frames and failures, step by step. A model
 * follows the stream that the world is sent into. For tests only.
 */

import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { StreamError } from '../../core/errors.js';
import type { SceneDescription, TextureDescription } from '../../proxy/scene-description.js';
import type { Actor } from '../components/actor.js';
import { CameraComponent } from '../components/camera-component.js';
import { MeshComponent } from '../components/mesh-component.js';
import { SceneComponent } from '../components/scene-component.js';
import { boxGeometry, sphereGeometry } from '../geometry/shapes.js';
import { PointLightComponent } from '../lights/light-component.js';
import { standardMaterial } from '../materials/material.js';
import { type Texture, texture } from '../textures/texture.js';
import { prepareResend } from '../updates/resend.js';
import { fakeImage, images } from './fake-images.js';
import { RenderModel } from './render-model.js';
import { createTestWorld, triangleScene } from './test-world.js';

const GEOMETRIES = [boxGeometry(), boxGeometry({ size: [1, 2, 3] }), sphereGeometry({ segments: 8 })];
export const SAMPLER = {
  wrapU: 'repeat',
  wrapV: 'repeat',
  magnify: 'linear',
  minify: 'linear',
  mipmap: 'none',
} as const;

/**
 * Returns a file of two nodes. Its first texture is in use, the second is not.
 * @param asFile whether textures are decoded images with their encoded files, instead of pixels
 */
function textured(number: number, asFile: boolean): SceneDescription {
  const scene = triangleScene();
  const image = (pixels: string): Partial<TextureDescription> & Pick<TextureDescription, 'image'> => {
    if (!asFile) return { image: new TextEncoder().encode(pixels.slice(-4)).buffer as ArrayBuffer };
    const first = fakeImage(pixels);
    images.made.push(first);
    return { image: first as unknown as ImageBitmap, encoded: new Blob([pixels]) };
  };
  const description = (label: string, srgb: boolean): TextureDescription => {
    return { label, width: 1, height: 1, srgb, sampler: SAMPLER, ...image(`${label} ${number + 1000}`) };
  };
  const node = pick(scene.nodes, 0);
  return {
    ...scene,
    nodes: [node, { ...node, parent: 0, name: 'child' }],
    materials: [{ ...pick(scene.materials, 0), textures: { baseColor: { texture: 0, uvSet: 0 } } }],
    textures: [description('shown', true), description('not shown', false)],
  };
}

export type Step =
  | { readonly kind: 'spawn'; readonly what: number; readonly parent: number; readonly material: number }
  | { readonly kind: 'destroy' | 'hide' | 'move' | 'camera' | 'unload'; readonly which: number }
  | {
      readonly kind: 'attach' | 'geometry' | 'material' | 'tint' | 'texture';
      readonly which: number;
      readonly to: number;
    }
  | { readonly kind: 'load'; readonly asFile: boolean }
  | { readonly kind: 'fail'; readonly after: number }
  | { readonly kind: 'answer' | 'frame' | 'settle' | 'prepare' | 'resend' | 'recover' };

const number = fc.nat(30);
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('spawn' as const),
      what: number,
      parent: number,
      material: number,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'destroy' as const,
        'hide' as const,
        'move' as const,
        'camera' as const,
        'unload' as const,
      ),
      which: number,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'attach' as const,
        'geometry' as const,
        'material' as const,
        'tint' as const,
        'texture' as const,
      ),
      which: number,
      to: number,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('load' as const), asFile: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), after: fc.nat(12) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'answer' as const,
        'frame' as const,
        'frame' as const,
        'settle' as const,
        'prepare' as const,
        'resend' as const,
        'recover' as const,
      ),
    }),
  },
);

export const newModel = (): RenderModel => new RenderModel((image) => images.sent.add(image));

/** Creates a world, the model of its current stream, and a loader. `answer` resolves the oldest load. */
export function setUp() {
  const requests: (() => void)[] = [];
  let loads = 0;
  let asFile = false;
  const test = createTestWorld(
    () =>
      new Promise((resolve) => requests.push(resolve.bind(null, textured(loads++, asFile)) as () => void)),
  );
  const state = { model: newModel(), reader: test.reader };
  const send = (): void => {
    state.model.apply(test.send(), state.reader);
  };
  const resend = (): void => {
    state.reader = test.resend();
    state.model = newModel().apply(test.read(), state.reader);
  };
  /** Simulates a stream that fails within an update, after `after` records. Then resends the world. */
  const fail = (after: number): void => {
    const { updates } = test.world;
    const { writer } = updates;
    const reserve = (opcode: number, count: number): number => {
      if (--after < 0) throw new StreamError('stream-closed', 'The other side is gone.');
      return writer.reserve(opcode, count);
    };
    updates.writer = Object.create(writer, {
      reserve: { value: reserve },
      reserveWithAttachment: { value: reserve },
      attach: { value: (image: object) => void images.sent.add(image) },
      usedWords: { get: () => writer.usedWords },
      words: { get: () => writer.words },
      floats: { get: () => writer.floats },
    });
    try {
      test.world.sendUpdates();
    } catch (error) {
      expect(error).toBeInstanceOf(StreamError);
    }
    resend();
  };
  const answer = (): void => requests.shift()?.();
  const load = (inFile: boolean): void => {
    asFile = inFile;
    test.world.load(`https://example.org/${loads}.glb`).catch(() => {});
  };
  /** Completes every load and every image. */
  const settle = async (): Promise<void> => {
    await vi.dynamicImportSettled();
    while (requests.length) answer();
    await test.world.whenReady();
  };
  return { ...test, state, send, resend, fail, answer, load, settle };
}

type Setup = ReturnType<typeof setUp>;

/** Returns one item of a list that is never empty. */
const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
/** Returns one item of a list, or undefined if it is empty. */
const pickAny = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];

/** Creates the textures and materials of one history. A rebuilt world shares the textures and copies the materials. */
export function createPalette() {
  const pixels = (value: number) => texture({ width: 1, height: 1, data: new Uint8Array(4).fill(value) });
  const textures: (Texture | null)[] = [
    null,
    pixels(1),
    pixels(2),
    texture(new Blob(['blob'])),
    texture(new Blob(['broken'])),
    texture(fakeImage('bitmap') as unknown as ImageBitmap, { colorSpace: 'srgb' }),
  ];
  const materials = [0, 1, 2, 3].map((index) =>
    standardMaterial({ roughness: index / 4, baseColorTexture: pick(textures, index * 2) }),
  );
  return { textures, materials };
}

/** Carries out one step in the world of `setup`. */
export async function take(
  step: Step,
  { textures, materials }: ReturnType<typeof createPalette>,
  setup: Setup,
): Promise<void> {
  const { world } = setup;
  const actors = world.levels.flatMap((level) => level.actors);
  const actor = 'which' in step ? pickAny(actors, step.which) : undefined;
  const mesh = actor?.component(MeshComponent);
  switch (step.kind) {
    case 'spawn': {
      const geometry = pick(GEOMETRIES, step.what);
      const material = pick(materials, step.material);
      const spawn = pick(
        [
          () => world.addMesh({ geometry, material, position: [step.what, 0, 0] }),
          () => world.addMesh({ geometry }),
          () => world.addPointLight({ intensity: step.what }),
          () => world.addDirectionalLight(),
          () => world.addCamera({ fovY: 0.5 + step.what / 50 }),
          () => world.spawn(new SceneComponent({ visible: false })),
        ],
        step.what,
      );
      const made: Actor = spawn();
      const parent = pickAny(actors, step.parent);
      if (step.parent % 2 && parent) made.attachTo(parent);
      if (step.parent % 5 === 0) made.addComponent(new PointLightComponent({ range: 3 }));
      return;
    }
    case 'destroy':
      return actor?.destroy();
    case 'hide':
      if (actor) actor.visible = !actor.visible;
      return;
    case 'move':
      return actor?.position.set(step.which, 1, 2);
    case 'camera':
      world.activeCamera =
        pickAny(
          actors.filter((each) => each.component(CameraComponent)),
          step.which,
        ) ?? null;
      return;
    case 'unload':
      return pickAny(
        world.levels.filter((level) => level !== world.persistentLevel),
        step.which,
      )?.unload();
    case 'attach': {
      const target = step.to % 4 ? pickAny(actors, step.to) : null;
      try {
        actor?.attachTo(target ?? null);
      } catch (error) {
        expect(error).toMatchObject({ code: 'attachment-cycle' });
      }
      return;
    }
    case 'geometry':
      if (mesh) mesh.geometry = pick(GEOMETRIES, step.to);
      return;
    case 'material':
      if (mesh) mesh.material = pick(materials, step.to);
      return;
    case 'tint':
      pick(materials, step.which).metallic = step.to / 30;
      return;
    case 'texture':
      pick(materials, step.which).normalTexture = pick(textures, step.to);
      return;
    case 'load':
      return setup.load(step.asFile);
    case 'fail':
      return setup.fail(step.after);
    case 'answer':
      return setup.answer();
    case 'frame':
      return setup.send();
    case 'settle':
      return setup.settle();
    case 'prepare':
      // The promise is not awaited, so that an image may also arrive after a further change of streams.
      void prepareResend(world);
      return;
    case 'resend':
      return setup.resend();
    case 'recover':
      await prepareResend(world);
      return setup.resend();
  }
}
