import { describe, expect, it } from 'vitest';
import type { StreamReader } from '../core/streams/stream.js';
import { renderCommands } from '../proxy/command-table.js';
import { TONE_MAPPINGS } from '../proxy/commands.js';
import { DEFAULT_SAMPLER, packSampler } from '../proxy/images/sampler.js';
import { MaterialFlag } from '../proxy/materials/material-layout.js';
import type { GraphicsPipelineDescriptor, RenderPassDescriptor } from '../rhi/commands/descriptors.js';
import { GpuPrimitive } from './buffers/gpu-layouts.js';
import type { ViewInfo } from './picture/view-info.js';
import { LOOK, named, RendererBench, type RhiCommand } from './renderer.test-support.js';
import type { SceneRenderer } from './scene-renderer.js';

const BLEND = MaterialFlag.alphaBlend;

/** Returns [instanceCount, firstInstance] of each indexed draw. */
function draws(commands: readonly RhiCommand[]): number[][] {
  return named(commands, 'drawIndexed').map((draw) => [
    draw.instanceCount as number,
    draw.firstInstance as number,
  ]);
}

/** Returns the contents of uploads to the buffers with a label. */
function uploads(bench: RendererBench, commands: readonly RhiCommand[], label: string): Uint32Array[] {
  return commands
    .filter(({ name }) => name === 'writeBuffer' || name === 'writeBufferUnordered')
    .map(({ values }) => values)
    .filter((write) => bench.rhi.handles.label(write.buffer as number) === label)
    .map((write) => new Uint32Array((write.data as Uint8Array).slice().buffer));
}

function simpleScene(bench: RendererBench): void {
  bench.camera(0);
  bench.geometry(0);
  bench.geometry(1);
  bench.material(0);
  bench.material(1);
}

describe('statistics', () => {
  it('count the primitives of all worlds', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    const other = bench.renderer.createWorld(', world 1');
    bench.renderer.worlds.push(other);
    for (let index = 0; index < 2; index++) other.scene.createPrimitive(index, 0, 0, 0, 0, 0);
    bench.frame(1);
    expect(bench.renderer.stats).toEqual({ primitives: 3, visible: 1 });
  });
});

describe('R11 the scene renderer', () => {
  it('lives one frame, and refuses use after its end', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    const { world } = bench.renderer;
    const seen: { scene: SceneRenderer; view: ViewInfo }[] = [];
    bench.renderer.features.passes = {
      addToFrame() {},
      addToView() {
        const { frameScene } = world;
        seen.push({ scene: frameScene, view: frameScene.views[0]! });
        expect(frameScene.views).toHaveLength(1);
      },
      addToPicture() {},
      dispose() {},
    };
    bench.frame(1);
    bench.frame(2);
    const [first, second] = seen;
    expect(seen).toHaveLength(2);
    expect(first?.scene).not.toBe(second?.scene);
    expect(first?.view).not.toBe(second?.view);
    // The view's state outlives the frame.
    expect(first?.view.state).toBe(second?.view.state);
    const ended = expect.objectContaining({ name: 'ThreadError', code: 'frame-ended' });
    for (const { scene, view } of seen) {
      expect(scene.views).toEqual([]);
      expect(() => scene.addPasses(bench.renderer.graph, view)).toThrow(ended);
      expect(() => scene.prepare(0, false)).toThrow(ended);
      expect(() => view.addPasses(bench.renderer.graph)).toThrow(ended);
    }
    expect(() => world.frameScene.createView(world.mainView, second!.view.place, new Uint32Array(0))).toThrow(
      ended,
    );
    bench.frame(3);
    expect(seen).toHaveLength(3);
  });
});

describe('R14 draws merge automatically', () => {
  it('draws equal geometry of different untextured materials as one instanced draw', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    for (let index = 0; index < 6; index++) {
      bench.node(index + 1, [index - 3, 0, 0]);
      bench.primitive(index, index + 1, 0, index % 2);
    }
    const commands = bench.frame(1);
    expect(draws(commands)).toEqual([[6, 0]]);
    expect(uploads(bench, commands, 'instances')).toEqual([Uint32Array.of(0, 1, 2, 3, 4, 5)]);
    expect(bench.renderer.stats).toEqual({ primitives: 6, visible: 6 });
  });

  it('sorts interleaved geometries into one draw each, with primitives in the order of their ids', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    for (let index = 0; index < 5; index++) {
      bench.node(index + 1, [index - 3, 0, 0]);
      bench.primitive(index, index + 1, index % 2, 0);
    }
    const commands = bench.frame(1);
    expect(draws(commands)).toEqual([
      [3, 0],
      [2, 3],
    ]);
    expect(uploads(bench, commands, 'instances')).toEqual([Uint32Array.of(0, 2, 4, 1, 3)]);
    // Both geometries lie in one page, which is bound once.
    expect(named(commands, 'setIndexBuffer')).toHaveLength(1);
    expect(named(commands, 'setGraphicsPipeline')).toHaveLength(2); // the meshes' and the tone mapping's
  });

  it('merges textured materials only if they share textures', () => {
    const bench = new RendererBench();
    bench.camera(0);
    bench.geometry(0);
    bench.texture(0);
    bench.texture(1);
    bench.material(0, 0, 0);
    bench.material(1, 0, 1);
    bench.material(2, 0, 0);
    for (let index = 0; index < 3; index++) {
      bench.node(index + 1, [index - 1, 0, 0]);
      bench.primitive(index, index + 1, 0, index);
    }
    const commands = bench.frame(1);
    expect(draws(commands)).toEqual([
      [2, 0],
      [1, 2],
    ]);
    expect(uploads(bench, commands, 'instances')).toEqual([Uint32Array.of(0, 2, 1)]);
  });

  it('draws blended primitives last, back to front, and merges equal neighbours', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.material(2, BLEND);
    const depths = [0, -3, -1, -2, 3];
    depths.forEach((z, index) => {
      bench.node(index + 1, [0, 0, z]);
      // Primitive 0 is opaque. The two farthest blended primitives, 1 and 3, share a geometry. So do the two nearest,
      // 2 and 4.
      bench.primitive(index, index + 1, index % 2, index === 0 ? 0 : 2);
    });
    const commands = bench.frame(1);
    expect(uploads(bench, commands, 'instances')).toEqual([Uint32Array.of(0, 1, 3, 2, 4)]);
    expect(draws(commands)).toEqual([
      [1, 0],
      [2, 1],
      [2, 3],
    ]);
  });

  it('breaks ties between blended primitives by id, whatever their earlier order', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.material(2, BLEND);
    for (let index = 0; index < 3; index++) {
      bench.node(index + 1, [0, 0, -index]);
      bench.primitive(index, index + 1, 0, 2);
    }
    expect(uploads(bench, bench.frame(1), 'instances')).toEqual([Uint32Array.of(2, 1, 0)]);
    for (let index = 0; index < 3; index++) bench.move(index + 1, [index, 0, 0]);
    expect(uploads(bench, bench.frame(2), 'instances')).toEqual([Uint32Array.of(0, 1, 2)]);
  });

  it('M5: takes the arrays of its sorts from memory that each frame frees', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.material(2, BLEND);
    for (let index = 0; index < 700; index++) {
      bench.node(index + 1, [0, 0, -index / 700]);
      bench.primitive(index, index + 1, 0, 2);
    }
    bench.frame(1);
    const { frameMemory } = bench.renderer;
    const { byteLength } = frameMemory;
    // Keys and ids of the primitives, each twice.
    expect(byteLength).toBeGreaterThanOrEqual(4 * 700 * 4);
    for (let frame = 2; frame < 40; frame++) {
      bench.move(1, [0, 0, frame % 2]);
      bench.frame(frame);
    }
    expect(frameMemory.byteLength).toBe(byteLength);
  });

  it('sorts and uploads no instances while only transforms change', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    for (let index = 0; index < 3; index++) {
      bench.node(index + 1, [index, 0, 0]);
      bench.primitive(index, index + 1, 0, 0);
    }
    bench.frame(1);
    bench.move(1, [0, 1, 0]);
    const commands = bench.frame(2);
    expect(uploads(bench, commands, 'instances')).toEqual([]);
    expect(uploads(bench, commands, 'gpu scene')).toHaveLength(1);
    expect(draws(commands)).toEqual([[3, 0]]);
  });

  it('uploads the instances again when another primitive comes into view', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    for (let index = 0; index < 3; index++) {
      bench.node(index + 1, [index === 1 ? 100 : 0, 0, 0]);
      bench.primitive(index, index + 1, 0, 0);
    }
    expect(uploads(bench, bench.frame(1), 'instances')).toEqual([Uint32Array.of(0, 2)]);
    bench.move(2, [1, 0, 0]);
    bench.move(3, [100, 0, 0]);
    const commands = bench.frame(2);
    expect(uploads(bench, commands, 'instances')).toEqual([Uint32Array.of(0, 1)]);
    expect(draws(commands)).toEqual([[2, 0]]);
  });

  it('reverses the front face of a primitive while it is mirrored', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.node(1, [0, 0, 0], [-1, 1, 1]);
    bench.primitive(0, 1, 0, 0);
    const faces = (commands: readonly RhiCommand[]) =>
      named(commands, 'createGraphicsPipeline')
        .map(({ descriptor }) => descriptor as GPURenderPipelineDescriptor)
        .filter(({ label }) => label?.startsWith('mesh'))
        .map(({ primitive }) => primitive?.frontFace);
    expect(faces(bench.frame(1))).toEqual(['cw']);
    bench.move(1, [0, 0, 0]);
    expect(faces(bench.frame(2))).toEqual(['ccw']);
  });
});

describe('R1 the scene follows its commands', () => {
  it('draws no primitive that is hidden, destroyed, or without geometry, material or node', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    const removals: (() => void)[] = [
      () => bench.send('updatePrimitive', { primitive: 0, material: 0, flags: 0, layers: 1 }),
      () => bench.send('destroyPrimitive', { primitive: 0 }),
      () => bench.send('destroyGeometry', { geometry: 0 }),
      () => bench.send('destroyMaterial', { material: 0 }),
      () => bench.send('destroyNode', { node: 1 }),
    ];
    let frame = 1;
    for (const remove of removals) {
      bench.node(1, [0, 0, 0]);
      bench.geometry(0);
      bench.material(0);
      bench.primitive(0, 1, 0, 0);
      expect(draws(bench.frame(frame++))).toEqual([[1, 0]]);
      remove();
      expect(draws(bench.frame(frame++))).toEqual([]);
    }
  });

  it('rejects a geometry larger than the device’s largest buffer, names it, and draws the others', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.geometry(1, 3);
    bench.primitive(0, 0, 0, 0);
    bench.execute();
    bench.geometry(2, 40_000);
    expect(() => bench.execute()).toThrow(
      expect.objectContaining({
        code: 'limit-exceeded',
        message: expect.stringMatching(/"geometry 2".*1000000/),
      }),
    );
    bench.primitive(1, 0, 2, 0);
    expect(draws(bench.frame(1))).toEqual([[1, 0]]);
  });

  it('uploads a primitive when it moves, and nothing while none moves', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.node(1, [1, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    bench.node(2, [2, 0, 0]);
    bench.primitive(1, 2, 0, 0);
    const uploadedX = (frame: number) =>
      uploads(bench, bench.frame(frame), 'gpu scene').map((words) => {
        const floats = new Float32Array(words.buffer);
        return Array.from({ length: floats.length / GpuPrimitive.words }, (_, slot) => {
          return floats[slot * GpuPrimitive.words + 3];
        });
      });
    expect(uploadedX(1)).toEqual([[1, 2]]);
    expect(uploadedX(2)).toEqual([]);
    bench.move(2, [5, 0, 0]);
    expect(uploadedX(3)).toEqual([[5]]);
    expect(uploadedX(4)).toEqual([]);
  });

  it('uploads moved primitives only while visible, and the current transform once visible again', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    const xs = (frame: number): number[] =>
      uploads(bench, bench.frame(frame), 'gpu scene').flatMap((words) => {
        const floats = new Float32Array(words.buffer);
        return Array.from(
          { length: floats.length / GpuPrimitive.words },
          (_, slot) => floats[slot * GpuPrimitive.words + 3] as number,
        );
      });
    // The moved primitives are far apart in the buffer, so that they are separate uploads.
    for (let index = 0; index < 40; index++) {
      bench.node(index + 1, [index === 30 ? 500 : 0.5, 0, 0]);
      bench.primitive(index, index + 1, 0, 0);
    }
    xs(1);
    bench.move(1, [1, 0, 0]);
    bench.move(31, [600, 0, 0]);
    expect(xs(2)).toEqual([1]);
    bench.move(31, [700, 0, 0]);
    expect(xs(3)).toEqual([]);
    bench.move(31, [0.25, 0, 0]);
    expect(xs(4)).toEqual([0.25]);
    expect(xs(5)).toEqual([]);
    // Primitive 1 moves out of view and is not uploaded. Then the camera moves to it.
    bench.move(2, [800, 0, 0]);
    expect(xs(6)).toEqual([]);
    bench.move(0, [800, 0, 10]);
    expect(xs(7)).toEqual([800]);
  });

  it('keeps positions small a million metres from the origin', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.move(0, [1e6, 0, 10]);
    bench.node(1, [1e6 + 0.5, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    const commands = bench.frame(1);
    const origin = Math.round(1e6 / 1024) * 1024;
    const [scene] = uploads(bench, commands, 'gpu scene');
    expect(new Float32Array(scene!.buffer)[3]).toBe(1e6 + 0.5 - origin);
    const [view] = uploads(bench, commands, 'dynamic page, 16384 bytes');
    expect(new Float32Array(view!.buffer)[16]).toBe(1e6 - origin);
    expect(draws(commands)).toEqual([[1, 0]]);
  });

  it('uploads all images before the first mip pass, in one submission for any number of textures', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    const sampler = packSampler({ ...DEFAULT_SAMPLER, mipmap: 'linear' });
    for (const texture of [0, 1, 2]) bench.texture(texture, sampler);
    const names = bench.frame(1).map(({ name }) => name);
    const uploads = names.flatMap((name, index) => (name === 'writeTextureFromAttachment' ? [index] : []));
    expect(uploads).toHaveLength(3);
    expect(Math.max(...uploads)).toBeLessThan(names.indexOf('beginRenderPass'));
  });

  it('records textures, their mip levels and a bind group that names them, and destroys them all', () => {
    const bench = new RendererBench();
    bench.camera(0);
    bench.geometry(0);
    const sampler = packSampler({
      wrapU: 'repeat',
      wrapV: 'repeat',
      magnify: 'linear',
      minify: 'linear',
      mipmap: 'linear',
      anisotropy: 16,
    });
    bench.texture(0, sampler);
    bench.material(0, 0, 0);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    const commands = bench.frame(1);
    const samplers = named(commands, 'createSampler').map(({ descriptor }) => descriptor);
    expect(samplers).toContainEqual(expect.objectContaining({ mipmapFilter: 'linear', maxAnisotropy: 16 }));
    const passes = named(commands, 'beginRenderPass').map(
      ({ descriptor }) => (descriptor as { label: string }).label,
    );
    expect(passes).toEqual(['mipmap 1 of texture 0', 'mipmap 2 of texture 0', 'scene', 'tone mapping']);
    bench.send('destroyTexture', { texture: 0 });
    const after = bench.frame(2);
    const destroyed = named(after, 'destroyResource').length;
    expect(destroyed).toBe(2); // the bind group that named the texture, then the texture
    expect(named(after, 'createBindGroup')).toHaveLength(1);
  });

  it('draws materials without their textures if the code for images could not be loaded', () => {
    const bench = new RendererBench({ hasTextures: false });
    bench.camera(0);
    bench.geometry(0);
    bench.texture(0);
    bench.material(0, 0, 0);
    bench.material(1, 0, 1);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    bench.primitive(1, 1, 0, 1);
    const commands = bench.frame(1);
    expect(draws(commands)).toEqual([[2, 0]]);
    const pipelines = named(commands, 'createGraphicsPipeline').map(
      ({ descriptor }) => descriptor as GraphicsPipelineDescriptor,
    );
    expect(pipelines[0]?.bindGroupLayouts).toHaveLength(1);
    bench.send('destroyMaterial', { material: 0 });
    bench.material(1);
    expect(draws(bench.frame(2))).toEqual([[1, 0]]);
  });

  it('must not skip draws in the frame after a changed look, even while the surface is hidden', () => {
    const bench = new RendererBench();
    simpleScene(bench);
    bench.frame(1);
    bench.send('surfaceSize', { width: 0, height: 64, pixelRatio: 1 });
    bench.send('sceneSettings', { ...LOOK, toneMapping: TONE_MAPPINGS.indexOf('aces') });
    bench.execute();
    expect(bench.renderer.mustNotSkip).toBe(true);
    bench.frame(2);
    expect(bench.renderer.mustNotSkip).toBe(false);
  });

  it('has a target for unmapped colours only while such colours exist and tones are mapped', () => {
    const bench = new RendererBench({ sampleCount: 4 });
    const settings = { ...LOOK, sampleCount: 4 };
    const frame = (number: number) => {
      bench.execute();
      const { mustNotSkip } = bench.renderer;
      const commands = bench.frame(number);
      const [scene] = named(commands, 'beginRenderPass').map(({ descriptor }) => descriptor);
      const targets = (scene as RenderPassDescriptor).colorAttachments.length;
      const made = named(commands, 'createTexture').map(
        ({ descriptor }) => (descriptor as { label: string }).label,
      );
      return { targets, mustNotSkip, unmapped: made.filter((label) => label.startsWith('unmapped')).length };
    };
    simpleScene(bench);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    bench.material(1, MaterialFlag.unlit | MaterialFlag.unmapped);
    bench.primitive(1, 1, 0, 1);
    expect(frame(1)).toEqual({ targets: 1, mustNotSkip: false, unmapped: 0 });
    bench.send('sceneSettings', { ...settings, exposure: 2 });
    expect(frame(2)).toEqual({ targets: 2, mustNotSkip: true, unmapped: 2 });
    expect(frame(3)).toEqual({ targets: 2, mustNotSkip: false, unmapped: 0 });
    bench.material(1, MaterialFlag.unlit);
    expect(frame(4)).toEqual({ targets: 1, mustNotSkip: true, unmapped: 0 });
    bench.send('sceneSettings', { ...settings, toneMapping: TONE_MAPPINGS.indexOf('aces') });
    bench.material(1, MaterialFlag.unlit | MaterialFlag.unmapped);
    expect(frame(5)).toEqual({ targets: 2, mustNotSkip: true, unmapped: 2 });
    bench.send('destroyPrimitive', { primitive: 1 });
    bench.send('destroyMaterial', { material: 1 });
    expect(frame(6)).toEqual({ targets: 1, mustNotSkip: true, unmapped: 0 });
  });

  it('draws straight into the canvas, over its background, if surfaces map their own tones', () => {
    const bench = new RendererBench({ sampleCount: 4 });
    const settings = { ...LOOK, red: 0.2, green: 0.4, blue: 0.6, alpha: 0.5, exposure: 2, sampleCount: 4 };
    simpleScene(bench);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    const frame = (number: number) => {
      bench.execute();
      const { mustNotSkip } = bench.renderer;
      const commands = bench.frame(number);
      const passes = named(commands, 'beginRenderPass').map(
        ({ descriptor }) => (descriptor as RenderPassDescriptor).colorAttachments[0],
      );
      const formats = named(commands, 'createTexture').map(
        ({ descriptor }) => (descriptor as { format: string }).format,
      );
      return { mustNotSkip, passes, formats };
    };
    bench.send('sceneSettings', settings);
    expect(frame(1).passes).toHaveLength(2);

    bench.send('sceneSettings', { ...settings, hdr: 0 });
    const { mustNotSkip, passes, formats } = frame(2);
    expect(mustNotSkip).toBe(true);
    expect(passes).toHaveLength(1);
    expect(passes[0]?.resolveTarget).toBeDefined();
    const clear = passes[0]?.clearValue as readonly number[];
    expect(clear.map((channel) => channel.toFixed(2))).toEqual(['0.24', '0.33', '0.40', '0.50']);
    expect(formats).not.toContain('rgba16float');
    expect(frame(3)).toMatchObject({ mustNotSkip: false, formats: [] });

    bench.send('sceneSettings', settings);
    expect(frame(4)).toMatchObject({ mustNotSkip: true, passes: [{}, {}] });
  });

  it('writes parts of an image at their position, and draws the mip levels again', () => {
    const bench = new RendererBench({ sampleCount: 4 });
    simpleScene(bench);
    bench.texture(0, packSampler(DEFAULT_SAMPLER));
    bench.material(0, 0, 0);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    const mipPasses = (commands: ReturnType<typeof bench.frame>) =>
      named(commands, 'beginRenderPass').filter(({ descriptor }) =>
        (descriptor as RenderPassDescriptor).label?.startsWith('mipmap'),
      ).length;
    // The part arrives together with the image. It is written after the image, and the levels are drawn once.
    bench.updateTexture(0, 1, 3);
    const first = bench.frame(1);
    expect(named(first, 'writeTextureFromAttachment')).toHaveLength(2);
    expect(mipPasses(first)).toBe(2);
    bench.updateTexture(0, 1, 3);
    bench.updateTexture(7, 1, 3);
    const second = bench.frame(2);
    const writes = named(second, 'writeTextureFromAttachment');
    expect(writes).toMatchObject([{ region: { origin: [1, 3, 0], width: 2, height: 1, bytesPerRow: 8 } }]);
    expect([mipPasses(second), named(second, 'createTexture').length]).toEqual([2, 0]);
    expect(draws(second)).toEqual([[1, 0]]);
    expect(named(bench.frame(3), 'writeTextureFromAttachment')).toEqual([]);
  });

  it('destroys every resource that it has created', () => {
    const bench = new RendererBench({ sampleCount: 4 });
    simpleScene(bench);
    bench.texture(0);
    bench.material(0, 0, 0);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    const commands = bench.frame(1, 2);
    bench.renderer.dispose();
    commands.push(...bench.drain());
    const created = commands
      .filter(({ name }) => name.startsWith('create'))
      .map(({ values }) => values.handle as number);
    const destroyed = named(commands, 'destroyResource').map(({ handle }) => handle as number);
    const target = named(commands, 'beginDrawingViewport').map((viewport) => viewport.target as number);
    expect(destroyed.sort()).toEqual([...created, ...target].sort());
  });
});

describe('R11 a frame', () => {
  it('creates and writes everything before it acquires the viewport', () => {
    const bench = new RendererBench({ sampleCount: 4 });
    simpleScene(bench);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    const commands = bench.frame(1, 2);
    const names = commands.map(({ name }) => name);
    const acquired = names.indexOf('beginDrawingViewport');
    expect(names.slice(acquired)).toEqual([
      'beginDrawingViewport',
      'beginRenderPass',
      'setGraphicsPipeline',
      'setBindGroup',
      'draw',
      'endRenderPass',
      'copyTextureToBuffer',
      'endDrawingViewport',
      'readBuffer',
      'endFrame',
    ]);
    expect(named(commands, 'copyTextureToBuffer')[0]?.region).toMatchObject({
      width: 64,
      height: 64,
      bytesPerRow: 256,
    });
  });

  it('clears to the background without a view; without pixels, records no pass but answers a capture', () => {
    const bench = new RendererBench();
    bench.geometry(0);
    const passes = (frame: number) =>
      named(bench.frame(frame), 'beginRenderPass').map(
        ({ descriptor }) => (descriptor as { label: string }).label,
      );
    expect(passes(1)).toEqual(['scene', 'tone mapping']);
    bench.send('surfaceSize', { width: 0, height: 64, pixelRatio: 1 });
    expect(passes(2)).toEqual([]);
    expect(named(bench.frame(3, 2), 'readBuffer')).toHaveLength(1);
  });

  it('must not skip draws if a visible primitive changes its look, but may when a primitive first appears', () => {
    const bench = new RendererBench();
    const { renderer } = bench;
    simpleScene(bench);
    bench.node(1, [0, 0, 0]);
    bench.primitive(0, 1, 0, 0);
    bench.material(0, BLEND);
    const mustNotSkip = () => {
      bench.execute();
      return renderer.mustNotSkip;
    };
    expect(mustNotSkip()).toBe(false);
    bench.frame(1);
    bench.material(0, MaterialFlag.doubleSided);
    expect(mustNotSkip()).toBe(true);
    bench.frame(2);
    expect(mustNotSkip()).toBe(false);
    bench.material(0, MaterialFlag.doubleSided);
    bench.material(7);
    expect(mustNotSkip()).toBe(false);
    bench.send('updatePrimitive', { primitive: 0, material: 7, flags: 1, layers: 1 });
    expect(mustNotSkip()).toBe(true);
  });

  it('scales down a surface that is larger than the largest texture, and keeps its proportions', () => {
    const bench = new RendererBench();
    bench.send('surfaceSize', { width: 8192, height: 2048, pixelRatio: 1 });
    const commands = bench.frame(1);
    const [viewport] = named(commands, 'beginDrawingViewport');
    expect([viewport?.width, viewport?.height]).toEqual([4096, 1024]);
    for (const { descriptor } of named(commands, 'createTexture')) {
      expect((descriptor as { width: number }).width).toBeLessThanOrEqual(4096);
    }
    bench.send('surfaceSize', { width: 100000, height: 1, pixelRatio: 1 });
    const [thin] = named(bench.frame(2), 'beginDrawingViewport');
    expect([thin?.width, thin?.height]).toEqual([4096, 1]);
  });

  it('records the same commands for the same input', () => {
    const record = () => {
      const bench = new RendererBench({ sampleCount: 4 });
      const frames: RhiCommand[][] = [];
      simpleScene(bench);
      bench.texture(0);
      bench.material(2, BLEND, 0);
      for (let index = 0; index < 40; index++) {
        bench.node(index + 1, [Math.sin(index) * 4, Math.cos(index) * 4, -index / 7]);
        bench.primitive(index, index + 1, index % 2, index % 3);
      }
      for (let frame = 1; frame < 12; frame++) {
        bench.move(frame, [frame / 3, 0, 0]);
        if (frame % 2) bench.send('destroyGeometry', { geometry: 1 });
        else bench.geometry(1, 3 + frame);
        frames.push(bench.frame(frame));
      }
      return frames;
    };
    expect(record()).toEqual(record());
  });

  it('reuses a range of geometry freed in frame N in frame N + maxFramesInFlight + 2', () => {
    const bench = new RendererBench();
    bench.camera(0);
    bench.material(0);
    bench.node(1, [0, 0, 0]);
    bench.geometry(0, 3);
    bench.geometry(1, 3);
    bench.primitive(0, 1, 2, 0);
    bench.frame(1);
    bench.send('destroyGeometry', { geometry: 0 });
    const baseVertexOfNew = (frame: number) => {
      bench.geometry(2, 3);
      const [draw] = named(bench.frame(frame), 'drawIndexed');
      bench.send('destroyGeometry', { geometry: 2 });
      return draw?.baseVertex;
    };
    // 3 vertices of 32 bytes and 3 indices take 4 units; units 0–3 were freed in frame 2.
    expect([2, 3, 4, 5].map(baseVertexOfNew)).toEqual([8, 12, 16, 20]);
    expect(baseVertexOfNew(6)).toBe(0);
  });
});

it('rejects a render command that no code executes, and names the command and its opcode', () => {
  const bench = new RendererBench();
  const opcode = renderCommands.opcodes.callModule; // a command of a feature that is not loaded
  const record = { words: new Uint32Array(4), floats: new Float32Array(4), fields: 1, opcode };
  expect(() => bench.renderer.execute(record as unknown as StreamReader)).toThrow(
    expect.objectContaining({
      name: 'ThreadError',
      code: 'render-opcode-unknown',
      message: expect.stringContaining(`"callModule" (opcode ${opcode})`),
    }),
  );
});
