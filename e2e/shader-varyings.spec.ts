// R14: values that `vertex` passes to `surface`, and numbers that a shader must not write, through the public API.
import { expect, test } from './fixtures.js';
import { inEveryMode } from './in-every-mode.js';
import { openEnginePage } from './open-engine-page.js';

inEveryMode(
  'R14: `vertex` passes numbers and integers to `surface`, which masks by them in pictures, shadows and picks',
  async (engine) => {
    const { planeGeometry, shaderMaterial, standardMaterial } = window.fencepost;
    const { world } = engine;
    const rotation = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    world.addCamera({ position: [0, 20, 0], rotation, orthographic: { halfHeight: 4 }, far: 50 });
    const white = standardMaterial({ baseColor: '#fff', roughness: 1 });
    world.addMesh({ geometry: planeGeometry({ size: 20 }), material: white, rotation });
    world.addDirectionalLight({ direction: [1, -1, 0], intensity: 3, castShadow: { cascades: 1 } });
    // All six varyings, of every kind. The surface is red unless the vectors agree with `amount`.
    const colored = shaderMaterial({
      lit: false,
      displacement: 0,
      varyings: { amount: 'f32', tint: 'vec3f', kind: 'u32', steps: 'vec2i', pair: 'vec2f', all: 'vec4f' },
      wgsl: `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
        (*moved).varyings.amount = point.uv.x;
        (*moved).varyings.tint = vec3f(0.5, point.uv);
        (*moved).varyings.kind = 3u;
        (*moved).varyings.steps = vec2i(-1, 2);
        (*moved).varyings.pair = point.uv.yx;
        (*moved).varyings.all = vec4f(0.0, point.uv.x, 2.0, 3.0);
      }
      fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        let own = point.varyings;
        let amounts = vec3f(own.tint.y, own.pair.y, own.all.y);
        let areEqual = all(abs(amounts - own.amount) < vec3f(1e-4)) && own.all.w == 3.0;
        let whole = f32(own.steps.x + own.steps.y) / 2.0;
        (*appearance).baseColor =
          select(vec4f(1.0, 0.0, 0.0, 1.0), vec4f(own.amount, f32(own.kind) / 6.0, whole, 1.0), areEqual);
      }`,
    });
    const geometry = planeGeometry({ size: 2 });
    world.addMesh({ geometry, material: colored, rotation, position: [-2, 1, -2] });
    const cut = shaderMaterial({
      alphaMode: 'mask',
      doubleSided: true,
      displacement: 0,
      varyings: { side: 'f32' },
      wgsl: `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
        (*moved).varyings.side = point.position.x;
      }
      fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
        (*appearance).baseColor.a = select(1.0, 0.0, point.varyings.side < 0.0);
      }`,
    });
    const screen = world.addMesh({
      geometry: planeGeometry({ size: 1 }),
      material: cut,
      rotation,
      position: [0, 2, 0],
    });
    await engine.whenReady();
    const seen: Record<string, unknown> = {};
    for (const renderer of ['deferred', 'forward'] as const) {
      engine.renderer = renderer;
      await engine.whenReady();
      await engine.step(0);
      const frame = await engine.captureFrame();
      const at = (x: number, z: number) => [
        ...window.kit.pixel(frame, Math.floor(64 + x * 16), Math.floor(64 + z * 16)),
      ];
      const colors = [at(-2.47, -2), at(-1.97, -2), at(-1.97, -2.5)];
      const isLit = [at(1.75, 0), at(2.25, 0)].map(([, green = 0]) => green > 40);
      const hits = [await engine.pick(60, 64), await engine.pick(68, 64)];
      seen[renderer] = { colors, isLit, hits: hits.map((hit) => hit?.actor === screen) };
    }
    return seen;
  },
  (seen) => {
    // 0.25 and 0.5 of linear light are 137 and 188 in sRGB.
    const expected = {
      colors: [
        [expect.closeTo(137, -1), 188, 188, 255],
        [expect.closeTo(188, -1), 188, 188, 255],
        [expect.closeTo(188, -1), 188, 188, 255],
      ],
      isLit: [true, false],
      hits: [false, true],
    };
    expect(seen).toEqual({ deferred: expected, forward: expected });
  },
);

for (const renderer of ['forward', 'deferred'] as const) {
  test(`R14: NaN and infinity in shaders do not spread, and vertices that would move there stay, ${renderer}`, async ({
    page,
    isolatedURL,
  }) => {
    await openEnginePage(page, isolatedURL);
    const seen = await page.evaluate(async (renderer) => {
      const { createEngine, planeGeometry, shaderMaterial, sphereGeometry, standardMaterial } =
        window.fencepost;
      const { kit } = window;
      const engine = await createEngine(kit.view, { renderer, antialias: false, effects: { bloom: true } });
      const errors: string[] = [];
      engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
      const { world } = engine;
      world.addCamera({ position: [0, 1, 4], lookAt: [0, 0, 0] });
      world.addDirectionalLight({ direction: [-1, -2, -2], intensity: 3, castShadow: true });
      world.setAmbient('#fff', 0.3);
      const floor = planeGeometry({ size: 6, facing: 'y' });
      world.addMesh({ geometry: floor, material: standardMaterial(), position: [0, -1, 0] });
      const ball = world.addMesh({ geometry: sphereGeometry({ radius: 0.8 }), material: standardMaterial() });
      const show = async (body: string, vertex = ''): Promise<string> => {
        ball.root.material = shaderMaterial({
          ...(vertex && { displacement: 1 }),
          uniforms: { zero: 0, huge: 3e38 },
          wgsl: `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) { ${body} }
            ${vertex && `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) { ${vertex} }`}`,
        });
        await engine.whenReady();
        await engine.step(0);
        return kit.picture(engine);
      };
      const nan = '(uniforms.zero / uniforms.zero)';
      const infinity = '(1.0 / uniforms.zero)';
      const all = (value: string) => `(*appearance).baseColor = vec4f(${value});
        (*appearance).emissive = vec3f(${value}); (*appearance).metallic = ${value};
        (*appearance).roughness = ${value}; (*appearance).occlusion = ${value};
        (*appearance).normal = vec3f(${value});`;
      const pairs = {
        nan: [await show(all(nan)), await show(all('0.0'))],
        infinity: [
          await show(`(*appearance).emissive = vec3f(${infinity});`),
          await show('(*appearance).emissive = vec3f(60000.0);'),
        ],
        vertices: [
          await show('', `(*moved).position = vec3f(${infinity}, 0.0, 0.0);`),
          await show('', `(*moved).position.y = ${nan}; (*moved).normal = vec3f(${nan});`),
          await show('', '(*moved).position.z = uniforms.huge;'),
          await show('', '(*moved).position.z = -uniforms.huge;'),
          await show(''),
        ],
      };
      const { leaks } = await engine.dispose();
      const counts = Object.fromEntries(
        Object.entries(pairs).map(([name, pictures]) => [name, new Set(pictures).size]),
      );
      return { counts, different: pairs.nan[0] !== pairs.vertices[0], errors, leaks };
    }, renderer);
    expect(seen).toEqual({
      counts: { nan: 1, infinity: 1, vertices: 1 },
      different: true,
      errors: [],
      leaks: [],
    });
  });
}

test('invalid varyings are refused, and a missing one is a compile error with its place', async ({
  page,
  plainURL,
  expectErrors,
}) => {
  expectErrors(/does not compile/);
  await openEnginePage(page, plainURL);
  const seen = await page.evaluate(async () => {
    const { createEngine, planeGeometry, shaderMaterial } = window.fencepost;
    const { kit } = window;
    const wgsl = 'fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {}';
    const refusal = async (varyings: object, code = wgsl) => {
      const displacement = code === wgsl ? { displacement: 1 } : {};
      const options = { wgsl: code, name: 'reeds', ...displacement, varyings: varyings as never };
      const { code: error, message } = await kit.refusal(() => shaderMaterial(options));
      return [error, message.includes('"reeds"')];
    };
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`v${index}`, 'f32']));
    const surface = 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {}';
    const refusals = [
      await refusal(many),
      await refusal({ height: 'float' }),
      await refusal({ height: 'mat4x4f' }),
      await refusal({ height: 1 }),
      await refusal({ 'no name': 'f32' }),
      await refusal({ struct: 'f32' }),
      await refusal({ height: 'f32' }, surface),
    ];
    const engine = await createEngine(kit.view, { antialias: false });
    const errors: string[] = [];
    engine.addEventListener('error', ({ detail }) => errors.push(detail.message));
    engine.world.addCamera({ position: [0, 0, 2] });
    const broken = shaderMaterial({
      wgsl: `fn vertex(point: VertexInput, moved: ptr<function, VertexOutput>) {
        (*moved).varyings.heigth = 1.0;
      }`,
      displacement: 1,
      varyings: { height: 'f32' },
      name: 'reeds',
    });
    engine.world.addMesh({ geometry: planeGeometry(), material: broken });
    await engine.step(0);
    await engine.flush({ until: 'completed' });
    await engine.dispose();
    return { refusals, errors };
  });
  expect(seen.refusals).toEqual([
    ['option-out-of-range', true],
    ...Array.from({ length: 6 }, () => ['option-invalid', true]),
  ]);
  expect(seen.errors[0]).toContain('"reeds", line 2, column ');
});
