import { type FencepostError, ThreadError } from '../../core/errors.js';
import { closeAttachment } from '../../core/records/record-fields.js';
import type { StreamReader } from '../../core/streams/stream.js';
import { type RenderCommandName, RenderOpcode, renderStream } from '../../proxy/commands.js';
import { FEATURE_COMMANDS, FEATURES, type FeatureName, NEEDS_EXISTING } from './feature-table.js';
import type { FrameHeader } from './render-thread.js';
import type { FeatureHost, WorldFeature } from './world-feature.js';

/** Features that a control call attaches, because they need a port. */
type AttachedFeature = 'modules' | 'fences';

/**
 * The active features of one world, by their commands. The render thread's loop knows this class but no
 * single feature.
 *
 *   command ── not in the table ─► not executed here: it belongs to the renderer
 *           └─ its feature ─┬─ exists ──► WorldFeature.execute
 *                           ├─ created now, then executes it
 *                           └─ the command changes nothing without it: ignored
 */
export class WorldFeatures {
  readonly #host: FeatureHost;
  readonly #byName = new Map<FeatureName | AttachedFeature, WorldFeature>();
  /** Features in the order of their creation. */
  readonly #active: WorldFeature[] = [];
  /** Feature of each opcode; undefined until `#find` or `attach` has set it. */
  readonly #byOpcode: (WorldFeature | undefined)[] = [];
  #isStopped = false;

  constructor(host: FeatureHost) {
    this.#host = host;
  }

  /**
   * Executes the reader's current record and returns true if the record belongs to a feature. Otherwise returns false.
   * Called per command.
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

  /** Adds a feature, or replaces and stops the feature of the same name. */
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

  /** Begins a game frame in all features. Called per game frame, before it is recorded. */
  beginFrame(frame: FrameHeader): void {
    for (let index = 0; index < this.#active.length; index++) this.#active[index]?.beginFrame?.(frame);
  }

  /** Begins a list in all features. Called per list, before it is recorded. */
  beginList(frame: FrameHeader): void {
    for (let index = 0; index < this.#active.length; index++) this.#active[index]?.beginList?.(frame);
  }

  /** Ends a list in all features. Called per list. */
  endList(): void {
    for (let index = 0; index < this.#active.length; index++) this.#active[index]?.endList?.();
  }

  stop(): void {
    this.#isStopped = true;
    for (const feature of this.#active) feature.stop?.();
  }

  /**
   * Returns the feature of a command, and creates it if necessary. Returns undefined if the command changes
   * nothing without its feature.
   */
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

/** Whether each opcode belongs to a feature. */
const isFeatureCommand = renderStream.names.map((name) => name in FEATURE_COMMANDS || name === 'callModule');

const moduleMissing = (): FencepostError =>
  new ThreadError(
    'render-module-missing',
    'A call of a render module arrived before the render thread accepted modules. The call was skipped.',
  );
