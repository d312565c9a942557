import { expect, it, vi } from 'vitest';
import { EventRing } from '../../core/events/event-ring.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { clipsOf } from '../../game/animation/clip-updates.js';
import { Playback } from '../../game/animation/playback.js';
import { boxGeometry } from '../../game/geometry/shapes.js';
import { standardMaterial } from '../../game/materials/material.js';
import { shaderMaterial } from '../../game/materials/shader-material.js';
import { keyframes } from '../../game/motion/motion-keyframes.js';
import { animate } from '../../game/motion/motion-material.js';
import { spin } from '../../game/motion/motion-turns.js';
import { World } from '../../game/world/world.js';
import { renderCommands } from '../../proxy/command-table.js';
import { RenderFrameFlag } from '../../proxy/commands.js';
import { PATH_SIZES, PlaybackMode } from '../../proxy/motion/clip.js';
import { pathWord } from '../../proxy/motion/clip-tracks.js';
import { PrivateFence } from '../../sync/fences/private-fence.js';
import { FrameEndSync } from '../../sync/frame-end-sync.js';
import type { EngineOptions } from '../options/engine-options.js';
import { Look } from '../options/look.js';
import { resolveOptions } from '../options/option-checks.js';
import { FrameProducer } from './frame-producer.js';
import { FrameScheduler } from './frame-scheduler.js';
import { PictureActivity } from './picture-activity.js';

/** Creates the frames of an engine that was started with `when: 'changed'`, and a function that passes time. */
function setUp(given: EngineOptions = {}) {
  let callback: ((milliseconds: number) => void) | null = null;
  let milliseconds = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => milliseconds);
  const page = {
    isHidden: false,
    requestFrame: (next: (milliseconds: number) => void) => {
      callback = next;
      return 1;
    },
    cancelFrame: () => {
      callback = null;
    },
    now: () => milliseconds,
  };
  const rendered = new PrivateFence('rendered');
  const { writer, reader } = createLocalStream({ table: renderCommands });
  const world: World = new World(writer, {
    loadScene: () => Promise.reject(new Error('no loader')),
    reportError: (error) => {
      throw error;
    },
    onChange: () => scheduler.noticeChange(),
    onTickAdded: () => scheduler.wake(),
  });
  const sync = new FrameEndSync(rendered, { lag: true });
  const producer = new FrameProducer(writer, sync, world, new EventRing(), () => {});
  const look = new Look(resolveOptions(given));
  look.onChange = () => scheduler.noticeChange();
  const activity = new PictureActivity({ worlds: () => [world], shownWorld: () => world, look });
  const scheduler = new FrameScheduler(
    producer,
    page,
    (error) => {
      throw error;
    },
    activity,
  );
  /** Number of animation frames that were requested and have run. */
  let animationFrames = 0;
  /** Passes animation frames, 16 ms each, and returns the number of frames drawn meanwhile. */
  const pass = (count: number): number => {
    const before = producer.frame;
    for (let index = 0; index < count; index++) {
      milliseconds += 16;
      const next = callback;
      callback = null;
      if (next) animationFrames++;
      next?.(milliseconds);
      rendered.signal(producer.frame);
      while (reader.next());
    }
    return producer.frame - before;
  };
  scheduler.start('changed');
  return { world, look, scheduler, producer, pass, animationFrames: () => animationFrames };
}

it('draws the first frame, then none while nothing changes, and requests no animation frames meanwhile', () => {
  const { world, pass, animationFrames } = setUp();
  world.addCamera();
  world.addMesh({ geometry: boxGeometry() });
  expect(pass(60)).toBe(1);
  const before = animationFrames();
  expect(pass(60)).toBe(0);
  expect(animationFrames()).toBe(before);
});

it('draws each change once, and waits for its pipelines', () => {
  const { world, look, scheduler, producer, pass } = setUp();
  const camera = world.addCamera();
  const material = standardMaterial();
  const mesh = world.addMesh({ geometry: boxGeometry(), material });
  const light = world.addPointLight();
  pass(10);
  const changes: Record<string, () => void> = {
    'a colour': () => {
      material.baseColor = '#f00';
    },
    'two changes': () => {
      mesh.position.x = 1;
      light.root.intensity = 3;
    },
    'a lens': () => {
      camera.root.fovY = 0.5;
    },
    'a setting': () => {
      look.exposure = 2;
    },
    'an effect': () => {
      look.effects.shown.vignette = true;
    },
    'an invalidated picture': () => scheduler.invalidate(),
    'a new size': () => scheduler.redraw(),
  };
  for (const [name, change] of Object.entries(changes)) {
    change();
    expect([name, pass(20)]).toEqual([name, 1]);
    expect(producer.flags).toBe(RenderFrameFlag.running | RenderFrameFlag.step);
  }
});

it('runs callbacks at each animation frame, and draws only the frames in which they change something', () => {
  const { world, pass } = setUp();
  const mesh = world.addMesh({ geometry: boxGeometry() });
  pass(10);
  let ticks = 0;
  let seconds = 0;
  const stop = world.onTick((deltaSeconds) => {
    seconds += deltaSeconds;
    if (++ticks % 10 === 0) mesh.position.y += 1;
  });
  expect(pass(60)).toBe(6);
  expect(ticks).toBe(60);
  // The first tick after a rest has no length.
  expect(seconds).toBeCloseTo(59 * 0.016, 6);
  stop();
  expect(pass(60)).toBe(0);
  world.paused = true;
  world.onTick(() => {
    mesh.position.y += 1;
  });
  expect(pass(60)).toBe(0);
});

it('draws while motions run, up to the frame that shows their end', () => {
  const { world, producer, pass } = setUp();
  const material = standardMaterial();
  const mesh = world.addMesh({ geometry: boxGeometry(), material });
  pass(10);
  mesh.motion = keyframes({ times: [0, 0.16], positions: [0, 0, 0, 1, 0, 0] });
  expect(pass(60)).toBe(11);
  expect(mesh.position.x).toBe(1);
  expect(producer.flags & RenderFrameFlag.step).toBe(RenderFrameFlag.step);
  material.motion = animate({ times: [0, 0.16], roughness: [0, 1] });
  expect(pass(60)).toBe(11);
  mesh.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
  expect(pass(60)).toBe(60);
  expect(producer.flags & RenderFrameFlag.step).toBe(0);
  mesh.motion = spin({ axis: [0, 1, 0], radiansPerSecond: 0 });
  expect(pass(60)).toBeLessThanOrEqual(2);
  mesh.motion = null;
  expect(pass(60)).toBe(1);
});

it('draws while a clip plays, and no further frame while it is held or has ended', () => {
  const { world, pass } = setUp();
  const actor = world.addMesh({ geometry: boxGeometry() });
  pass(10);
  const clip = {
    name: 'slide',
    duration: 0.16,
    nodes: [0],
    tracks: new Uint32Array([pathWord(0, PATH_SIZES[0]), 0, 2, 0, 2]),
    floats: new Float32Array([0, 0.16, 0, 0, 0, 1, 0, 0]),
  };
  const play = (mode: number): Playback => {
    const updates = clipsOf(world.updates);
    const state = { offsetSeconds: 0, speed: 1, mode, fadeSeconds: 0, weightFrom: 1, weightTo: 1 };
    const playback = new Playback(updates, clip, clip, state, false);
    updates.add(playback, clip, [actor.root]);
    return playback;
  };
  const once = play(PlaybackMode.once);
  expect(pass(60)).toBe(11);
  once.stop();
  expect(pass(60)).toBe(1);
  const repeating = play(PlaybackMode.repeat);
  expect(pass(60)).toBe(60);
  repeating.speed = 0;
  expect(pass(60)).toBe(1);
  repeating.speed = 1;
  expect(pass(60)).toBe(60);
  repeating.stop({ fadeSeconds: 0.16 });
  expect(pass(60)).toBe(11);
});

it('draws while visible particles live', () => {
  const { world, pass } = setUp();
  const fire = world.addParticles({ rate: 10, life: 0.32 });
  expect(pass(60)).toBe(60);
  fire.root.isEmitting = false;
  expect(pass(60)).toBeLessThan(23);
  expect(pass(60)).toBe(0);
  fire.root.emit(5);
  expect(pass(60)).toBeGreaterThanOrEqual(20);
  fire.root.isEmitting = true;
  fire.visible = false;
  expect(pass(60)).toBe(1);
});

it('draws while a shader in use reads the time, and while the picture of temporal smoothing settles', () => {
  const { world, look, pass } = setUp({ antialias: 'taa' });
  expect(pass(200)).toBe(65);
  look.antialias = 1;
  expect(pass(60)).toBe(1);
  look.effects.shown.autoExposure = { speedUp: 10, speedDown: 10 };
  // 5 / 10 of a second, and the change itself.
  expect(pass(100)).toBe(32);
  look.effects.shown.autoExposure = false;
  pass(2);
  const wgsl = `fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {
    (*appearance).roughness = fract(point.time);
  }`;
  const mesh = world.addMesh({ geometry: boxGeometry(), material: shaderMaterial({ wgsl }) });
  expect(pass(60)).toBe(60);
  mesh.destroy();
  expect(pass(60)).toBeLessThanOrEqual(2);
});

it('changes to another way of drawing while it runs, and draws a last change after a stop', () => {
  const { world, scheduler, pass } = setUp();
  const mesh = world.addMesh({ geometry: boxGeometry() });
  pass(5);
  scheduler.start();
  expect(pass(10)).toBe(10);
  scheduler.start('changed');
  expect(pass(10)).toBe(0);
  mesh.position.x = 1;
  scheduler.stop();
  expect(pass(10)).toBe(1);
});
