/**
 * All messages of the validation layer by code. Names and numbers replace the placeholders in braces. The compiler
 * accepts only these codes in reports. `docs/rhi-validation.md` lists them, and each code has a test that triggers
 * it. A message may be reworded, but its code never changes.
 */

export const recordMessages = {
  'bad-record': 'The record "{command}" can\'t be read: {reason} Record it with a context of this version.',
  'buffer-alignment': '{command} has {field} = {value}. Use a multiple of {alignment}.',
  'field-range': '{command} has {field} = {value}; the maximum is {most}. Correct its arguments.',
} as const;

export const frameMessages = {
  'frame-not-begun': '{command} is recorded, but no frame is begun. Call beginFrame first.',
  'frame-not-ended': 'Frame {frame} is begun while frame {open} is open. Call endFrame first.',
  'frame-number': 'Frame {frame} comes after frame {last}. Number frames upwards; skipping is allowed.',
  'scene-not-begun': 'endScene is recorded, but no scene is begun. Remove it, or call beginScene first.',
  'scene-not-ended': 'The scene "{scene}" is still open at {command}. Call endScene first.',
  'viewport-not-begun':
    '{command} needs the drawing viewport, which is not begun. Record it between beginDrawingViewport and endDrawingViewport.',
  'viewport-not-ended':
    'The drawing viewport {target} is still open at {command}. Call endDrawingViewport first.',
  'video-frame-without-viewport':
    'outputVideoFrame is recorded in a frame that draws into no viewport. Draw into a viewport in the same frame.',
  'pass-not-ended': 'The {pass} is still open at {command}. End it first.',
  'command-inside-pass':
    '{command} is recorded inside the {pass}, where WebGPU does not allow it. Record it before or after.',
  'command-outside-pass': '{command} is recorded outside of a pass. Begin a {needed} pass first.',
  'command-in-wrong-pass': '{command} is recorded in the {pass}. Record it in a {needed} pass.',
  'debug-group-not-begun':
    'popDebugGroup is recorded in {place}, where no debug group is open. Push a group there first.',
  'debug-group-not-ended':
    'The debug group "{group}" is still open at the end of {place}. Pop it before that end.',
} as const;

export const handleMessages = {
  'never-created': '{command} names {resource}, which was never created. Create it first.',
  'stale-handle': '{command} names {resource}, {why}. Keep no handle after destroying it.',
  'double-free': '{resource} is destroyed a second time. Destroy it once, and keep no handle after that.',
  'wrong-handle-kind':
    '{command} needs a {needed}, but was given the handle of {resource}. Pass the handle of a {needed}.',
  'handle-in-use':
    '{resource} is created under a handle that {other} still has. Create handles with one immediate context only.',
  'bind-group-outlived':
    '{command} uses the {group}, but its {resource} was destroyed. Destroy a bind group together with its resources.',
} as const;

export const lifetimeMessages = {
  'false-not-in-use':
    'assumeNotInUse promises that no pending list uses {resource}, but list {list} uses it, and only lists below {completed} are complete. Destroy the resource without the promise, or wait for that list.',
  'dynamic-data-expired':
    '{command} reads bytes {first} to {end} of {buffer}, which were not written in frame {frame}. Dynamic data lives for one frame: allocate, fill and commit it in each frame.',
} as const;

export const drawMessages = {
  'pipeline-missing': '{command} has no pipeline in the {pass}. Set a pipeline after beginning the pass.',
  'vertex-buffer-missing':
    '{command} with {pipeline} needs a vertex buffer in slot {slot}. Call setVertexBuffer first.',
  'index-buffer-missing': '{command} with {pipeline} needs an index buffer. Call setIndexBuffer first.',
  'bind-group-missing': '{command} with {pipeline} needs a bind group {index}. Call setBindGroup first.',
} as const;

export const bundleMessages = {
  'bundle-command':
    '{resource} holds {command}, which bundles do not allow. Record it in the pass; a bundle has state, draws, debug groups and markers.',
  'bundle-debug-group':
    '{resource} has a {command} without its counterpart. Open and close each debug group in the bundle.',
} as const;

export const orderMessages = {
  'fence-value-back': '{fence} is signalled with {value} after {last}. The values of a fence only rise.',
  'fence-signalled-twice': '{fence} is signalled with {value} twice. Signal each value once.',
  'wait-after-viewport':
    'waitFence is recorded in frame {frame} after {target} was drawn into; a canvas texture does not outlive a wait. Wait before the first pass that draws into it.',
  'queue-command':
    "{command} is recorded for the {queue} queue, which can't execute it. Set the {needed} queue first.",
  'transition-usage':
    'The transition of {resource} from {before} to {after} names a use that the resource was not created for. Correct the transition, or the usage of the resource.',
  'transition-before':
    'The transition of {resource} starts from {before}, but its last transition ended at {declared}. Start each transition from the use that the previous transition declared.',
  'transition-missing':
    '{command} uses {resource} as {use}; its last transition declared {declared}. Record a transition before this use.',
} as const;

/** All messages by code. */
export const validationMessages = {
  ...recordMessages,
  ...frameMessages,
  ...handleMessages,
  ...lifetimeMessages,
  ...drawMessages,
  ...bundleMessages,
  ...orderMessages,
} as const;

export type ValidationCode = keyof typeof validationMessages;

type Holes<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;

/**
 * Values for the placeholders of a code's message. The reporting function itself fills in `{command}` and
 * `{pass}`.
 */
export type MessageValues<C extends ValidationCode> = Readonly<
  Record<Exclude<Holes<(typeof validationMessages)[C]>, 'command' | 'pass'>, string | number>
> & { readonly command?: string };

/** Returns the message with its placeholders filled. A message that begins with an object gets a capital letter. */
export function validationMessage(
  code: ValidationCode,
  values: Readonly<Record<string, string | number>>,
): string {
  const template = validationMessages[code];
  const text = template.replace(/\{(\w+)\}/g, (_, hole: string) => String(values[hole]));
  const beginsWithObject = template.startsWith('{') && !template.startsWith('{command}');
  return beginsWithObject ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
