/**
 * Runs the engine's whole frame on one thread, in turns with event rings and with silent rings. Silent rings read the
 * clock only for the engine's own figures. No GPU is used, so that the difference is not lost in noise. The total time
 * of all threads for a frame with WebGPU and `boxes` boxes is measured separately. It comes from the engine's own
 * figures.
 */
import { EVENT_COUNT_WORD, EventRing, TimelineEvent } from '../../src/core/events/event-ring.js';
import { createEngine } from '../../src/engine/creation/compose-engine.js';
import { pageRoles } from '../../src/engine/creation/thread-affinity.js';
import { FrameProducer } from '../../src/engine/frames/frame-producer.js';
import { FrameScheduler, pageFrameSource } from '../../src/engine/frames/frame-scheduler.js';
import { FrameSettings } from '../../src/engine/options/frame-settings.js';
import { Look } from '../../src/engine/options/look.js';
import { resolveOptions } from '../../src/engine/options/option-checks.js';
import { boxGeometry, standardMaterial } from '../../src/game/index.js';
import { World } from '../../src/game/world/world.js';
import { FrameEndSync } from '../../src/sync/frame-end-sync.js';
import { connectSingleThread } from '../../src/threads/connections/single-thread.js';
import { COLORS, createLayout, moveBoxes } from '../lib/scene.js';

const { tick, update, commands, record, execute } = TimelineEvent;

/** A ring that takes only the times for `stats()` and records no events, like an engine without a timeline. */
class SilentRing extends EventRing {
  override begin(type: number): number {
    return type === tick || type === commands || type === record || type === execute ? performance.now() : 0;
  }
  override end(type: number): number {
    return type === update || type === commands || type === record ? performance.now() : 0;
  }
  override mark(): void {}
  override add(): void {}
}

/** Runs frames to their end. Resolves with their milliseconds. */
type RunFrames = (frames: number) => Promise<number>;

async function openPipeline(ring: EventRing, boxes: number): Promise<RunFrames> {
  const fail = (error: unknown): void => {
    throw error;
  };
  const options = resolveOptions({ threading: 'single', backend: 'null' });
  const unused = (): never => {
    throw new Error('There is no canvas.');
  };
  const connection = await connectSingleThread({ take: unused }, options, {
    onError: fail,
    onReadback: () => {},
    onTrace: () => {},
    awaitedFrame: () => 0,
    ring,
    roles: pageRoles,
  });
  const { writer, rendered, completed } = connection;
  const world = new World(writer, {
    loadScene: () => Promise.reject(new Error('no loader')),
    reportError: fail,
  });
  const settings = new FrameSettings(
    { width: 64, height: 64, shown: { width: 64, height: 64 } },
    new Look(resolveOptions()),
  );
  const sync = new FrameEndSync(rendered, { lag: true });
  const producer = new FrameProducer(writer, sync, world, ring, (to, flags) => settings.write(to, flags));

  const loop = new FrameScheduler(producer, pageFrameSource, fail);
  fill(world, boxes);
  return async (frames) => {
    const began = performance.now();
    for (let frame = 0; frame < frames; frame++) {
      await completed.whenReached(await loop.produceOnce(1 / 60, 0, 'tick', (number) => number));
    }
    return performance.now() - began;
  };
}

/** Adds boxes that the page moves and turns in every tick. */
function fill(world: World, boxes: number): void {
  const layout = createLayout(boxes);
  world.addCamera({
    position: [...layout.cameraPosition],
    lookAt: [0, 0, 0],
    near: layout.near,
    far: layout.far,
  });
  world.addDirectionalLight({ direction: [-1, -2, -1.5], intensity: 3 });
  const geometry = boxGeometry();
  const materials = COLORS.map((color) => standardMaterial({ baseColor: [...color] }));
  const actors = Array.from({ length: boxes }, (_, index) =>
    world.addMesh({ geometry, material: materials[index % materials.length] as (typeof materials)[number] }),
  );
  let seconds = 0;
  world.onTick((deltaSeconds) => {
    seconds += deltaSeconds;
    moveBoxes(layout, seconds, (index, x, y, z, qx, qy, qz, qw) => {
      const actor = actors[index] as (typeof actors)[number];
      actor.position.set(x, y, z);
      actor.rotation.set(qx, qy, qz, qw);
    });
  });
}

/** Milliseconds per frame of each round, with rings off and on in turns. */
export interface TimelineCost {
  readonly off: number[];
  readonly on: number[];
  /** Events per frame, by the ring's count. */
  readonly eventsPerFrame: number;
  /** Milliseconds of all threads for a frame with WebGPU, by the engine's figures. */
  readonly frameMs: number;
}

async function measure(boxes: number, rounds: number, framesPerRound: number): Promise<TimelineCost> {
  const ring = new EventRing();
  // One box causes as many events as any scene, with little other work to hide their cost.
  const off = await openPipeline(new SilentRing(), 1);
  const on = await openPipeline(ring, 1);
  const cost = { off: [] as number[], on: [] as number[] };
  let framesOn = 0;
  for (let round = -40; round < rounds; round++) {
    // The two pipelines take turns at running first.
    const turns = [
      ['off', off],
      ['on', on],
    ] as const;
    for (const [name, run] of round % 2 === 0 ? turns : [...turns].reverse()) {
      const milliseconds = (await run(framesPerRound)) / framesPerRound;
      if (name === 'on') framesOn += framesPerRound;
      if (round >= 0) cost[name].push(milliseconds);
    }
  }
  const events = new Int32Array(ring.buffer)[EVENT_COUNT_WORD] as number;
  return { ...cost, eventsPerFrame: events / framesOn, frameMs: await measureFrame(boxes) };
}

/**
 * Returns the median of the summed game, render and RHI thread times per frame, with WebGPU and `boxes` boxes.
 */
async function measureFrame(boxes: number): Promise<number> {
  const container = document.createElement('div');
  container.style.cssText = 'width:64px;height:64px';
  document.body.append(container);
  const engine = await createEngine(container, { threading: 'single', pixelRatio: 1 });
  fill(engine.world, boxes);
  const samples: number[] = [];
  for (let frame = -20; frame < 60; frame++) {
    await engine.step(1 / 60);
    const { gameThreadMs, renderThreadMs, rhiThreadMs } = engine.stats();
    if (frame >= 0) samples.push(gameThreadMs + renderThreadMs + rhiThreadMs);
  }
  await engine.dispose();
  return samples.sort((a, b) => a - b)[samples.length >> 1] as number;
}

declare global {
  interface Window {
    timelineCost: typeof measure;
  }
}
window.timelineCost = measure;
