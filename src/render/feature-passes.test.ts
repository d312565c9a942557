import { afterEach, describe, expect, it, vi } from 'vitest';
import type { StreamReader } from '../core/streams/stream.js';
import type { CompiledGraph } from '../graph/compile.js';
import { pictureOf } from '../graph/description/picture-of.js';
import { DRAWN_TOPOLOGIES, EnvironmentKind, LightFlag, LightKind, PrimitiveFlag } from '../proxy/commands.js';
import { MaterialFlag } from '../proxy/materials/material-layout.js';
import type { BindGroupDescriptor, GraphicsPipelineDescriptor } from '../rhi/commands/descriptors.js';
import { DeferredRenderer } from './deferred/deferred-renderer.js';
import { EnvironmentLight } from './environment/environment.js';
import { Sky } from './environment/sky.js';
import { billboardVertices } from './geometry/billboard-vertices.js';
import { BILLBOARD_VERTICES } from './geometry/vertex-policy.js';
import { Picking } from './picking/picking.js';
import { named, RendererBench, type RhiCommand } from './renderer.test-support.js';
import { ShadowMaps } from './shadows/shadow-maps.js';
import { SceneViewState } from './views/scene-view-state.js';

/** Returns a reader on a record with these fields. A number in an array is written as a float. */
function record(...fields: readonly (number | readonly [float: number])[]): StreamReader {
  const words = new Uint32Array(64);
  const floats = new Float32Array(words.buffer);
  for (const [at, field] of fields.entries()) {
    if (typeof field === 'number') words[at] = field;
    else floats[at] = field[0];
  }
  return { words, floats, fields: 0, opcode: 0 } as unknown as StreamReader;
}

const labels = (commands: readonly RhiCommand[]): string[] =>
  ['beginRenderPass', 'beginComputePass'].flatMap((name) =>
    named(commands, name).map(({ descriptor, label }) =>
      String((descriptor as { readonly label?: string } | undefined)?.label ?? label),
    ),
  );

function benchWithScene(): RendererBench {
  const bench = new RendererBench();
  bench.camera(0);
  bench.geometry(0);
  bench.material(0);
  bench.node(1, [0, 0, 0]);
  bench.primitive(0, 1, 0, 0);
  return bench;
}

function withShadows(bench: RendererBench): void {
  const { renderer, rhi } = bench;
  const { layout, pipelines, createPass } = renderer.world;
  const shadows = new ShadowMaps(rhi, renderer.world.stores, layout, createPass, renderer.largestSize);
  renderer.features.shadows = shadows;
  layout.extend(shadows);
  pipelines.add(shadows);
  shadows.execute(record(0, 256, 1, [50], [0]));
  bench.node(2, [0, 0, 0]);
  bench.send('setLight', {
    light: 0,
    node: 2,
    kind: LightKind.directional,
    flags: LightFlag.visible | LightFlag.castsShadow,
    red: 1,
    green: 1,
    blue: 1,
    intensity: 1,
    range: 0,
    innerConeAngle: 0,
    outerConeAngle: 0,
  });
}

function withEnvironment(bench: RendererBench): EnvironmentLight {
  const { renderer, rhi } = bench;
  const { layout, pipelines } = renderer.world;
  const environment = new EnvironmentLight(rhi, new Sky(rhi, layout, pipelines), renderer.largestSize, false);
  renderer.features.environment = environment;
  layout.extend(environment);
  pipelines.add(environment);
  return environment;
}

function withDeferred({ renderer, rhi }: RendererBench): void {
  const { pipelines } = renderer.world;
  const deferred = new DeferredRenderer(rhi, pipelines, renderer.screenPipelines);
  deferred.isOn = true;
  renderer.features.deferred = deferred;
  pipelines.add(deferred);
}

function withPicking({ renderer }: RendererBench): (columns: number) => void {
  const picking = new Picking(renderer.world);
  renderer.features.picking = picking;
  return (columns) =>
    picking.execute(
      record(7, 1, columns, columns, [64], [64], [0], [0], [1], [1], 0, 0, [0], [1.5], [0.1], [100], [0], 1),
    );
}

const studio = (background = 0): StreamReader =>
  record(background, [0], [1], [0], [0], [1], [0], 1, EnvironmentKind.studio, 1, [1]);

const sky = (toSunX: number): StreamReader =>
  record(0, [0], [1], [0], [toSunX], [1], [0], 1, EnvironmentKind.sky, 1, [1]);

function passesOf({ renderer }: RendererBench) {
  const picture = pictureOf(renderer.graph.compiled as CompiledGraph, renderer.graph.setup.passes);
  return picture.passes.filter(({ isCulled }) => !isCulled);
}

describe('X1, R11 shadow maps, environments and picks as passes of the frame graph', () => {
  it('shadow maps: the pass is always in the same compiled graph, and begins only in frames that draw a map', () => {
    const bench = benchWithScene();
    withShadows(bench);
    let number = 0;
    const frame = () => labels(bench.frame(++number));
    expect(frame()).toContain('shadow maps');
    // The first frame created pipelines, so the second frame draws the maps again.
    frame();
    const { compilations } = bench.renderer.graph;
    for (let turn = 0; turn < 3; turn++) {
      expect(frame()).not.toContain('shadow maps');
      bench.move(1, [turn + 1, 0, 0]);
      expect(frame().slice(0, 2)).toEqual(['shadow maps', 'scene']);
    }
    expect(bench.renderer.graph.compilations).toBe(compilations);
    const [shadows, scene] = passesOf(bench);
    expect(shadows).toMatchObject({
      name: 'shadow maps',
      kind: 'raster',
      writes: [{ resource: 'shadow maps', use: 'depth', isStored: true }],
    });
    expect(scene?.reads).toContainEqual({ resource: 'shadow maps', use: 'sampled', isStored: false });
  });

  it('shadow maps: only casters get pipelines; blended primitives and primitives with castsNoShadow get none', () => {
    const bench = benchWithScene();
    bench.renderer.world.stores.scene.vertexPolicies[BILLBOARD_VERTICES] = billboardVertices;
    withShadows(bench);
    bench.geometry(1, 4, 6, 0, DRAWN_TOPOLOGIES.indexOf('billboards'));
    bench.material(1, MaterialFlag.alphaBlend);
    bench.material(2, MaterialFlag.alphaMask);
    const castsNone = PrimitiveFlag.visible | PrimitiveFlag.castsNoShadow;
    bench.primitive(1, 1, 0, 1);
    bench.primitive(2, 1, 1, 0, castsNone);
    bench.primitive(3, 1, 1, 2, castsNone);
    const made = named(bench.frame(1), 'createGraphicsPipeline').map(({ descriptor }) => {
      const { label, vertex } = descriptor as GraphicsPipelineDescriptor;
      return label?.startsWith('shadow caster') ? vertex.entryPoint : undefined;
    });
    expect(made.filter((entryPoint) => entryPoint !== undefined)).toEqual(['placeCaster']);
    expect(made.length).toBeGreaterThan(4);
  });

  it('environments: the frame that draws one has a pass per face, and later frames have none', () => {
    const bench = benchWithScene();
    const environment = withEnvironment(bench);
    environment.execute(studio());
    const first = labels(bench.frame(1));
    // One source, 8 levels below it and 5 lobes have 6 faces each. Reflectance, sun, irradiance, scene and tone
    // mapping are one pass each.
    expect(first).toHaveLength((1 + 8 + 5) * 6 + 5);
    const names = passesOf(bench).map(({ name }) => name);
    expect(names[0]).toBe('reflectance');
    expect(names).toContain('environment, source 1, level 0, face 0');
    expect(names).toContain('environment, reflected, level 4, face 5');
    expect(names.at(-3)).toBe('environment, irradiance');
    expect(new Set(names).size).toBe(names.length);
    const second = labels(bench.frame(2));
    expect(second).toEqual(['scene', 'tone mapping']);
    expect(passesOf(bench)[0]?.reads.map(({ resource }) => resource)).toEqual([
      'environment',
      'irradiance',
      'reflectance',
    ]);
    const { compilations } = bench.renderer.graph;
    bench.frame(3);
    expect(bench.renderer.graph.compilations).toBe(compilations);
    // A new environment does not draw reflectance again, because it is the same for all environments.
    environment.execute(record(0, [0], [1], [0], [0], [1], [0], 1, EnvironmentKind.sky, 1, [1]));
    expect(labels(bench.frame(4))).toHaveLength((1 + 8 + 5) * 6 + 4);
  });

  it('environments: each level reads the one above it, and temporary resources are destroyed', () => {
    const bench = benchWithScene();
    withEnvironment(bench).execute(studio());
    const commands = bench.frame(1);
    const { destroyResource, createBindGroup } = Object.fromEntries(
      ['destroyResource', 'createBindGroup'].map((name) => [name, named(commands, name).length]),
    );
    // Each face has a bind group, and the faces share their slots.
    expect(destroyResource).toBeGreaterThan((1 + 8 + 5) * 6);
    expect(createBindGroup).toBeGreaterThan((1 + 8 + 5) * 6);
    const halved = passesOf(bench).find(({ name }) => name === 'environment, unfiltered, level 1, face 0');
    expect(halved?.reads.map(({ resource }) => resource)).toEqual(['environment, unfiltered', 'irradiance']);
    expect(halved?.writes.map(({ resource }) => resource)).toEqual(['environment, unfiltered']);
  });

  it('environments: a sky whose sun moves is drawn by the pipelines of the sky before', () => {
    const bench = benchWithScene();
    const environment = withEnvironment(bench);
    const createdBy = (commands: readonly RhiCommand[]): number[] =>
      ['createGraphicsPipeline', 'createComputePipeline', 'createShaderModule'].map(
        (name) => named(commands, name).length,
      );
    environment.execute(sky(1));
    expect(Math.min(...createdBy(bench.frame(1)))).toBeGreaterThan(0);
    environment.execute(sky(0.5));
    const second = bench.frame(2);
    expect(labels(second)).toHaveLength((1 + 8 + 5) * 6 + 4);
    expect(createdBy(second)).toEqual([0, 0, 0]);
  });

  it('picks: one pass draws and one reads back; the graphs with and without a pick are compiled once each', () => {
    const bench = benchWithScene();
    const { renderer } = bench;
    const pick = withPicking(bench);
    let number = 0;
    const frame = () => bench.frame(++number);
    frame();
    pick(1);
    const picked = frame();
    expect(labels(picked)).toEqual(['pick', 'scene', 'tone mapping']);
    expect(named(picked, 'copyTextureToBuffer')).toHaveLength(2);
    expect(named(picked, 'readBuffer')).toMatchObject([{ request: 7 }]);
    expect(passesOf(bench).map(({ name }) => name)).toEqual([
      'pick',
      'pick, read back',
      'scene',
      'tone mapping',
    ]);
    for (let turn = 0; turn < 3; turn++) {
      expect(labels(frame())).toEqual(['scene', 'tone mapping']);
      pick(1);
      frame();
    }
    expect(renderer.graph.compilations).toBe(2);
    // One frame has two picks. The second pick is a rectangle, whose targets are destroyed in the same frame.
    pick(1);
    pick(8);
    const both = frame();
    expect(labels(both)).toEqual(['pick', 'pick 2', 'scene', 'tone mapping']);
    expect(named(both, 'copyTextureToBuffer')).toHaveLength(3);
    expect(named(both, 'createTexture')).toHaveLength(3);
    expect(named(both, 'destroyResource').length).toBeGreaterThanOrEqual(4);
  });

  it('picks pass through primitives with notPicked, until their flags change', () => {
    const bench = benchWithScene();
    const pick = withPicking(bench);
    const flags = PrimitiveFlag.visible | PrimitiveFlag.notPicked;
    let number = 0;
    /** Returns the numbers of primitives that the pick and the picture draw. */
    const drawn = (): unknown[] => {
      pick(1);
      return named(bench.frame(++number), 'drawIndexed').map(({ instanceCount }) => instanceCount);
    };
    bench.primitive(1, 1, 0, 0, flags);
    expect(drawn()).toEqual([1, 2]);
    bench.primitive(1, 1, 0, 0, PrimitiveFlag.visible);
    expect(drawn()).toEqual([2, 2]);
  });
});

describe('X1 textures that passes share in bind group 0', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each<[string, string[], (bench: RendererBench) => void]>([
    ['shadow maps', ['pick', 'surfaces', 'lighting', 'scene'], withShadows],
    [
      'environment',
      ['pick', 'background', 'surfaces', 'lighting', 'scene'],
      (bench) => withEnvironment(bench).execute(studio(1)),
    ],
  ])(
    'are refused to a pass that draws with the %s without having declared the read',
    (texture, passes, add) => {
      const { declareReads } = SceneViewState.prototype;
      for (const [silent, pass] of passes.entries()) {
        const bench = benchWithScene();
        add(bench);
        withDeferred(bench);
        withPicking(bench)(1);
        let calls = 0;
        vi.spyOn(SceneViewState.prototype, 'declareReads').mockImplementation(function (
          this: SceneViewState,
          builder,
        ) {
          if (calls++ !== silent) declareReads.call(this, builder);
        });
        expect(() => bench.frame(1), pass).toThrowError(
          expect.objectContaining({
            code: 'graph-access-undeclared',
            message: expect.stringContaining(`The pass "${pass}" uses "${texture}"`),
          }),
        );
        vi.restoreAllMocks();
      }
    },
  );

  it('are those that the graph resolves, and the frame creates the bind group again only if these textures change', () => {
    const bench = benchWithScene();
    withShadows(bench);
    const environment = withEnvironment(bench);
    environment.execute(studio());
    const groups = (commands: readonly RhiCommand[]) =>
      named(commands, 'createBindGroup').filter(
        ({ descriptor }) => (descriptor as { readonly label?: string }).label === 'frame',
      );
    const made = (commands: readonly RhiCommand[], label: string) =>
      [...named(commands, 'createTexture'), ...named(commands, 'createBuffer')].find(
        ({ descriptor }) => (descriptor as { readonly label?: string }).label === label,
      )?.handle;
    const first = bench.frame(1);
    const [group] = groups(first);
    const entries = (group?.descriptor as Partial<BindGroupDescriptor> | undefined)?.entries ?? [];
    const at = (binding: number) => entries.find((entry) => entry.binding === binding);
    expect(at(6)).toMatchObject({ view: { texture: made(first, 'environment') } });
    expect(at(8)).toMatchObject({ view: { texture: made(first, 'reflectance') } });
    expect(at(9)).toMatchObject({ buffer: made(first, 'irradiance') });
    expect(at(11)).toMatchObject({ view: { texture: made(first, 'shadow maps') } });
    for (let frame = 2; frame < 5; frame++) expect(groups(bench.frame(frame))).toEqual([]);
    environment.execute(record(0, [0], [1], [0], [0], [1], [0], 1, EnvironmentKind.sky, 1, [1]));
    expect(groups(bench.frame(5))).toHaveLength(1);
    expect(groups(bench.frame(6))).toEqual([]);
  });
});
