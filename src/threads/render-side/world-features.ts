import { type FencepostError, ThreadError } from '../../core/errors.js';
import { closeAttachment } from '../../core/records/record-fields.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { type RenderCommandName, RenderOpcode, renderStream } from '../../proxy/commands.js';
import { FEATURE_COMMANDS, FEATURES, type FeatureName, NEEDS_EXISTING } from './feature-table.js';
import type { FrameHeader } from './render-thread.js';
import type { FeatureHost, WorldFeature } from './world-feature.js';

/** Features that a control call attaches, because they take a port. */
type AttachedFeature = 'modules' | 'fences';

/**
 * The features at work in one world, by the commands that are theirs. The render thread's loop knows this class and no
 * single feature.
 *
 *   command ── in no line of the table ─► not executed here: the renderer's own
 *           └─ its feature ─┬─ exists ──► WorldFeature.execute
 *                           ├─ created now, then executes it
 *                           └─ the command changes nothing without it: ignored
 */
export class WorldFeatures {
  readonly #host: FeatureHost;
  readonly #byName = new Map<FeatureName | AttachedFeature, WorldFeature>();
  /** In the order in which they were created. */
  readonly #active: WorldFeature[] = [];
  /** By opcode; undefined until the command's feature exists. */
  readonly #byOpcode: (WorldFeature | undefined)[] = [];
  #isStopped = false;

  constructor(host: FeatureHost) {
    this.#host = host;
  }

  /**
   * Per command: executes the reader's current record if a feature's command, else returns false.
   * @throws ThreadError `render-module-missing`
   */
  execute(reader: StreamReader, frame: FrameHeader): boolean {
    const { opcode } = reader;
    if (!isFeatureCommand[opcode]) return false;
    const feature = this.#byOpcode[opcode] ?? this.#find(opcode);
    if (feature) feature.execute(reader, frame);
    else closeAttachment(reader);
    return true;
  }

  /** Adds a feature in the place of the one of that name, if any. */
  attach(name: AttachedFeature, feature: WorldFeature): void {
    const previous = this.#byName.get(name);
    if (previous) {
      previous.stop?.();
      this.#active.splice(this.#active.indexOf(previous), 1);
    }
    this.#add(name, feature);
    if (name === 'modules') this.#byOpcode[RenderOpcode.callModule] = feature;
    if (this.#isStopped) feature.stop?.();
  }

  /** Per game frame, before it is recorded. */
  beginFrame(frame: FrameHeader): void {
    for (let index = 0; index < this.#active.length; index++) this.#active[index]?.beginFrame?.(frame);
  }

  /** Per list, before it is recorded. */
  beginList(frame: FrameHeader): void {
    for (let index = 0; index < this.#active.length; index++) this.#active[index]?.beginList?.(frame);
  }

  /** Per list, at its end. */
  endList(): void {
    for (let index = 0; index < this.#active.length; index++) this.#active[index]?.endList?.();
  }

  stop(): void {
    this.#isStopped = true;
    for (const feature of this.#active) feature.stop?.();
  }

  /** Returns the feature of a command, created if it must be; undefined where the command changes nothing without it. */
  #find(opcode: number): WorldFeature | undefined {
    const command = renderStream.names[opcode] as RenderCommandName;
    const name = FEATURE_COMMANDS[command];
    if (name === undefined) throw moduleMissing();
    let feature = this.#byName.get(name);
    if (!feature) {
      if (NEEDS_EXISTING.has(command)) return undefined;
      feature = FEATURES[name](this.#host);
      this.#add(name, feature);
    }
    this.#byOpcode[opcode] = feature;
    return feature;
  }

  #add(name: FeatureName | AttachedFeature, feature: WorldFeature): void {
    this.#byName.set(name, feature);
    this.#active.push(feature);
  }
}

/** By opcode. */
const isFeatureCommand = renderStream.names.map((name) => name in FEATURE_COMMANDS || name === 'callModule');

const moduleMissing = (): FencepostError =>
  new ThreadError(
    'render-module-missing',
    'A call of a render module came before the render thread was opened for modules. It was left out.',
  );
