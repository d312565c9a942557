import { FencepostError, ThreadError } from '../../core/errors.js';
import { defineRecordTable } from '../../core/records/record-table.js';
import { PageReader } from '../../core/streams/page-reader.js';
import { createLocalStream } from '../../core/streams/page-stream.js';
import { PageWriter } from '../../core/streams/page-writer.js';
import { SharedReaderCarrier, SharedWriterCarrier } from '../../core/streams/shared-carrier.js';
import type { listenToWord } from '../../core/streams/word-listening.js';
import { ManualChannel } from '../../core/testing/manual-channel.js';
import { ReceivedFences, sendFences } from '../fences/fence-link.js';
import { MonitoredFence } from '../fences/monitored-fence.js';
import { PrivateFence } from '../fences/private-fence.js';
import { FrameEndSync } from '../frame-end-sync.js';
import { canSubmit } from '../in-flight-limit.js';
import type { SignallableFence } from '../waitable.js';
import { type FenceForm, FenceThreads } from './fence-threads.js';
import { type Program, type VirtualThread, waitFor } from './schedule-explorer.js';

/**
 * The frame protocol as a small program for the schedule explorer. Streams, fences, links, FrameEndSync and the
 * in-flight limit are the real ones; only the work and the threads' event loops are virtual.
 * A thread sleeps on *events* (a callback has set its flag), never on a condition, so that a lost wake-up is a
 * deadlock.
 *
 *   game ── render commands ──► render ── RHI commands ──► rhi ── queue ──► gpu
 *        ◄─ recorded (fence link) ──                             ◄─ completed ─
 *        ◄─ completed (fence link) ─────────────────────────────
 *
 * Each `Fault` breaks one rule on purpose, and the explorer must catch every fault. Test-only.
 */
export type Fault =
  | 'game-ignores-sync'
  | 'game-misses-event'
  | 'render-repeats'
  | 'render-skips'
  | 'rhi-ignores-limit'
  | 'rhi-numbers-first'
  | 'crash-is-silent';

export interface PipelineOptions {
  readonly frames: number;
  readonly lag: boolean;
  /** Switches the lag after the end of this frame. */
  readonly switchLagAfter?: number;
  readonly maxFramesInFlight: number;
  /**
   * Carrier of the game's stream. In shared memory, a word of that memory (`shared`) or a message (`shared, posted`)
   * wakes the reader.
   */
  readonly carrier: 'local' | 'shared' | 'shared, posted';
  /** Kind of fences: each thread's own with links between them (default), or monitored fences of a group. */
  readonly fences?: 'linked' | FenceForm;
  readonly fault?: Fault;
  /** Runs a half of the pipeline. `front`: game and render thread; `back`: recording, RHI and GPU. Default: all. */
  readonly part?: 'front' | 'back';
  /** Thread that throws at its frame 2. */
  readonly crash?: 'render' | 'rhi';
}

const table = defineRecordTable('frames', { frame: { frame: 'u32' }, end: { frame: 'u32' } });

/** Listeners to words of shared memory: `deliver` calls one whose word has changed. */
class Bells {
  readonly #listeners = new Set<{ readonly isRung: () => boolean; readonly onRing: () => void }>();

  readonly listen: typeof listenToWord = (words, index, expected, onRing) => {
    this.#listeners.add({ isRung: () => Atomics.load(words, index) !== expected, onRing });
  };

  get inbox(): readonly { readonly onRing: () => void }[] {
    return [...this.#listeners].filter(({ isRung }) => isRung());
  }

  deliver(): void {
    const [first] = [...this.#listeners].filter(({ isRung }) => isRung());
    if (!first) return;
    this.#listeners.delete(first);
    first.onRing();
  }
}

/** A flag for one event: a callback sets it, and the thread waits for it. */
class Wake {
  isSet = false;
  readonly set = () => {
    this.isSet = true;
  };
  take(name: string) {
    return waitFor(name, () => this.isSet);
  }
}

interface PipelineFences {
  readonly recorded: SignallableFence;
  readonly recordedOnGame: SignallableFence;
  readonly submitted: SignallableFence;
  readonly completed: SignallableFence;
  readonly completedOnGame: SignallableFence;
  /** Links that carry the fences between threads. */
  readonly links: readonly { readonly inbox: readonly unknown[]; deliver(): unknown }[];
}

/** Creates fences and links like those of the engine's workers. */
function linkedFences(): PipelineFences {
  const linked = (name: string) => {
    const link = new ManualChannel();
    const fence = new PrivateFence(name);
    const names = [name];
    sendFences({ port: link.port1, memory: null, names }, { [name]: fence });
    const [onGame] = new ReceivedFences({ port: link.port2, memory: null, names }).fences;
    return { fence, onGame, port: link.port2 };
  };
  const [recorded, completed] = [linked('recorded'), linked('completed')];
  return {
    recorded: recorded.fence,
    recordedOnGame: recorded.onGame,
    submitted: new PrivateFence('submitted'),
    completed: completed.fence,
    completedOnGame: completed.onGame,
    links: [recorded.port, completed.port],
  };
}

/** Returns the value without requesting the next value, which would change the state under test. */
function peek(fence: SignallableFence): number {
  return fence instanceof MonitoredFence ? Number(fence.local.cell.current) : fence.value;
}

/** Creates the same fences as monitored fences that three threads of a group share. */
function monitoredFences(form: FenceForm): PipelineFences {
  // Keep the memory small: thousands of programs are created, and each clears its memory.
  const threads = new FenceThreads(form, { capacity: 4, queues: 0 });
  const render = threads.home;
  const [game, rhi] = [threads.join('game'), threads.join('rhi')];
  const recorded = render.create('recorded');
  const completed = render.create('completed');
  const fences = {
    recorded,
    recordedOnGame: game.open(recorded.share()),
    submitted: rhi.create('submitted', { isPrivate: true }),
    completed: rhi.open(completed.share()),
    completedOnGame: game.open(completed.share()),
    links: [threads],
  };
  threads.settle();
  return fences;
}

export function framePipeline(options: PipelineOptions): Program {
  const { frames, fault, maxFramesInFlight } = options;
  const tasks: { readonly stream: string; readonly run: () => void }[] = [];
  const scheduleFor = (stream: string) => (run: () => void) => void tasks.push({ stream, run });
  const channel = new ManualChannel();
  const bells = new Bells();
  const commands =
    options.carrier === 'local'
      ? createLocalStream({ table, schedule: scheduleFor('commands') })
      : {
          writer: new PageWriter(
            new SharedWriterCarrier(channel.port1, 8, options.carrier === 'shared'),
            table,
            {
              fatalPages: 8,
            },
          ),
          reader: new PageReader(new SharedReaderCarrier(channel.port2, bells.listen), table),
        };
  const lists = createLocalStream({ table, schedule: scheduleFor('lists') });
  const { recorded, recordedOnGame, submitted, completed, completedOnGame, links } =
    options.fences === undefined || options.fences === 'linked'
      ? linkedFences()
      : monitoredFences(options.fences);
  // After an RHI error, the game also fails `recorded` and closes the commands, which ends waits for the render thread.
  completedOnGame.subscribe(() => {
    if (!completedOnGame.error || fault === 'crash-is-silent') return;
    recordedOnGame.fail(completedOnGame.error);
    commands.writer.close(completedOnGame.error);
  });
  const sync = new FrameEndSync(recordedOnGame, { lag: options.lag });

  // The true state, to compare with the fences.
  let started = 0;
  let lagAtStart = options.lag;
  let rendered = 0;
  const executed: number[] = [];
  let submitsReturned = 0;
  let gpuDone = 0;
  const gpuQueue: number[] = [];
  const gameWake = new Wake();
  const renderWake = new Wake();
  const rhiWake = new Wake();
  const gpuWake = new Wake();
  let renderRecords = 0;
  const outcomes: Record<string, string> = {};

  const write = (writer: typeof commands.writer, opcode: number, frame: number) => {
    const at = writer.reserve(opcode, 1);
    writer.words[at] = frame;
  };

  function* game(): VirtualThread {
    for (let frame = 1; frame <= frames; frame++) {
      while (fault !== 'game-ignores-sync' && !sync.isReady) {
        if (recordedOnGame.error) throw recordedOnGame.error;
        if (fault === 'game-misses-event') yield 'is about to listen'; // the event may arrive before it listens
        const wake = gameWake;
        wake.isSet = false;
        const unsubscribe = recordedOnGame.subscribe(wake.set);
        yield wake.take(`frame ${sync.awaitedFrame} of the render thread`);
        unsubscribe();
      }
      started = frame;
      lagAtStart = sync.lag;
      yield `starts frame ${frame}`;
      write(commands.writer, table.opcodes.frame, frame);
      write(commands.writer, table.opcodes.end, frame);
      commands.writer.publish();
      if (fault !== 'game-ignores-sync') sync.endFrame(frame);
      if (frame === options.switchLagAfter) sync.lag = !sync.lag;
      yield `ends frame ${frame}`;
    }
  }

  function* render(): VirtualThread {
    const wake = renderWake;
    commands.reader.onAvailable = wake.set;
    while (rendered < frames) {
      if (!commands.reader.next()) {
        yield wake.take('render commands');
        wake.isSet = false;
        continue;
      }
      renderRecords++;
      const frame = commands.reader.words[commands.reader.fields];
      if (commands.reader.opcode === table.opcodes.frame) {
        if (fault === 'render-skips' && frame === 2) continue;
        executed.push(frame);
        if (fault === 'render-repeats' && frame === 2) executed.push(frame);
        if (options.crash === 'render' && frame === 2) throw new ThreadError('crashed', 'Render threw.');
        yield `renders frame ${frame}`;
      } else {
        if (options.part !== 'front') {
          write(lists.writer, table.opcodes.end, frame);
          lists.writer.publish();
        }
        rendered = frame;
        recorded.signal(frame);
        yield `has recorded frame ${frame}`;
      }
    }
  }

  /** Replaces the render thread in the `back` part: it never waits. */
  function* recorder(): VirtualThread {
    for (let frame = 1; frame <= frames; frame++) {
      executed.push(frame);
      write(lists.writer, table.opcodes.end, frame);
      lists.writer.publish();
      yield `has recorded frame ${frame}`;
    }
  }

  function* rhi(): VirtualThread {
    const wake = rhiWake;
    lists.reader.onAvailable = wake.set;
    completed.subscribe(wake.set);
    while (submitsReturned < frames) {
      const mayTake = fault === 'rhi-ignores-limit' || canSubmit(submitted, completed, maxFramesInFlight);
      if (completed.error) throw completed.error;
      if (!mayTake || !lists.reader.next()) {
        yield wake.take('a list, or the GPU');
        wake.isSet = false;
        continue;
      }
      const list = lists.reader.words[lists.reader.fields];
      if (options.crash === 'rhi' && list === 2) throw new ThreadError('crashed', 'The RHI threw.');
      if (fault === 'rhi-numbers-first') submitted.signal(list);
      yield `submits list ${list}`;
      gpuQueue.push(list);
      submitsReturned = list;
      submitted.signal(list);
      gpuWake.set();
      yield `has submitted list ${list}`;
    }
  }

  function* gpu(): VirtualThread {
    while (gpuDone < frames) {
      if (gpuQueue.length === 0) {
        yield gpuWake.take('submissions');
        gpuWake.isSet = false;
        continue;
      }
      const list = gpuQueue.shift() ?? 0;
      yield `works on list ${list}`;
      gpuDone = list;
      completed.signal(list);
    }
  }

  /** Delivers messages and tasks in flight, each at a step that the explorer chooses. */
  function* deliveries(sources: readonly { inbox: readonly unknown[]; deliver(): unknown }[]): VirtualThread {
    const ready = () => sources.find((source) => source.inbox.length > 0);
    for (;;) {
      yield waitFor('something to deliver', () => ready() !== undefined);
      ready()?.deliver();
    }
  }

  /** Runs a thread as its entry point does: an exception ends its fences and streams with that error. */
  function* guarded(name: string, body: VirtualThread, end: (error: FencepostError) => void): VirtualThread {
    try {
      yield* body;
      outcomes[name] = 'done';
    } catch (error) {
      if (!(error instanceof FencepostError) || options.crash === undefined) throw error;
      outcomes[name] = error.code;
      if (fault !== 'crash-is-silent') end(error);
    }
  }

  const endRender = (error: FencepostError) => {
    recorded.fail(error);
    commands.reader.close(error);
    lists.writer.close(error);
  };
  const endRhi = (error: FencepostError) => {
    submitted.fail(error);
    completed.fail(error);
    lists.reader.close(error);
  };

  const ports = [...links, channel.port1, channel.port2];
  const taskQueue = { inbox: tasks, deliver: () => tasks.shift()?.run() };
  return {
    threads: {
      ...(options.part === 'back'
        ? { recorder: recorder() }
        : {
            game: guarded('game', game(), (error) => commands.writer.close(error)),
            render: guarded('render', render(), endRender),
            ports: deliveries([channel.port1, channel.port2]),
            bells: deliveries([bells]),
          }),
      ...(options.part === 'front' ? {} : { rhi: guarded('rhi', rhi(), endRhi), gpu: gpu() }),
      links: deliveries(links),
      tasks: deliveries([taskQueue]),
    },
    daemons: ['gpu', 'ports', 'bells', 'links', 'tasks'],
    fingerprint: () =>
      [
        started,
        lagAtStart,
        sync.lag,
        sync.awaitedFrame,
        rendered,
        renderRecords,
        executed.length,
        submitsReturned,
        gpuDone,
        gpuQueue.length,
        peek(recordedOnGame),
        recorded.error?.code,
        recordedOnGame.error?.code,
        completed.error?.code,
        peek(completedOnGame),
        completedOnGame.error?.code,
        ...[gameWake, renderWake, rhiWake, gpuWake].map((wake) => wake.isSet),
        ...ports.map((port) => port.inbox.length),
        bells.inbox.length,
        ...tasks.map((task) => task.stream),
        Object.keys(outcomes),
      ].join(),
    invariant: () => {
      // Frame N may start when frame N−1 (lag off) or N−2 (lag on) is complete.
      const ahead = options.part === 'back' ? 0 : started - rendered;
      if (ahead > (lagAtStart ? 2 : 1))
        throw new Error(`The game runs frame ${started} while ${rendered} is through.`);
      for (let index = 0; index < executed.length; index++) {
        if (executed[index] !== index + 1)
          throw new Error(`Render commands executed: ${executed.join(', ')}.`);
      }
      if (submitsReturned - gpuDone > maxFramesInFlight) {
        throw new Error(`${submitsReturned - gpuDone} lists are in flight.`);
      }
      if (!options.crash && peek(submitted) > submitsReturned)
        throw new Error('A number was published before submit returned.');
      if (peek(completed) > peek(submitted)) throw new Error('A list completed before it was submitted.');
    },
    atEnd: () => {
      if (options.crash) {
        if (recordedOnGame.error?.code !== 'crashed') throw new Error('The error did not reach the game.');
        for (const name of ['game', 'render', 'rhi']) {
          const outcome = outcomes[name];
          const mayFinish = options.crash === 'rhi' && name !== 'rhi';
          if (outcome !== 'crashed' && !(mayFinish && outcome === 'done'))
            throw new Error(`${name}: ${outcome}`);
        }
        return;
      }
      if (executed.length !== frames || (options.part !== 'front' && gpuDone !== frames))
        throw new Error('Not every frame came through.');
    },
  };
}
