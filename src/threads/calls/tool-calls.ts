import type { ThreadApi } from '../control/protocol.js';

/** The control calls that `worker-tools.js` answers. */
export const TOOL_CALLS = [
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

export type ToolCall = (typeof TOOL_CALLS)[number];
export type ToolCalls = Pick<ThreadApi, ToolCall>;
