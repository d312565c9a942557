import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClipPath, pathWord, TRACK_WORDS } from '../../proxy/motion/clip-tracks.js';
import { SceneComponent } from '../components/scene-component.js';
import { createTestWorld } from '../testing/test-world.js';
import { ClipPoses, type PosingClock, type PosingPlayback } from './clip-poses.js';
import { JointPose } from './joint-pose.js';

const COUNT = 6;

/** A chain of six components, three of which are joints. Two playbacks move every second component. */
class Figure {
  readonly clock = { timeSeconds: 0, version: 0 };
  readonly components: SceneComponent[] = [];
  readonly joints: readonly SceneComponent[];
  readonly weights = [1, 0.5];
  samples = 0;
  readonly #poses: ClipPoses;
  readonly #playbacks: readonly PosingPlayback[];
  readonly #isPlaying = [false, false];

  /** @param clockOf wraps the clock that the poses use */
  constructor(clockOf: (clock: PosingClock) => PosingClock) {
    const { world } = createTestWorld();
    for (let index = 0; index < COUNT; index++) {
      const component = world.spawn(new SceneComponent({ position: [0.5, index, 0] })).root;
      component.attachTo(this.components.at(-1) ?? null);
      this.components.push(component);
    }
    this.joints = [3, 5, 4].map((index) => this.components[index] as SceneComponent);
    this.#poses = new ClipPoses(clockOf(this.clock));
    const tracks = new Uint32Array(COUNT * TRACK_WORDS).fill(pathWord(ClipPath.position, 3));
    this.#playbacks = this.weights.map((_, index) => {
      const figure = this;
      return {
        description: { name: 'clip', duration: 9, nodes: [], tracks, floats: new Float32Array(0) },
        isAdditive: index === 1,
        get weight() {
          return figure.weights[index] as number;
        },
        get time() {
          return figure.clock.timeSeconds;
        },
        sample(track, out, time) {
          figure.samples++;
          out.set([track + time, index - time, 1]);
        },
      };
    });
  }

  /** Starts a playback, or ends it if it is playing. */
  toggle(index: number): void {
    const playback = this.#playbacks[index] as PosingPlayback;
    const targets = this.components.map((component, track) => (track % 2 ? component : null));
    this.clock.version++;
    if (this.#isPlaying[index]) this.#poses.remove(playback, targets);
    else this.#poses.add(playback, targets);
    this.#isPlaying[index] = !this.#isPlaying[index];
  }
}

/** Returns a clock with a new version at each read, so that nothing is cached. */
const restless = (clock: PosingClock): PosingClock => {
  let version = 0;
  return {
    get timeSeconds() {
      return clock.timeSeconds;
    },
    get version() {
      return ++version;
    },
  };
};

type Step = readonly [kind: number, which: number, value: number];

function apply(figure: Figure, [kind, which, value]: Step): void {
  const component = figure.components[which] as SceneComponent;
  if (kind === 0) component.position.set(value, component.position.y, -value);
  if (kind === 1) component.rotateY(value);
  if (kind === 2)
    component.attachTo(value < 0 || which === 0 ? null : (figure.components[which - 1] as SceneComponent));
  if (kind === 3) figure.clock.timeSeconds = Math.abs(value);
  if (kind === 4) {
    figure.weights[which % 2] = Math.abs(value);
    figure.clock.version++;
  }
  if (kind === 5) figure.toggle(which % 2);
  // Writes the shown position again. The rest position, without clips, stays the same.
  if (kind === 6) component.position.copy([...component.position]);
  // Writes the initial x.
  if (kind === 7) component.position.x = 0.5;
}

describe('JointPose', () => {
  it('returns the same matrix for each joint as `worldFromLocal` does, after any change', () => {
    const step = fc.tuple(
      fc.integer({ min: 0, max: 7 }),
      fc.integer({ min: 0, max: COUNT - 1 }),
      fc.integer({ min: -3, max: 3 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const kept = new Figure((clock) => clock);
        const fresh = new Figure(restless);
        const pose = new JointPose(kept.joints);
        for (const each of [...steps, [3, 0, 1] as const]) {
          apply(kept, each);
          apply(fresh, each);
          pose.update();
          const worlds = kept.joints.map((_, index) => [...pose.worldFromJoint(index)]);
          const expected = fresh.joints.map((joint) => joint.worldFromLocal([]));
          worlds.flat().forEach((value, index) => {
            expect(value).toBeCloseTo(expected.flat()[index] as number, 6);
          });
        }
      }),
    );
  });

  it('evaluates each animated component once per scene time, and returns false if nothing has moved', () => {
    const figure = new Figure((clock) => clock);
    const pose = new JointPose(figure.joints);
    figure.toggle(0);
    figure.clock.timeSeconds = 1;
    figure.samples = 0;
    expect(pose.update()).toBe(true);
    expect(figure.samples).toBe(3);
    expect(pose.update()).toBe(false);
    for (const joint of figure.joints) joint.worldFromLocal([]);
    expect(figure.samples).toBe(3);
    figure.clock.timeSeconds = 2;
    expect(pose.update()).toBe(true);
    expect(figure.samples).toBe(6);
  });
});
