// R14: `material.wgsl` replaces a shader while the engine runs, through the public API.
import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';
import { MODES } from './threading-modes.js';

inEveryMode(
  'R14: new WGSL replaces a material’s shader: its look, its shape, and what it cuts out of shadows and picks',
  async (engine) => {
    const { planeGeometry, shaderMaterial, standardMaterial } = window.fencepost;
    const { world } = engine;
    const rotation = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    world.addCamera({ position: [0, 20, 0], rotation, orthographic: { halfHeight: 4 }, far: 50 });
    const white = standardMaterial({ baseColor: '#fff', roughness: 1 });
    world.addMesh({ geometry: planeGeometry({ size: 20 }), material: white, rotation });
    world.addDirectionalLight({ direction: [1, -1, 0], intensity: 3, castShadow: { cascades: 1 } });
    const cut = (condition: string, shift = '0.0') => `
      fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) { (*moved).position.x += ${shift}; }
      fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        (*appearance).baseColor = vec4f(uniforms.tint, select(1.0, 0.0, ${condition}));
      }`;
    const options = { displacement: 2, uniforms: { tint: [1, 0, 0] } };
    const material = shaderMaterial({
      ...options,
      alphaMode: 'mask',
      doubleSided: true,
      wgsl: cut('point.uv.x < 0.5'),
    });
    const screen = world.addMesh({
      geometry: planeGeometry({ size: 1 }),
      material,
      rotation,
      position: [0, 2, 0],
    });
    await engine.whenReady();
    const look = async () => {
      await engine.step(0);
      const frame = await engine.captureFrame();
      const greenAt = (x: number) => window.kit.pixel(frame, Math.floor(64 + x * 16), 64)[1] ?? 0;
      const hits = [await engine.pick(60, 64), await engine.pick(68, 64), await engine.pick(76, 64)];
      return [greenAt(1.75) > 40, greenAt(2.25) > 40, ...hits.map((hit) => hit?.actor === screen)];
    };
    const seen = [await look()];
    material.wgsl = cut('point.uv.x > 0.5');
    seen.push(await look());
    material.wgsl = cut('false', '0.75');
    seen.push(await look());
    material.uniforms.tint = [0, 0, 1];
    await engine.step(0);
    const isCurrent = material.wgsl === cut('false', '0.75') && material.clone().wgsl === material.wgsl;
    return { seen, isCurrent };
  },
  (seen) => {
    expect(seen).toEqual({
      seen: [
        [true, false, false, true, false],
        [false, true, true, false, false],
        [true, false, false, true, true],
      ],
      isCurrent: true,
    });
  },
);

for (const renderer of ['forward', 'deferred'] as const) {
  test(`R14: new WGSL that does not compile is reported with its place, and the last good look stays, ${renderer}`, async ({
    page,
    isolatedURL,
    expectErrors,
  }) => {
    expectErrors(/does not compile/);
    await openEnginePage(page, isolatedURL);
    const results = await page.evaluate(
      async ([modes, renderer]) => {
        const { createEngine, planeGeometry, shaderMaterial } = window.fencepost;
        const { kit } = window;
        const results: unknown[] = [];
        for (const threading of modes) {
          const engine = await createEngine(kit.view, { threading, renderer, antialias: false });
          const errors: string[] = [];
          engine.addEventListener('error', ({ detail }) => errors.push(`${detail.code}: ${detail.message}`));
          const { world } = engine;
          world.addCamera({ position: [0, 0, 2], orthographic: { halfHeight: 1 } });
          world.setAmbient('#fff', 1);
          const surface = (
            color: string,
          ) => `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
            (*appearance).emissive = ${color};
          }`;
          const material = shaderMaterial({
            name: 'gold',
            baseColor: '#000',
            wgsl: surface('vec3f(1.0, 0.0, 0.0)'),
          });
          world.addMesh({ geometry: planeGeometry({ size: 2 }), material });
          await engine.whenReady();
          const color = async () => {
            await engine.step(0);
            const [red = 0, green = 0, blue = 0] = kit.pixel(await engine.captureFrame(), 64, 64);
            return red > 150 ? 'red' : green > 150 ? 'green' : blue > 150 ? 'blue' : 'none';
          };
          const colors = [await color()];
          material.wgsl = surface('missing');
          colors.push(await color());
          material.wgsl = surface('vec2f(1.0)');
          colors.push(await color());
          await engine.flush({ until: 'completed' });
          const places = errors.splice(0).map((message) => /"gold", line \d+, column /.exec(message)?.[0]);
          const refusal = await kit.refusal(() => {
            material.wgsl = 'fn other() {}';
          });
          const isKept = material.wgsl === surface('vec2f(1.0)');
          material.wgsl = surface('vec3f(0.0, 1.0, 0.0)');
          colors.push(await color());
          // Back to code that was compiled before.
          material.wgsl = surface('vec3f(1.0, 0.0, 0.0)');
          colors.push(await color());
          const { leaks } = await engine.dispose();
          results.push({
            colors,
            places: [...new Set(places)],
            refusal: refusal.code,
            isKept,
            errors,
            leaks,
          });
        }
        return results;
      },
      [MODES, renderer] as const,
    );
    expect(results).toHaveLength(MODES.length);
    for (const result of results) {
      expect(result).toEqual({
        colors: ['red', 'red', 'red', 'green', 'red'],
        places: ['"gold", line 2, column '],
        refusal: 'option-invalid',
        isKept: true,
        errors: [],
        leaks: [],
      });
    }
  });
}
