import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { StreamError } from '../core/errors.js';
import type { SceneDescription, TextureDescription } from '../proxy/scene-description.js';
import { Actor } from './actor.js';
import { CameraComponent } from './camera-component.js';
import { LevelTexture } from './level-texture.js';
import { DirectionalLightComponent, LightComponent, PointLightComponent } from './light-component.js';
import { Material, standardMaterial } from './material.js';
import { MeshComponent } from './mesh-component.js';
import { RenderModel } from './render-model.test-helper.js';
import { SceneComponent } from './scene-component.js';
import { boxGeometry, sphereGeometry } from './shapes.js';
import { type PixelData, type Texture, texture } from './texture.js';
import type { World } from './world.js';
import { createTestWorld, triangleScene } from './world.test-helper.js';

/** Stands in for the browser's decoder: an image remembers what it shows, and whether it was closed. */
interface FakeImage {
  readonly width: number;
  readonly height: number;
  readonly pixels: string;
  isClosed: boolean;
  close(): void;
}

let made: FakeImage[] = [];
/** What went into a stream, and belongs to the other side. */
let sent = new Set<unknown>();
/** Copies that textures keep to make others of. */
let kept = new Set<unknown>();
let isDecoderBroken = false;

function fakeImage(pixels: string): FakeImage {
  return {
    width: 1,
    height: 1,
    pixels,
    isClosed: false,
    close() {
      if (this.isClosed) throw new Error(`"${pixels}" is closed twice`);
      this.isClosed = true;
    },
  };
}

beforeEach(() => {
  made = [];
  kept = new Set();
  isDecoderBroken = false;
  vi.stubGlobal('createImageBitmap', async (source: Blob | FakeImage) => {
    const pixels = source instanceof Blob ? await source.text() : source.pixels;
    if (isDecoderBroken || pixels === 'broken') throw new Error('it is no image');
    if (!(source instanceof Blob)) {
      if (source.isClosed) throw new Error('it is closed');
      kept.add(source);
    }
    const image = fakeImage(pixels);
    made.push(image);
    return image;
  });
});
afterEach(() => vi.unstubAllGlobals());

const GEOMETRIES = [boxGeometry(), boxGeometry({ size: [1, 2, 3] }), sphereGeometry({ segments: 8 })];
const SAMPLER = {
  wrapU: 'repeat',
  wrapV: 'repeat',
  magnify: 'linear',
  minify: 'linear',
  mipmap: 'none',
} as const;

/** A file of two nodes; its first texture is shown, the second is not. */
function textured(number: number, asFile: boolean): SceneDescription {
  const scene = triangleScene();
  const image = (pixels: string): Partial<TextureDescription> & Pick<TextureDescription, 'image'> => {
    if (!asFile) return { image: new TextEncoder().encode(pixels.slice(-4)).buffer as ArrayBuffer };
    const first = fakeImage(pixels);
    made.push(first);
    return { image: first as unknown as ImageBitmap, encoded: new Blob([pixels]) };
  };
  const description = (label: string, srgb: boolean): TextureDescription => {
    return { label, width: 1, height: 1, srgb, sampler: SAMPLER, ...image(`${label} ${number + 1000}`) };
  };
  const [node] = scene.nodes;
  return {
    ...scene,
    nodes: [node!, { ...node!, parent: 0, name: 'child' }],
    materials: [{ ...scene.materials[0]!, textures: { baseColor: { texture: 0, uvSet: 0 } } }],
    textures: [description('shown', true), description('not shown', false)],
  };
}

type Step =
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
const step: fc.Arbitrary<Step> = fc.oneof(
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

/** A world, the model of the stream that it is sent into now, and a loader that answers when it is told to. */
function setUp() {
  const requests: (() => void)[] = [];
  let loads = 0;
  let asFile = false;
  const test = createTestWorld(
    () =>
      new Promise((resolve) => requests.push(resolve.bind(null, textured(loads++, asFile)) as () => void)),
  );
  const state = { model: new RenderModel((image) => sent.add(image)), reader: test.reader };
  const send = (): void => {
    state.model.apply(test.send(), state.reader);
  };
  const resend = (): void => {
    state.reader = test.resend();
    state.model = new RenderModel((image) => sent.add(image)).apply(test.read(), state.reader);
  };
  /** A stream that fails within the update, after some records. */
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
      attach: { value: (image: object) => void sent.add(image) },
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
  /** Lets every load and every image come. */
  const settle = async (): Promise<void> => {
    await vi.dynamicImportSettled();
    while (requests.length) answer();
    await test.world.whenReady();
  };
  return { ...test, state, send, resend, fail, answer, load, settle };
}

type Setup = ReturnType<typeof setUp>;

const pick = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];

/** The textures and materials of one history; descriptions are shared by the worlds that show them. */
function createPalette() {
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
    standardMaterial({ roughness: index / 4, baseColorTexture: pick(textures, index * 2) ?? null }),
  );
  return { textures, materials };
}

async function take(
  step: Step,
  { textures, materials }: ReturnType<typeof createPalette>,
  setup: Setup,
): Promise<void> {
  const { world } = setup;
  const actors = world.levels.flatMap((level) => level.actors);
  const actor = 'which' in step ? pick(actors, step.which) : undefined;
  const mesh = actor?.component(MeshComponent);
  switch (step.kind) {
    case 'spawn': {
      const geometry = pick(GEOMETRIES, step.what)!;
      const material = pick(materials, step.material)!;
      const made = [
        () => world.addMesh({ geometry, material, position: [step.what, 0, 0] }),
        () => world.addMesh({ geometry }),
        () => world.addPointLight({ intensity: step.what }),
        () => world.addDirectionalLight(),
        () => world.addCamera({ fovY: 0.5 + step.what / 50 }),
        () => world.spawn(new SceneComponent({ visible: false })),
      ][step.what % 6]!();
      const parent = pick(actors, step.parent);
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
        pick(
          actors.filter((each) => each.component(CameraComponent)),
          step.which,
        ) ?? null;
      return;
    case 'unload':
      return pick(
        world.levels.filter((level) => level !== world.persistentLevel),
        step.which,
      )?.unload();
    case 'attach': {
      const target = step.to % 4 ? pick(actors, step.to) : null;
      try {
        actor?.attachTo(target ?? null);
      } catch (error) {
        expect(error).toMatchObject({ code: 'attachment-cycle' });
      }
      return;
    }
    case 'geometry':
      if (mesh) mesh.geometry = pick(GEOMETRIES, step.to)!;
      return;
    case 'material':
      if (mesh) mesh.material = pick(materials, step.to)!;
      return;
    case 'tint':
      pick(materials, step.which)!.metallic = step.to / 30;
      return;
    case 'texture':
      pick(materials, step.which)!.normalTexture = pick(textures, step.to) ?? null;
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
      // Not awaited: an image may also come when the stream has changed once more.
      void world.prepareResend();
      return;
    case 'resend':
      return setup.resend();
    case 'recover':
      await world.prepareResend();
      return setup.resend();
  }
}

/** The texture as it was before its image was handed over. */
async function levelTextureLike(original: LevelTexture): Promise<LevelTexture> {
  const { name: label, srgb, retained } = original;
  const image =
    retained instanceof Blob
      ? (fakeImage(await retained.text()) as unknown as ImageBitmap)
      : new Uint8Array((retained as PixelData).data).buffer;
  return new LevelTexture({ label, image, width: 1, height: 1, srgb, sampler: SAMPLER });
}

/** The same scene in a world that has never known another. */
async function rebuild(from: World, world: World): Promise<void> {
  const textures = new Map<Texture, Texture>();
  for (const level of from.levels) {
    for (const { texture: each } of level.textures) {
      textures.set(each, await levelTextureLike(each as LevelTexture));
    }
  }
  const textureLike = (original: Texture): Texture => textures.get(original) ?? original;
  const materials = new Map<Material, Material>();
  const materialLike = (original: Material): Material => {
    const copy = materials.get(original) ?? new Material(original.name, original.flags);
    copy.parameters.set(original.parameters);
    original.textures.forEach((each, slot) => {
      copy.textures[slot] = each && textureLike(each);
    });
    materials.set(original, copy);
    return copy;
  };
  const copies = new Map<SceneComponent, SceneComponent>();
  const copyOf = (component: SceneComponent): SceneComponent => {
    let copy: SceneComponent;
    if (component instanceof MeshComponent) {
      copy = new MeshComponent({ geometry: component.geometry, material: materialLike(component.material) });
    } else if (component instanceof CameraComponent) copy = new CameraComponent({ fovY: component.fovY });
    else if (component instanceof DirectionalLightComponent) copy = new DirectionalLightComponent();
    else if (component instanceof LightComponent) {
      copy = new PointLightComponent({ intensity: component.intensity, range: component.range });
    } else copy = new SceneComponent();
    const { position, rotation, scale } = component;
    copy.position.set(position.x, position.y, position.z);
    copy.rotation.set(rotation.x, rotation.y, rotation.z, rotation.w);
    copy.scale.set(scale.x, scale.y, scale.z);
    copy.visible = component.visible;
    copies.set(component, copy);
    return copy;
  };
  for (const level of from.levels) {
    for (const { texture: each } of level.textures) world.updates.resources.holdTexture(textureLike(each));
    for (const actor of level.root ? [level.root, ...level.actors] : level.actors) {
      const [root, ...others] = (actor.components as SceneComponent[]).map(copyOf);
      const copy = new Actor(root);
      for (const other of others) copy.addComponent(other);
      world.spawn(copy);
    }
  }
  for (const [component, copy] of copies) {
    const parent = component.parent && copies.get(component.parent)!;
    if (copy.parent !== parent) copy.attachTo(parent);
  }
  const camera = from.activeCamera && copies.get(from.activeCamera.component(CameraComponent)!)?.actor;
  world.activeCamera = camera ?? null;
}

describe('a world is sent again into another stream', () => {
  it('and looks there as in the old one, and as one built directly, after any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        made = [];
        kept = new Set();
        sent = new Set();
        const setup = setUp();
        const palette = createPalette();
        const { world, state } = setup;
        for (const each of steps) {
          await take(each, palette, setup);
        }
        await setup.settle();
        // Images are asked for when what shows them is first sent.
        setup.send();
        await setup.settle();
        setup.send();
        const old = state.model;

        await world.prepareResend();
        setup.resend();
        expect(state.model.snapshot()).toEqual(old.snapshot());
        expect(setup.sendNames()).toEqual([]);

        const direct = createTestWorld();
        const model = new RenderModel((image) => sent.add(image));
        await rebuild(world, direct.world);
        model.apply(direct.send(), direct.reader);
        await direct.world.whenReady();
        model.apply(direct.send(), direct.reader);
        expect(state.model.scene()).toEqual(model.scene());

        world.dispose();
        setup.send();
        expect(state.model.scene()).toEqual(new RenderModel((image) => sent.add(image)).scene());
        await setup.settle();
        const images = made.filter((image) => !kept.has(image));
        expect(images.filter((image) => image.isClosed === sent.has(image))).toEqual([]);
        for (const error of [...setup.errors, ...direct.errors]) {
          expect(error).toMatchObject({
            code: 'texture-load-failed',
            message: expect.stringContaining('no image'),
          });
        }
      }),
      { numRuns: Number(process.env.FC_RUNS ?? 120) },
    );
  }, 60_000);
});
