/**
 * A reader before the null executor's: it looks at each record first, refuses those whose handles are stale or of
 * the wrong kind, and carries out the commands about order. While a record waits for its fence, the reader says
 * that nothing has arrived.
 *
 *   next() ─► record ─┬─► good: true, the executor takes it
 *                     ├─► refused: error, its attachment freed, the next record
 *                     ├─► executes a bundle: true, and the bundle's records come next
 *                     └─► waits: false; at the fence's signal `resume` is called, and the record is looked at again
 */

import { readDouble } from '../../core/double-words.js';
import { RhiError } from '../../core/errors.js';
import { ForwardingReader } from '../../core/forwarding-reader.js';
import { HEADER_LENGTH_SHIFT } from '../../core/record-table.js';
import type { StreamReader } from '../../core/stream.js';
import { commandFacts, leastFieldWords } from '../commands/command-facts.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import type { TextureDescriptor } from '../commands/descriptors.js';
import { handleKind, KIND_NAMES, ResourceKind } from '../commands/handles.js';
import { closeAttachment } from '../commands/record-attachments.js';
import { descriptorAt, stringAt } from '../commands/record-fields.js';
import type { ExecutorOptions } from '../host/executor.js';
import { FenceTable, fenceValueAt } from '../host/fence-table.js';
import { runLocalCommand } from '../host/local-commands.js';
import { type Resource, ResourceTable } from '../memory/resource-table.js';
import type { CompleteCommandOptions } from '../record/complete-options.js';
import { checkedBundleAt } from '../record/draw-bundle.js';
import { checkRanges } from './ranges.js';

interface KnownResource extends Resource {
  /** Of buffers. */
  readonly byteLength: number;
  /** Of textures, but the viewport's. */
  readonly texture?: TextureDescriptor | undefined;
  /** Of draw bundles. */
  readonly commands?: Uint32Array;
}

type Known = Omit<KnownResource, keyof Resource>;

/** The records of the draw bundle being executed. */
class BundleRecords {
  readonly words: Uint32Array;
  readonly ints: Int32Array;
  readonly floats: Float32Array;
  opcode = 0;
  fields = 0;
  fieldWords = 0;
  #next = 0;

  constructor(words: Uint32Array) {
    this.words = words;
    this.ints = new Int32Array(words.buffer, words.byteOffset, words.length);
    this.floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  }

  next(): boolean {
    if (this.#next >= this.words.length) return false;
    const header = this.words[this.#next];
    this.opcode = header & 0xff;
    this.fields = this.#next + 1;
    this.fieldWords = (header >>> HEADER_LENGTH_SHIFT) - 1;
    this.#next = this.fields + this.fieldWords;
    return true;
  }
}

/** What a creation with a JSON descriptor creates, by opcode. */
const createdKinds: { readonly [opcode: number]: ResourceKind } = {
  [RhiOpcode.createBuffer]: ResourceKind.buffer,
  [RhiOpcode.createTexture]: ResourceKind.texture,
  [RhiOpcode.createSampler]: ResourceKind.sampler,
  [RhiOpcode.createBindGroupLayout]: ResourceKind.bindGroupLayout,
  [RhiOpcode.createBindGroup]: ResourceKind.bindGroup,
  [RhiOpcode.createGraphicsPipeline]: ResourceKind.graphicsPipeline,
  [RhiOpcode.createComputePipeline]: ResourceKind.computePipeline,
  [RhiOpcode.createQuerySet]: ResourceKind.querySet,
};

type Options = ExecutorOptions & CompleteCommandOptions;

export class CheckedReader extends ForwardingReader {
  readonly fences = new FenceTable();
  /** Nothing is waited for any more. */
  isDisposing = false;
  readonly #options: Options;
  readonly #resume: () => void;
  readonly #tables = KIND_NAMES.map((_, kind) => new ResourceTable<KnownResource>(kind));
  #frame = 0;
  /** The current record has not been passed on. */
  #isHeld = false;
  /** The record is a wait that was held and is executed again. */
  #isHeldWait = false;
  #isWaiting = false;
  #bundle: BundleRecords | null = null;
  #isInBundle = false;

  constructor(options: Options, resume: () => void) {
    super(options.reader);
    this.#options = options;
    this.#resume = resume;
  }

  override next(): boolean {
    if (this.#isWaiting && !this.isDisposing) return false;
    while (this.#isHeld || this.#advance()) {
      this.#isHeld = false;
      try {
        this.#check();
        this.#execute();
        return !this.#isHeld;
      } catch (error) {
        this.#refuse();
        this.#options.onError(error);
      }
    }
    return false;
  }

  override get words(): Uint32Array {
    return this.#record.words;
  }

  override get ints(): Int32Array {
    return this.#record.ints;
  }

  override get floats(): Float32Array {
    return this.#record.floats;
  }

  override get opcode(): number {
    return this.#record.opcode;
  }

  override get fields(): number {
    return this.#record.fields;
  }

  override get fieldWords(): number {
    return this.#record.fieldWords;
  }

  /** What holds the current record. */
  get #record(): BundleRecords | StreamReader {
    return (this.#isInBundle && this.#bundle) || this.source;
  }

  #advance(): boolean {
    this.#isInBundle = this.#bundle?.next() === true;
    if (this.#isInBundle) return true;
    this.#bundle = null;
    return this.source.next();
  }

  #check(): void {
    const { words, fields, fieldWords, opcode } = this;
    const name = rhiCommands.names[opcode];
    if (fieldWords < leastFieldWords[opcode]) {
      throw new RhiError(
        'bad-record',
        `A record "${name}" is too short. Record it with a context of this version.`,
      );
    }
    for (const { word, kinds, isCreated } of commandFacts[opcode]?.handles ?? []) {
      // A destroy of what is gone already is no fault here.
      if (!isCreated && kinds.length === 1) this.#table(kinds[0] as number).get(words[fields + word]);
    }
    checkRanges(opcode, words, fields, this.#find);
  }

  #execute(): void {
    const { words, fields, fieldWords, opcode } = this;
    const first = words[fields];
    const created = createdKinds[opcode];
    if (created !== undefined) {
      const descriptor = descriptorAt<{ label: string; byteLength?: number }>(words, fields);
      const texture = opcode === RhiOpcode.createTexture ? (descriptor as TextureDescriptor) : undefined;
      this.#add(created, first, descriptor.label, { byteLength: descriptor.byteLength ?? 0, texture });
      return;
    }
    switch (opcode) {
      case RhiOpcode.beginFrame:
        this.#frame = first;
        break;
      case RhiOpcode.beginDrawingViewport:
        this.#add(ResourceKind.texture, first, 'viewport');
        break;
      case RhiOpcode.endDrawingViewport:
        this.#table(ResourceKind.texture).take(first);
        break;
      case RhiOpcode.createShaderModule:
        this.#add(ResourceKind.shaderModule, first, stringAt(words, fields, 1));
        break;
      case RhiOpcode.createDrawBundle: {
        const { label, commands } = checkedBundleAt(words, fields, fieldWords);
        this.#add(ResourceKind.drawBundle, first, label, { byteLength: 0, commands: commands.slice() });
        break;
      }
      case RhiOpcode.executeDrawBundle:
        this.#bundle = new BundleRecords(
          this.#table(ResourceKind.drawBundle).get(first).commands as Uint32Array,
        );
        break;
      case RhiOpcode.createFence:
        this.#checkKind(ResourceKind.fence, first);
        this.fences.create(first, readDouble(words, fields + 1), stringAt(words, fields, 3), this.#frame);
        break;
      case RhiOpcode.destroyResource:
        if (handleKind(first) === ResourceKind.fence) this.fences.take(first)?.gpu.destroy();
        else this.#table(handleKind(first)).take(first);
        break;
      case RhiOpcode.signalFence: {
        // Everything before is done: there is nothing to do.
        const value = fenceValueAt(words, fields + 1);
        this.fences.finishSignal(this.fences.beginSignal(first, value), value);
        break;
      }
      case RhiOpcode.waitFence:
        this.#wait(first, fenceValueAt(words, fields + 1));
        break;
      case RhiOpcode.localCommand:
        runLocalCommand(words, fields, this.#options.localCommands, null);
        break;
      case RhiOpcode.outputVideoFrame:
        throw new RhiError(
          'capability-missing',
          'The null backend draws nothing, so it has no video frames. Ask for them on a GPU.',
        );
      default:
    }
  }

  #wait(handle: number, value: number): void {
    const { fence } = this.fences.get(handle);
    if (this.isDisposing) return;
    if (!this.#isHeldWait) fence.waitQueued?.(value);
    this.#isHeldWait = false;
    if (fence.isReached(value)) {
      fence.waitUnblocked?.(value);
      return;
    }
    if (fence.error !== null) throw fence.error;
    this.#isHeldWait = true;
    this.#isHeld = this.#isWaiting = true;
    const resume = (): void => {
      this.#isWaiting = false;
      this.#resume();
    };
    fence.whenReached(value).then(resume, resume);
  }

  /** Frees what the record brought, and answers who asks for bytes with none. */
  #refuse(): void {
    const { words, fields, opcode } = this;
    switch (opcode) {
      case RhiOpcode.readBuffer:
        this.#options.onReadback(words[fields], new ArrayBuffer(0));
        break;
      case RhiOpcode.writeBufferFromAttachment:
      case RhiOpcode.writeTextureFromAttachment:
      case RhiOpcode.copyExternalImage:
        closeAttachment(this);
        break;
      default:
    }
  }

  #add(kind: ResourceKind, handle: number, label: string, known: Known = { byteLength: 0 }): void {
    this.#checkKind(kind, handle);
    this.#table(kind).add({ ...known, handle, label, createdInFrame: this.#frame });
  }

  /** @throws RhiError `wrong-handle-kind` */
  #checkKind(kind: ResourceKind, handle: number): void {
    if (handleKind(handle) !== kind) throw this.#table(kind).staleHandle(handle);
  }

  readonly #find = (handle: number): KnownResource => this.#table(handleKind(handle)).get(handle);

  /** The table of fences is one of its own; those of unknown kinds are empty. */
  #table(kind: number): ResourceTable<KnownResource> {
    const tables: readonly ResourceTable<KnownResource>[] = this.#tables;
    if (kind === ResourceKind.fence) return this.fences as unknown as ResourceTable<KnownResource>;
    return tables[kind] ?? (tables[0] as ResourceTable<KnownResource>);
  }
}
