/**
 * Particle systems. The component sends its settings and its emissions; the render thread computes everything else
 * (`src/render/particles/`). So a system costs the page nothing per frame.
 *
 *   rate, isEmitting, emit() ─► EmissionLog ─► emitParticles       per change
 *   other properties         ─────────────── ► setParticles        per change
 */
import type { VectorLike } from '../../core/math/vectors.js';
import { checkOptions } from '../../core/options/check-options.js';
import { checkBoolean, checkNumber, checkWhole } from '../../core/options/check-value.js';
import { checkMember } from '../../core/options/member.js';
import { writeDouble } from '../../core/records/wide-words.js';
import type { StreamWriter } from '../../core/streams/stream.js';
import { NO_ID, RenderOpcode } from '../../proxy/commands.js';
import { EmissionLog } from '../../proxy/emission-log.js';
import { type Emission, MOST_PARTICLES, ParticleFlag, ParticleNumber } from '../../proxy/particles.js';
import { checkAlive } from '../checks/slips.js';
import { SceneComponent } from '../components/scene-component.js';
import { type ColorLike, parseColor } from '../materials/color.js';
import { type Material, unlitMaterial } from '../materials/material.js';
import type { Texture } from '../textures/texture.js';
import { DirtyFlag, type SceneUpdates } from '../updates/scene-updates.js';
import type { World } from '../world/world.js';
import { checkCollision, type ParticleCollision } from './particle-collisions.js';
import {
  checkLife,
  checkSource,
  checkStops,
  checkVelocity,
  PARTICLES_OPTIONS,
  type ParticleSource,
  type ParticlesOptions,
  type Stops,
  type StopsOf,
} from './particle-options.js';

const CALL = 'addParticles';
const FADING: StopsOf<ColorLike> = [
  [1, 1, 1, 1],
  [1, 1, 1, 0],
];
const CLONED =
  'rate life velocity spread source size color intensity texture softness gravity drag collide sort maximumCount seed blending behindGlass layers';

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isColor = (value: unknown): boolean =>
  typeof value === 'string' || (Array.isArray(value) && value.length > 2 && value.every(isNumber));

/** A system of particles. Its transform is the place where they are born; afterwards they move in the world. */
export class ParticlesComponent extends SceneComponent {
  readonly life: number | readonly [least: number, most: number];
  readonly source: ParticleSource;
  readonly texture: Texture | undefined;
  readonly softness: number;
  readonly gravity: readonly [number, number, number];
  readonly drag: number;
  readonly collide: false | ParticleCollision;
  readonly sort: boolean;
  readonly maximumCount: number;
  readonly seed: number | undefined;
  readonly blending: 'normal' | 'additive';
  readonly behindGlass: boolean;
  /** @internal Holds the texture, so that it is loaded and sent like the texture of a mesh. */
  readonly material: Material;
  /** Numbers in the order of `ParticleNumber`. */
  readonly #numbers = new Float32Array(ParticleNumber.count);
  readonly #flags: number;
  #size!: StopsOf<number>;
  #sizes!: Stops<number>;
  #color!: StopsOf<ColorLike>;
  #colors!: Stops<readonly number[]>;
  #rate: number;
  #isEmitting = true;
  #layers: number;
  /** Particles to be born with the next update. */
  #burst = 0;
  /** Whether the rate was changed since the last update. */
  #hasRateChanged = true;
  /** Scene time at which the rate was last changed, in seconds. */
  #changedAt = 0;
  readonly #log = new EmissionLog();
  /** Emissions that the current stream does not have. */
  readonly #unsent: Emission[] = [];
  #particles = NO_ID;

  constructor(options: ParticlesOptions = {}) {
    checkOptions(CALL, options, PARTICLES_OPTIONS);
    super(options);
    const { rate = 50, spread = 0.2, intensity = 1, layers = 1, texture } = options;
    const { drag = 0, collide = false, maximumCount = 10_000, blending = 'normal' } = options;
    this.texture = texture;
    this.source = options.source ?? 'point';
    this.softness = options.softness ?? 0;
    this.drag = drag;
    this.sort = options.sort ?? false;
    this.maximumCount = maximumCount;
    this.seed = options.seed;
    this.blending = blending;
    this.behindGlass = options.behindGlass ?? false;
    this.#rate = checkMember(CALL, 'rate', rate, PARTICLES_OPTIONS.rate);
    this.#layers = checkMember(CALL, 'layers', layers, PARTICLES_OPTIONS.layers);
    const life = checkLife(CALL, options.life);
    this.life = options.life ?? 2;
    this.gravity = checkVelocity(CALL, 'gravity', options.gravity ?? [0, 0, 0]);
    const collision = checkCollision(CALL, collide);
    this.collide = collision ?? false;
    const numbers = this.#numbers;
    numbers.set(life, ParticleNumber.lifeLeast);
    numbers.set(checkVelocity(CALL, 'velocity', options.velocity ?? [0, 1, 0]), ParticleNumber.velocity);
    numbers[ParticleNumber.spread] = checkMember(CALL, 'spread', spread, PARTICLES_OPTIONS.spread);
    numbers[ParticleNumber.intensity] = checkMember(
      CALL,
      'intensity',
      intensity,
      PARTICLES_OPTIONS.intensity,
    );
    numbers.set(this.gravity, ParticleNumber.gravity);
    numbers[ParticleNumber.drag] = drag;
    numbers[ParticleNumber.softness] = this.softness;
    numbers.set(checkSource(CALL, options.source), ParticleNumber.shape);
    if (collision) numbers.set([collision.bounce, collision.friction], ParticleNumber.bounce);
    if (collision?.against) numbers[ParticleNumber.thickness] = collision.thickness;
    else if (collision) numbers.set([...collision.normal, collision.distance], ParticleNumber.planeNormal);
    this.#setSize(CALL, options.size ?? 0.1);
    this.#setColor(CALL, options.color ?? FADING);
    this.material = unlitMaterial({
      name: CALL,
      toneMapped: true,
      ...(texture && { baseColorTexture: texture }),
    });
    this.#flags =
      (blending === 'additive' ? ParticleFlag.additive : 0) |
      (texture ? ParticleFlag.textured : 0) |
      (collision ? ParticleFlag.collides : 0) |
      (collision?.against ? ParticleFlag.againstDepth : 0) |
      (this.sort ? ParticleFlag.sorted : 0) |
      (this.behindGlass ? ParticleFlag.behindGlass : 0);
  }

  override get kind(): string {
    return 'particles';
  }
  override get clonedOptions(): string {
    return CLONED;
  }

  /** Births per second. */
  get rate(): number {
    return this.#rate;
  }
  set rate(value: number) {
    this.#rate = checkMember('the particles', 'rate', value, PARTICLES_OPTIONS.rate);
    this.#rateChanged();
  }

  /** Whether particles are born at the rate. `emit` works regardless. Default true. */
  get isEmitting(): boolean {
    return this.#isEmitting;
  }
  set isEmitting(value: boolean) {
    this.#isEmitting = checkBoolean('the particles', 'isEmitting', value);
    this.#rateChanged();
  }

  /**
   * Emits a burst of particles, all of them with the next frame.
   * @param count 1 to 2,097,152; more than `maximumCount` are not kept
   * @throws OptionError; SceneError `component-destroyed`
   * @example explosion.root.emit(500);
   */
  emit(count: number): void {
    if (globalThis.FENCEPOST_DEVELOPMENT) checkAlive(this, 'emit');
    this.#burst += checkWhole('emit', 'count', count, 1, MOST_PARTICLES);
    this.#changed();
  }

  /** Velocity at birth, in metres per second along the actor's axes. Particles that live keep theirs. */
  get velocity(): VectorLike {
    const at = ParticleNumber.velocity;
    return Array.from(this.#numbers.subarray(at, at + 3));
  }
  set velocity(value: VectorLike) {
    this.#numbers.set(checkVelocity('the particles', 'velocity', value), ParticleNumber.velocity);
    this.#changed();
  }

  /** Metres per second: maximum length of the random velocity that is added at birth. */
  get spread(): number {
    return this.#numbers[ParticleNumber.spread] as number;
  }
  set spread(value: number) {
    const spread = checkMember('the particles', 'spread', value, PARTICLES_OPTIONS.spread);
    this.#numbers[ParticleNumber.spread] = spread;
    this.#changed();
  }

  /** Width in metres, over the life. */
  get size(): StopsOf<number> {
    return this.#size;
  }
  set size(value: StopsOf<number>) {
    this.#setSize('the particles', value);
    this.#changed();
  }

  /** Colour with alpha, over the life. */
  get color(): StopsOf<ColorLike> {
    return this.#color;
  }
  set color(value: StopsOf<ColorLike>) {
    this.#setColor('the particles', value);
    this.#changed();
  }

  /** Factor on the colour. */
  get intensity(): number {
    return this.#numbers[ParticleNumber.intensity] as number;
  }
  set intensity(value: number) {
    const intensity = checkMember('the particles', 'intensity', value, PARTICLES_OPTIONS.intensity);
    this.#numbers[ParticleNumber.intensity] = intensity;
    this.#changed();
  }

  /** Layers of the system, one bit each; a view can show only some of them. */
  get layers(): number {
    return this.#layers;
  }
  set layers(value: number) {
    this.#layers = checkMember('the particles', 'layers', value, PARTICLES_OPTIONS.layers);
    this.#changed();
  }

  override clone(): this {
    const copy = super.clone();
    copy.isEmitting = this.isEmitting;
    return copy;
  }

  override register(world: World): void {
    super.register(world);
    world.updates.resources.requestImages(this.material);
    this.#changedAt = world.updates.timeSeconds;
  }

  /** @internal Returns whether particles are visible after this scene time. */
  isMovingAfter(seconds: number): boolean {
    const last = this.#log.entries.at(-1);
    if (!last || !this.isShown) return false;
    return last.rate > 0 || last.start + (this.#numbers[ParticleNumber.lifeMost] as number) > seconds;
  }

  override sendProxy(updates: SceneUpdates): void {
    const { resources, writer } = updates;
    const isKnown = this.#particles !== NO_ID;
    if (!isKnown) this.#particles = updates.particles.allocate();
    updates.particleSystems.add(this);
    const material = resources.useMaterial(this.material);
    if (isKnown) resources.release(this.material);
    this.#logChanges(updates);
    this.#unsent.length = 0;
    this.#send(writer, material, ParticleFlag.isNew);
    for (const emission of this.#log.entries) this.#sendEmission(writer, emission);
  }

  override sendDynamicData(updates: SceneUpdates): void {
    if (this.#particles === NO_ID) return;
    const { resources, writer } = updates;
    const material = resources.useMaterial(this.material);
    resources.release(this.material);
    this.#send(writer, material, 0);
    this.#logChanges(updates);
    for (const emission of this.#unsent) this.#sendEmission(writer, emission);
    this.#unsent.length = 0;
  }

  override removeProxy(updates: SceneUpdates): void {
    if (this.#particles === NO_ID) return;
    updates.destroyedParticles.push(this.#particles);
    updates.particleSystems.delete(this);
    updates.resources.release(this.material);
    this.#particles = NO_ID;
    this.#log.clear();
    this.#hasRateChanged = true;
  }

  /**
   * Logs changes since the last update. A rate applies from the time of its change on. A burst happens in this frame,
   * at the source's current position.
   */
  #logChanges({ timeSeconds }: SceneUpdates): void {
    const life = this.#numbers[ParticleNumber.lifeMost] as number;
    const rate = this.#isEmitting ? this.#rate : 0;
    if (this.#hasRateChanged) this.#unsent.push(this.#log.begin(this.#changedAt, rate, 0, life));
    if (this.#burst > 0) this.#unsent.push(this.#log.begin(timeSeconds, rate, this.#burst, life));
    this.#hasRateChanged = false;
    this.#burst = 0;
  }

  #send(writer: StreamWriter, material: number, state: number): void {
    const sizes = this.#sizes.length * 2;
    const colors = this.#colors.length * 5;
    let at = writer.reserve(RenderOpcode.setParticles, 7 + 3 + ParticleNumber.count + sizes + colors);
    const { words, floats } = writer;
    words[at++] = this.#particles;
    words[at++] = this.node;
    words[at++] = material;
    words[at++] = this.#flags | state | (this.isShown ? ParticleFlag.visible : 0);
    words[at++] = this.maximumCount;
    words[at++] = this.seed ?? this.#particles;
    words[at++] = this.#layers;
    words[at++] = ParticleNumber.count;
    floats.set(this.#numbers, at);
    at += ParticleNumber.count;
    words[at++] = sizes;
    for (const stop of this.#sizes) for (const number of stop) floats[at++] = number;
    words[at++] = colors;
    for (const [share, color] of this.#colors) {
      floats[at++] = share;
      for (const channel of color) floats[at++] = channel;
    }
  }

  #sendEmission(writer: StreamWriter, { start, births, fraction, rate, burst }: Emission): void {
    const at = writer.reserve(RenderOpcode.emitParticles, 10);
    const { words } = writer;
    words[at] = this.#particles;
    writeDouble(words, at + 1, start);
    writeDouble(words, at + 3, births);
    writeDouble(words, at + 5, fraction);
    writeDouble(words, at + 7, rate);
    words[at + 9] = burst;
  }

  #setSize(what: string, value: StopsOf<number>): void {
    this.#sizes = checkStops(what, 'size', value, isNumber, (size) =>
      checkNumber(what, 'size', size, 0, 1e6),
    );
    this.#size = value;
  }

  #setColor(what: string, value: StopsOf<ColorLike>): void {
    this.#colors = checkStops(what, 'color', value, isColor, (color) => parseColor(what, 'color', color));
    this.#color = value;
  }

  #rateChanged(): void {
    this.#hasRateChanged = true;
    this.#changedAt = this.updates?.timeSeconds ?? 0;
    this.#changed();
  }

  #changed(): void {
    this.updates?.flag(this, DirtyFlag.dynamicData);
  }
}
