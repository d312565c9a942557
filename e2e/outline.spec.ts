import type { Engine } from 'fencepost';
import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { morphedGltf } from './morphed-gltf.js';
import { openEnginePage } from './open-engine-page.js';
import { skinnedGltf } from './skinned-gltf.js';

// R14: a line around actors, for selection.

declare global {
  interface Window {
    skinnedGltf: typeof skinnedGltf;
    morphedGltf: typeof morphedGltf;
  }
}

type Pixels = Readonly<Record<string, readonly number[]>>;

inEveryMode(
  'R14: outlines have their colour and width around visible parts, or through other surfaces, in each view',
  async (engine: Engine) => {
    const { Actor, MeshComponent, planeGeometry, unlitMaterial } = window.fencepost;
    const { world } = engine;
    engine.background = '#000';
    const camera = world.addCamera({ position: [0, 0, 4], orthographic: { halfHeight: 1 } });
    const white = unlitMaterial({ baseColor: '#fff' });
    // Covers the columns 16 to 48 and the rows 48 to 80.
    const target = world.addMesh({
      geometry: planeGeometry({ size: 0.5 }),
      material: white,
      position: [-0.5, 0, 0],
    });
    // Hides the rows from 72 on.
    const grey = unlitMaterial({ baseColor: '#808080' });
    const wall = planeGeometry({ size: 2 });
    world.addMesh({ geometry: wall, material: grey, position: [0, -1.125, 1] });
    const small = planeGeometry({ size: 0.1 });
    const places = world.addInstances({ geometry: small, material: white, count: 2 });
    places.positions.set([0.3, 0.5, 0, 0.7, 0.5, 0]);
    places.touch();
    const seen: Record<string, number[]> = {};
    const look = async (name: string): Promise<void> => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number, y: number) => window.kit.pixel(frame, x, y).slice(0, 3);
      seen[name] = [
        // Left of the target: 2 pixels away, and 6 pixels away.
        ...at(13, 60),
        ...at(9, 60),
        // In the target, and below its visible part.
        ...at(30, 60),
        ...at(30, 74),
        // Below the hidden part, and above the second instance.
        ...at(30, 82),
        ...at(Math.round(64 + 0.7 * 64), 64 - 32 - 5),
      ];
    };
    for (const way of ['forward', 'smooth', 'deferred', 'toned', 'display'] as const) {
      engine.renderer = way === 'deferred' ? 'deferred' : 'forward';
      engine.antialias = way === 'smooth';
      engine.hdr = way !== 'display';
      engine.exposure = way === 'toned' ? 0.3 : 1;
      engine.toneMapping = way === 'toned' ? 'agx' : 'none';
      engine.effects.outline = { actors: [target], color: '#00c040', width: 4 };
      await look(way);
      engine.effects.outline.throughThings = true;
      await look(`${way}, through`);
    }
    engine.hdr = true;
    engine.effects.outline = { actors: [places], color: '#00c040', width: 4, opacity: 0.5 };
    await look('instances');
    // Actors in and out of the world, and actors that are attached to others.
    const far = new Actor();
    world.spawn(far);
    target.attachTo(far);
    engine.effects.outline = { actors: [far], color: '#00c040', width: 4 };
    await look('attached');
    target.attachTo(null);
    await look('detached');
    target.attachTo(far);
    far.destroy();
    await look('destroyed');
    // An actor that enters the world later.
    const later = new Actor(new MeshComponent({ geometry: planeGeometry({ size: 0.5 }), material: white }));
    later.root.position.set(-0.5, 0, 0);
    engine.effects.outline.actors = [later];
    await look('absent');
    world.spawn(later);
    await look('entered');
    later.destroy();
    const half = { y: 0, width: 0.5, height: 1 };
    const again = world.addMesh({ geometry: planeGeometry({ size: 0.5 }), material: white });
    const left = engine.addView({
      camera,
      rect: { x: 0, ...half },
      effects: { outline: { actors: [again] } },
    });
    const right = engine.addView({ camera, rect: { x: 0.5, ...half }, effects: { outline: false } });
    await engine.step(0);
    const frame = await engine.captureFrame();
    seen.views = [13, 77].map((x) => window.kit.pixel(frame, x, 60)[0]!);
    left.dispose();
    right.dispose();
    engine.effects.outline = { actors: [again], throughThings: true };
    await look('last');
    return seen;
  },
  (found) => {
    const seen = found as Pixels;
    const line = [0, 192, 64];
    const black = [0, 0, 0];
    const white = [255, 255, 255];
    const grey = [128, 128, 128];
    for (const way of ['forward', 'smooth', 'deferred', 'toned', 'display']) {
      expect(seen[way], way).toEqual([...line, ...black, ...white, ...line, ...grey, ...black]);
      const through = [...line, ...black, ...white, ...grey, ...line, ...black];
      expect(seen[`${way}, through`], way).toEqual(through);
    }
    expect(seen.instances!.slice(15)).toEqual([0, 140, 44]);
    expect(seen.attached!.slice(0, 6)).toEqual([...line, ...black]);
    expect(seen.entered!.slice(0, 6)).toEqual([...line, ...black]);
    for (const name of ['detached', 'destroyed', 'absent'])
      expect(seen[name]!.slice(0, 3), name).toEqual(black);
    expect(seen.views![0]).toBeGreaterThan(200);
    expect(seen.views![1]).toBe(0);
  },
);

test('R14: outlines follow joints and morph targets, and are smooth', async ({ page, isolatedURL }) => {
  await openEnginePage(page, isolatedURL);
  await page.evaluate(`window.skinnedGltf = ${skinnedGltf}; window.morphedGltf = ${morphedGltf}`);
  const seen = await page.evaluate(async () => {
    const { fencepost, kit } = window;
    const engine = await fencepost.createEngine(kit.view, { background: '#000', antialias: false });
    const { world } = engine;
    world.addCamera({ position: [0, 0, 10], orthographic: { halfHeight: 4 } });
    // No material has unmapped colours, but the line has.
    engine.exposure = 0.3;
    const skinned = await world.load(window.skinnedGltf());
    const morphed = await world.load(window.morphedGltf(false));
    /** Box around the line, in metres, and the number of pixels that it covers in part. */
    const look = async () => {
      await engine.step(0);
      await engine.whenReady();
      await engine.step(0);
      const { data, width, height } = await engine.captureFrame();
      const box = [Infinity, Infinity, -Infinity, -Infinity];
      let partial = 0;
      let brightest = 0;
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          const [red, green, blue] = data.slice((y * width + x) * 4) as unknown as [number, number, number];
          const isLine = green > 30 && green > 2 * red && green > 2 * blue;
          if (!isLine) continue;
          if (green < 240) partial++;
          brightest = Math.max(brightest, green);
          const [right, up] = [(x + 0.5 - width / 2) / 16, (height / 2 - y - 0.5) / 16];
          box[0] = Math.min(box[0]!, right);
          box[1] = Math.min(box[1]!, up);
          box[2] = Math.max(box[2]!, right);
          box[3] = Math.max(box[3]!, up);
        }
      return { box: box.map((metres) => Math.round(metres * 10) / 10), partial, brightest };
    };
    engine.effects.outline = { actors: [skinned.root!], color: '#0f0', width: 4 };
    const straight = await look();
    skinned.play('bend', { speed: 0, startSeconds: 1 });
    const bent = await look();
    engine.effects.outline.actors = [morphed.find('face')!];
    const home = await look();
    for (const mesh of morphed.find('face')!.components)
      if (mesh instanceof fencepost.MeshComponent) mesh.setMorphWeight('right', 1);
    const right = await look();
    skinned.root!.rotateZ(0.3);
    engine.effects.outline.actors = [skinned.root!];
    const turned = await look();
    const messages: string[] = [];
    for (const wrong of [
      { actors: [3] },
      { actors: skinned },
      { width: 0 },
      { throughThings: 1 },
      { shade: 1 },
    ])
      try {
        engine.effects.outline = wrong as never;
      } catch (error) {
        messages.push((error as { code: string }).code);
      }
    const { leaks } = await engine.dispose();
    return { straight, bent, home, right, turned, messages, leaks };
  });
  // The line is 0.25 m wide, and the skinned bar lies in [-0.25, 0, 0.25, 2], then in [-1, 0, 0.25, 1.25].
  const near = (box: readonly number[], expected: readonly number[]): void => {
    for (const [index, value] of expected.entries()) {
      expect(Math.abs(box[index]! - value), JSON.stringify(seen)).toBeLessThan(0.15);
    }
  };
  near(seen.straight.box, [-0.5, -0.25, 0.5, 2.25]);
  near(seen.bent.box, [-1.25, -0.25, 0.5, 1.5]);
  expect(seen.right.box[2]! - seen.home.box[2]!, JSON.stringify(seen)).toBeGreaterThan(1.8);
  expect(seen.turned.partial, JSON.stringify(seen)).toBeGreaterThan(20);
  expect(seen.straight.brightest).toBe(255);
  expect(seen.messages).toEqual([
    'option-invalid',
    'option-invalid',
    'option-out-of-range',
    'option-invalid',
    'option-unknown',
  ]);
  expect(seen.leaks).toEqual([]);
});
