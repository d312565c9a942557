import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeRecord } from '../../core/records/record-codec.js';
import type { FieldType } from '../../core/records/record-table.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { renderCommands } from '../../proxy/command-table.js';
import type { RenderCommandName } from '../../proxy/commands.js';
import { RendererBench } from '../../render/renderer.test-support.js';
import { FEATURE_COMMANDS, FEATURES, type FeatureName, NEEDS_EXISTING } from './feature-table.js';
import type { FrameHeader } from './render-thread.js';
import type { FeatureHost, WorldFeature } from './world-feature.js';
import { WorldFeatures } from './world-features.js';

const commands = Object.entries(FEATURE_COMMANDS) as [RenderCommandName, FeatureName][];
const creating = commands.filter(([command]) => !NEEDS_EXISTING.has(command));
const featureNames = Object.keys(FEATURES) as FeatureName[];
const header: FrameHeader = { frame: 7, flags: 0, deltaSeconds: 0, timeSeconds: 0 };

/** Calls of features, in order. */
let log: string[] = [];

beforeEach(() => {
  log = [];
  for (const name of featureNames) {
    const create = FEATURES[name] as (host: FeatureHost) => WorldFeature;
    // The real feature is created, but its calls are only logged.
    vi.spyOn(FEATURES, name).mockImplementation(((host: FeatureHost) => {
      create(host);
      log.push(`${name} is created`);
      return {
        execute: ({ opcode }: StreamReader, { frame }: FrameHeader) =>
          void log.push(`${name} in ${frame}: ${renderCommands.names[opcode]}`),
        beginFrame: () => void log.push(`${name} begins a frame`),
        beginList: () => void log.push(`${name} begins a list`),
        endList: () => void log.push(`${name} ends a list`),
        stop: () => void log.push(`${name} stops`),
      };
    }) as never);
  }
});
afterEach(() => void vi.restoreAllMocks());

/** Creates the `WorldFeatures` of a renderer's world, in which no feature exists yet. */
function setUp() {
  const { renderer } = new RendererBench({ hasTextures: false });
  const { world } = renderer;
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const features = new WorldFeatures({ renderer, world, isIdle: () => true, recordAgain: () => {} });
  const attachments: { close: ReturnType<typeof vi.fn> }[] = [];
  /** Returns a value for a field of this type. */
  const createValue = (type: FieldType): unknown => {
    if (type === 'attachment') {
      const image = { close: vi.fn() };
      attachments.push(image);
      return writer.attach(image as never);
    }
    if (type === 'string') return '';
    return /\[\]|bytes/.test(type) ? new Uint8Array() : 0;
  };
  /** Executes the command. Returns whether it belongs to a feature. */
  const execute = (name: RenderCommandName): boolean => {
    const fields = Object.entries(renderCommands.fields[name] as Readonly<Record<string, FieldType>>);
    const values = Object.fromEntries(fields.map(([field, type]) => [field, createValue(type)]));
    encodeRecord(writer, renderCommands, name, values as never);
    writer.publish();
    expect(reader.next()).toBe(true);
    return features.execute(reader, header);
  };
  return { renderer, features, execute, attachments, take: () => log.splice(0) };
}

describe('the table of features', () => {
  it('gives each feature a command that creates it', () => {
    const created = new Set(creating.map(([, name]) => name));
    expect([...created].sort()).toEqual([...featureNames].sort());
    for (const command of NEEDS_EXISTING) expect(Object.keys(FEATURE_COMMANDS)).toContain(command);
  });
});

describe('WorldFeatures', () => {
  it('leaves the renderer’s own commands to the renderer', () => {
    const { execute, take } = setUp();
    const own = renderCommands.names.filter(
      (name) => name && name !== 'callModule' && !(name in FEATURE_COMMANDS),
    );
    expect(own).toContain('createNode');
    for (const name of own) expect(execute(name), name).toBe(false);
    expect(take()).toEqual([]);
  });

  it.each(creating)(
    '%s creates the feature "%s" if it does not exist, and executes the command',
    (command, name) => {
      const { execute, take } = setUp();
      expect(execute(command)).toBe(true);
      expect(execute(command)).toBe(true);
      expect(take()).toEqual([`${name} is created`, `${name} in 7: ${command}`, `${name} in 7: ${command}`]);
    },
  );

  it.each([...NEEDS_EXISTING])(
    '%s is ignored without its feature, and executed if the feature exists',
    (command) => {
      const { execute, take, attachments } = setUp();
      expect(execute(command)).toBe(true);
      expect(take()).toEqual([]);
      // The command's attachments are freed.
      for (const { close } of attachments.splice(0)) expect(close).toHaveBeenCalledOnce();
      const name = FEATURE_COMMANDS[command] as FeatureName;
      execute((creating.find(([, feature]) => feature === name) as [RenderCommandName, FeatureName])[0]);
      take();
      attachments.length = 0;
      expect(execute(command)).toBe(true);
      expect(take()).toEqual([`${name} in 7: ${command}`]);
      for (const { close } of attachments) expect(close).not.toHaveBeenCalled();
    },
  );

  it('frees the image of an updateTexture without textures', () => {
    const { execute, attachments } = setUp();
    execute('updateTexture');
    expect(attachments).toHaveLength(1);
    expect(attachments[0]?.close).toHaveBeenCalledOnce();
  });

  it('adds features to the renderer with their first command only', () => {
    const { renderer, execute } = setUp();
    const { features, scene, materials } = renderer;
    const present = () =>
      [
        features.environment,
        features.shadows,
        features.clusters,
        features.deferred,
        features.picking,
        features.views,
        scene.deformers,
        scene.lods,
        features.occlusion,
        materials.textures,
        materials.shaders,
      ].map((feature) => feature !== undefined && feature !== null);
    expect(present()).not.toContain(true);
    for (const [command] of creating) execute(command);
    expect(present()).not.toContain(false);
  });

  it('calls features at frames and lists, in the order of their creation, and stops them', () => {
    const { features, execute, take } = setUp();
    for (const command of ['setShadow', 'setAmbient', 'declareMotion'] as const) execute(command);
    take();
    features.beginFrame(header);
    features.beginList(header);
    features.endList();
    features.stop();
    expect(take()).toEqual(
      ['begins a frame', 'begins a list', 'ends a list', 'stops'].flatMap((what) =>
        ['shadows', 'environment', 'motion'].map((name) => `${name} ${what}`),
      ),
    );
  });

  it('rejects a call of a render module before modules are attached, and executes calls afterwards', () => {
    const { features, execute, take } = setUp();
    expect(() => execute('callModule')).toThrow(
      expect.objectContaining({ name: 'ThreadError', code: 'render-module-missing' }),
    );
    features.attach('modules', { execute: () => void log.push('modules execute') });
    expect(execute('callModule')).toBe(true);
    expect(take()).toEqual(['modules execute']);
  });

  it('replaces an attached feature, and stops the previous feature', () => {
    const { features, execute, take } = setUp();
    const create = (name: string): WorldFeature => ({
      execute: () => void log.push(`${name} executes`),
      beginList: () => void log.push(`${name} begins`),
      stop: () => void log.push(`${name} stops`),
    });
    features.attach('modules', create('first'));
    features.attach('fences', create('fences'));
    execute('callModule');
    features.attach('modules', create('second'));
    execute('callModule');
    features.beginList(header);
    expect(take()).toEqual([
      'first executes',
      'first stops',
      'second executes',
      'fences begins',
      'second begins',
    ]);
  });

  it('stops a feature at once if it is attached after the thread’s end', () => {
    const { features, take } = setUp();
    features.stop();
    features.attach('fences', { execute: () => {}, stop: () => void log.push('late stops') });
    expect(take()).toEqual(['late stops']);
  });
});
