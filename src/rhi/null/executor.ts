/**
 * An executor without a GPU, for servers and unit tests (SYSTEMS H8). It runs the same lists by the same rules:
 * it counts commands by name, keeps handles and lifetimes, and refuses stale handles; every frame completes at
 * once. Nothing is drawn or copied, so what is read back is zeros.
 */
import { asStreamError, isStreamError, StreamError } from '../../core/errors.js';
import { EventRing, TimelineEvent } from '../../core/event-ring.js';
import type { StreamReader } from '../../core/stream.js';
import { Fence } from '../../sync/fence.js';
import { RhiOpcode, rhiCommands } from '../commands/commands.js';
import type { RhiCapabilities } from '../commands/descriptors.js';
import { handleKind, KIND_NAMES } from '../commands/handles.js';
import { attachmentOf, badAttachment } from '../commands/record-attachments.js';
import { descriptorAt, stringAt } from '../commands/record-fields.js';
import { type Executor, type ExecutorOptions, emptyFrameStats, type LeakReport } from '../host/executor.js';
import { ReleaseQueue } from '../memory/release-queue.js';
import { type Resource, ResourceTable } from '../memory/resource-table.js';

type CommandName = keyof typeof rhiCommands.opcodes;

export function nullCapabilities(): RhiCapabilities {
  return {
    backend: 'null',
    adapter: 'null',
    surfaceFormat: 'rgba8unorm',
    features: [],
    limits: { maxTextureDimension2D: 8192, maxBufferSize: 2 ** 30, maxStorageBufferBindingSize: 2 ** 27 },
  };
}

export class NullExecutor implements Executor {
  readonly submitted = new Fence('submitted');
  readonly completed = new Fence('completed');
  readonly stats = emptyFrameStats();
  /** How often each command was executed. */
  readonly commandCounts = new Map<CommandName, number>();

  readonly #options: ExecutorOptions;
  readonly #events: EventRing;
  readonly #reader: StreamReader;
  readonly #tables = KIND_NAMES.map((_, kind) => new ResourceTable<Resource>(kind));
  readonly #releases = new ReleaseQueue<Resource>(() => {});
  #frame = 0;
  #drawCalls = 0;
  #instances = 0;
  #uploadBytes = 0;
  #viewportTarget = 0;
  #began = 0;
  #isInFrame = false;
  #isPumping = false;
  #isDisposing = false;
  #isDisposed = false;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#events = options.events ?? new EventRing();
    this.#reader = options.reader;
    options.reader.onAvailable = () => this.pump();
  }

  pump(): void {
    if (this.#isPumping || this.#isDisposed) return;
    this.#isPumping = true;
    try {
      while (this.#reader.next()) {
        try {
          this.#execute(this.#reader);
        } catch (error) {
          if (isStreamError(error)) throw error;
          if (!this.#isDisposed) this.#options.onError(error);
        }
      }
    } catch (error) {
      // A listener has disposed of this, and the reader is closed.
      if (this.#isDisposed) return;
      const failure = asStreamError(error as Error);
      // The fences first: who hears of the error finds them failed.
      this.submitted.fail(failure);
      this.completed.fail(failure);
      this.#options.onError(failure);
    } finally {
      this.#isPumping = false;
      // For what was destroyed between frames: the next one may never come.
      if (!this.#isInFrame) this.purge();
    }
  }

  whenPipelinesReady(): Promise<void> {
    return Promise.resolve();
  }

  purge(): void {
    // Nothing is ever under way but the list that is being recorded.
    if (this.#isInFrame) this.#releases.purge(this.completed.value);
    else this.#releases.purgeAll();
    this.stats.liveResources = this.#tables.reduce((count, table) => count + table.count, 0);
    this.stats.pendingReleases = this.#releases.length;
  }

  dispose(): LeakReport {
    // Also when a listener calls it while this is under way.
    if (this.#isDisposing) return { leaks: [] };
    this.#isDisposing = true;
    this.pump();
    this.#isDisposed = true;
    this.#reader.onAvailable = null;
    this.#reader.close();
    return { leaks: this.#tables.flatMap((table) => table.leaks()) };
  }

  #execute(reader: StreamReader): void {
    const { words, fields, opcode } = reader;
    const name = rhiCommands.names[opcode];
    if (!name) {
      throw new StreamError('stream-corrupt', `The RHI stream has a record of unknown kind ${opcode}.`);
    }
    this.commandCounts.set(name, (this.commandCounts.get(name) ?? 0) + 1);
    switch (opcode) {
      case RhiOpcode.beginFrame:
        this.#frame = words[fields];
        this.#isInFrame = true;
        this.#began = this.#events.begin(TimelineEvent.execute, this.#frame);
        this.#drawCalls = this.#instances = this.#uploadBytes = 0;
        break;
      case RhiOpcode.endFrame:
        this.#endFrame();
        break;
      case RhiOpcode.beginDrawingViewport:
        this.#viewportTarget = words[fields];
        break;
      case RhiOpcode.endDrawingViewport:
        this.#viewportTarget = 0;
        break;
      case RhiOpcode.createShaderModule:
      case RhiOpcode.createDrawBundle:
        this.#create(words[fields], stringAt(words, fields, 1));
        break;
      case RhiOpcode.createBuffer:
      case RhiOpcode.createTexture:
      case RhiOpcode.createSampler:
      case RhiOpcode.createBindGroupLayout:
      case RhiOpcode.createBindGroup:
      case RhiOpcode.createGraphicsPipeline:
      case RhiOpcode.createComputePipeline:
      case RhiOpcode.createQuerySet:
        this.#create(words[fields], descriptorAt<{ label: string }>(words, fields).label);
        break;
      case RhiOpcode.destroyResource: {
        const resource = this.#table(words[fields]).take(words[fields]);
        if (resource !== undefined) this.#releases.release(resource, this.submitted.value);
        break;
      }
      case RhiOpcode.writeBuffer:
        this.#uploadBytes += words[fields + 2];
        this.#require(words[fields]);
        break;
      case RhiOpcode.writeBufferFromAttachment:
        this.#takeArrayBuffer(reader);
        this.#uploadBytes += words[fields + 4];
        break;
      case RhiOpcode.writeTextureFromAttachment:
        this.#takeArrayBuffer(reader);
        break;
      case RhiOpcode.copyExternalImage: {
        const image = attachmentOf(reader) as ImageBitmap | undefined;
        const target = words[fields + 1];
        if (!image?.close) throw badAttachment(this.#labelOf(target), 'ImageBitmap');
        image.close();
        this.#require(target);
        break;
      }
      case RhiOpcode.readBuffer:
        this.#options.onReadback(words[fields], new ArrayBuffer(words[fields + 3]));
        this.#require(words[fields + 1]);
        break;
      case RhiOpcode.setGraphicsPipeline:
      case RhiOpcode.setComputePipeline:
      case RhiOpcode.setIndexBuffer:
        this.#require(words[fields]);
        break;
      case RhiOpcode.setBindGroup:
      case RhiOpcode.setVertexBuffer:
        this.#require(words[fields + 1]);
        break;
      case RhiOpcode.draw:
      case RhiOpcode.drawIndexed:
        this.#drawCalls++;
        this.#instances += words[fields + 1];
        break;
      case RhiOpcode.drawIndirect:
      case RhiOpcode.drawIndexedIndirect:
        this.#drawCalls++;
        this.#require(words[fields]);
        break;
      default:
    }
  }

  #endFrame(): void {
    const { stats } = this;
    this.#isInFrame = false;
    const events = this.#events;
    const submitting = events.end(TimelineEvent.execute, this.#frame, this.#began, this.#uploadBytes);
    stats.frame = this.#frame;
    stats.drawCalls = this.#drawCalls;
    stats.instances = this.#instances;
    stats.uploadBytes = this.#uploadBytes;
    const number = this.submitted.value + 1;
    events.end(TimelineEvent.submit, this.#frame, submitting, stats.liveResources);
    this.submitted.signal(number);
    this.completed.signal(number);
    const purging = events.begin(TimelineEvent.purge, 0);
    this.purge();
    stats.rhiThreadMs = events.end(TimelineEvent.purge, 0, purging, number) - this.#began;
    if (!this.#isDisposed) this.#options.onFrame?.(stats);
  }

  #create(handle: number, label: string): void {
    this.#table(handle).add({ handle, label, createdInFrame: this.#frame });
  }

  #require(handle: number): void {
    if (handle !== this.#viewportTarget) this.#table(handle).get(handle);
  }

  #takeArrayBuffer(reader: StreamReader): void {
    const target = reader.words[reader.fields + 1];
    if (!(attachmentOf(reader) instanceof ArrayBuffer)) {
      throw badAttachment(this.#labelOf(target), 'ArrayBuffer');
    }
    this.#require(target);
  }

  #labelOf(handle: number): string {
    return this.#table(handle).find(handle)?.label ?? '';
  }

  #table(handle: number): ResourceTable<Resource> {
    return this.#tables[handleKind(handle)] ?? this.#tables[0];
  }
}
