import { readEvents } from '../../core/events/event-reader.js';
import type { EventRing } from '../../core/events/event-ring.js';
import type { ThreadRoles } from '../../rhi/record/thread-guard.js';
import type { ThreadApi } from '../control/protocol.js';
import type { RenderFences } from '../fences/render-fences.js';
import type { LoadTools } from '../library-files/library-files.js';
import { connectHelpers } from '../render-side/connect-helpers.js';
import { followViews } from '../render-side/followed-views.js';
import type { HelperMemories } from '../render-side/helper-memories.js';
import type { RenderSide } from '../render-side/render-side.js';
import type { RhiSide } from '../rhi-side/rhi-side.js';
import { createSurfaceCalls } from './surface-calls.js';

/**
 * The two parts of the pipeline, called sides, that may run on a thread under one connection. A side is null if the
 * thread does not run it, or has not started it yet.
 */
export interface ThreadSides {
  render: RenderSide | null;
  rhi: RhiSide | null;
  /** Shared memories of helpers and the render side. */
  helpers?: HelperMemories | null;
  /** Fences of the page, set once `engine.fences` was called. */
  fences?: RenderFences;
  /** Event ring of the thread. */
  readonly events: EventRing;
  /** Roles of the thread. The render side's work runs in the role `render`. */
  readonly roles: ThreadRoles;
  readonly onError: (error: unknown) => void;
}

/** The control calls that `worker-tools.js` implements. */
const TOOL_CALLS = [
  'describeGraph',
  'startCapture',
  'stopCapture',
  'startRecording',
  'takeRenderCommands',
  'writeRecording',
  'connectFences',
  'serveFences',
  'connectModules',
  'serveRhiPoints',
  'serveTasks',
] as const satisfies readonly (keyof ThreadApi)[];

type ToolCall = (typeof TOOL_CALLS)[number];
export type ToolCalls = Pick<ThreadApi, ToolCall>;

type Call = (...parameters: unknown[]) => Promise<unknown>;

/**
 * Creates the object that answers control calls on a thread. Calls of `TOOL_CALLS` load the tools first.
 */
export function createThreadApi(thread: ThreadSides, loadTools: LoadTools): ThreadApi {
  const own: Omit<ThreadApi, ToolCall> = {
    ...createSurfaceCalls(thread),
    recordDeletes: async () => thread.render?.recordDeletes() ?? 0,
    purge: async (rhiBytes) => thread.rhi?.purge(rhiBytes),
    async shutDown(isStreamClosed) {
      const { render, rhi } = thread;
      const recorded = render?.shutDown() ?? null;
      const closesStream = render !== null;
      // The RHI stream contains the renderer's destroy commands. They are executed before the RHI reports leaks.
      const report = await rhi?.shutDown({ awaitsEnd: closesStream || isStreamClosed });
      return { executed: report?.leaks ?? null, recorded, closesStream };
    },
    loseDevice: async () => thread.rhi?.loseDevice(),
    readEvents: async (place) => readEvents(thread.events.buffer, place),
    measureGpu: async () => thread.rhi?.measureGpu(),
    gpuPassTimes: async () => thread.rhi?.passMilliseconds() ?? null,
    followViews: async (shared, port) => {
      if (thread.render) followViews(thread.render.renderer, shared, port);
    },
    connectHelpers: async (helpers) => {
      const { render } = thread;
      thread.helpers?.close();
      // Close the port if the connection has ended meanwhile.
      if (!render) helpers?.port.close();
      thread.helpers = render && connectHelpers(render.renderer, helpers, thread);
      if (render) render.thread.loopMemories = thread.helpers;
    },
  };
  let calls: ToolCalls | undefined;
  const loadCalls = async (): Promise<ToolCalls> => {
    const { createToolCalls } = await loadTools();
    calls ??= createToolCalls(thread);
    return calls;
  };
  const toolCalls = TOOL_CALLS.map((name): [ToolCall, Call] => [
    name,
    async (...parameters) => ((await loadCalls())[name] as Call)(...parameters),
  ]);
  return { ...own, ...(Object.fromEntries(toolCalls) as unknown as ToolCalls) };
}
