/**
 * Everything the validation layer can say: one sentence or two per code, with holes for the names. The checks can
 * only report what stands here, `docs/rhi-validation.md` lists it, and each code has a test that triggers it.
 * A code is stable: a message may be reworded, its code may not.
 */

export const frameMessages = {
  'bad-record': 'The record "{command}" can\'t be read: {reason} Record it with a context of this version.',
  'frame-not-begun': '{command} is recorded, but no frame is begun. Call beginFrame first.',
  'frame-not-ended': 'Frame {frame} is begun while frame {open} is open. Call endFrame first.',
  'frame-number': 'Frame {frame} comes after frame {last}. Number frames upwards; skipping is allowed.',
  'scene-not-begun': 'endScene is recorded, but no scene is begun. Remove it, or call beginScene first.',
  'scene-not-ended': 'The scene "{scene}" is still open at {command}. Call endScene first.',
  'viewport-not-begun':
    '{command} needs the drawing viewport, which is not begun. Record it between beginDrawingViewport and endDrawingViewport.',
  'viewport-not-ended':
    'The drawing viewport {target} is still open at {command}. Call endDrawingViewport first.',
  'viewport-size':
    'The drawing viewport is to be {width} × {height} pixels; this device allows 1 to {limit} each way. Resize the canvas.',
  'video-frame-without-viewport':
    'outputVideoFrame is recorded in a frame that draws into no viewport. Draw into a viewport in the same frame.',
  'pass-not-begun': '{command} is recorded, but no such pass is begun. Remove it, or begin the pass first.',
  'pass-not-ended': 'The {pass} is still open at {command}. End it first.',
  'command-inside-pass':
    '{command} is recorded inside the {pass}, where WebGPU has none. Record it before or after.',
  'command-outside-pass': '{command} is recorded outside of a pass. Begin a {needed} pass first.',
  'command-in-wrong-pass': '{command} is recorded in the {pass}. Record it in a {needed} pass.',
  'debug-group-not-begun':
    'popDebugGroup is recorded in {place}, where no group is open. Push one there first.',
  'debug-group-not-ended': 'The debug group "{group}" is still open at the end of {place}. Pop it there.',
} as const;

export const handleMessages = {
  'never-created': '{command} names {resource}, which was never created. Create it first.',
  'stale-handle': '{command} names {resource}, {why}. Keep no handle after destroying it.',
  'double-free': '{resource} is destroyed a second time. Destroy it once, and drop the handle then.',
  'wrong-handle-kind': '{command} needs a {needed} and names {resource}. Pass the handle of a {needed}.',
  'handle-in-use':
    '{resource} is created under a handle that {other} still has. Create handles with one immediate context only.',
  'bind-group-outlived':
    '{command} uses the {group}, which names {resource}; that was destroyed. Destroy a bind group with what it names.',
} as const;

export const lifetimeMessages = {
  'false-not-in-use':
    'assumeNotInUse promises that nothing pending uses {resource}, but list {list} names it and {completed} lists are complete. Destroy it without the promise, or wait for that list.',
  'dynamic-data-expired':
    '{command} reads bytes {first} to {end} of {buffer}, which were not written in frame {frame}. Dynamic data lives for one frame: allocate, fill and commit it anew.',
} as const;

export const creationMessages = {
  'limit-exceeded':
    '{resource} has {what} {value}; this device allows {limit} ({name}). Stay within the limit.',
  'feature-missing':
    '{resource} asks for {what}, which needs the feature "{feature}". Check the capabilities before, and request the feature.',
  'buffer-usage': '{resource} has the usage {usage}: {reason}. Change its usage.',
  'texture-usage': '{resource} has the usage {usage}: {reason}. Change its usage or format.',
  'texture-size': "{resource} has a size that its kind can't have: {reason}. Correct its descriptor.",
  'texture-dimension':
    '{resource} has the format {format} and is {dimension}: {reason}. Change its dimension or format.',
  'texture-mips': '{resource} has {count} mip levels; its size allows 1 to {limit}. Ask for fewer.',
  'texture-samples': '{resource} has {count} samples per pixel: {reason}. Change its descriptor.',
  'view-formats':
    '{resource} lists the view format {format}; only {base} with or without "-srgb" can be seen in it. Remove the format.',
  'view-range':
    '{command} names {what} {first} to {last} of {resource}, which has {count}. Name a part that exists.',
  'view-format':
    '{command} sees {resource} as {format}: {reason}. Use its own format, or list this one in viewFormats.',
  'view-dimension': '{command} sees {resource} as {dimension}: {reason}. Use another dimension.',
  'sampler-range': '{resource} has {what}. Correct its descriptor.',
  'layout-binding': '{resource} has two entries for binding {binding}. Give each its own number.',
  'layout-entry':
    '{resource} has {count} kinds of resource for binding {binding}. Give each entry exactly one of buffer, sampler, texture and storageTexture.',
  'layout-visibility':
    '{resource} lets the vertex stage write binding {binding}, which WebGPU forbids. Make it read-only or leave the stage out.',
  'layout-stages':
    '{resource} names the shader stages {visibility} for binding {binding}. Use bits of ShaderStage: 1, 2 and 4.',
  'layout-multisampled':
    "{resource} has a multisampled texture for binding {binding} that can't be: {reason}. Correct its entry.",
  'layout-storage-texture':
    "{resource} has a storage texture for binding {binding} that can't be: {reason}. Correct its entry.",
} as const;

export const bindGroupMessages = {
  'bind-group-entries':
    '{resource} {problem} binding {binding} of {layout}. Give one entry per binding of the layout.',
  'bind-group-kind':
    '{resource} has a {given} for binding {binding}, where {layout} has a {needed}. Pass a {needed}.',
  'binding-size':
    '{resource} binds {size} bytes of {buffer} for binding {binding}; {layout} and the device allow {minimum} to {maximum}. Bind another range.',
  'bind-group-texture':
    '{resource} has {texture} for binding {binding} of {layout}: it is {given}, and the layout has {needed}. Pass a fitting view, or change the layout.',
  'bind-group-sampler':
    '{resource} has the {sampler} for binding {binding} of {layout}: the layout has a {needed} sampler. Pass one, or change the layout.',
  'bind-group-index': '{command} sets group {index}; this device has groups 0 to {limit}. Use a lower index.',
  'dynamic-offset-count':
    'setBindGroup gives {given} dynamic offsets to {group}, which has {needed} dynamic buffers. Give one offset per dynamic buffer.',
  'dynamic-offset-alignment':
    'setBindGroup gives {group} the dynamic offset {offset}. Use a multiple of {alignment}.',
  'dynamic-offset-range':
    'setBindGroup gives {group} the dynamic offset {offset}; its buffer allows at most {limit}. Use a smaller offset, or a larger buffer.',
} as const;

export const pipelineMessages = {
  'pipeline-target-format': '{resource} draws into {format}, {reason}. Use another format.',
  'pipeline-blend':
    "{resource} has a blend state for colour target {index} that can't be: {reason}. Correct it.",
  'pipeline-write-mask':
    '{resource} has the writeMask {mask} for colour target {index}. Use bits of GPUColorWrite, 0 to 15.',
  'pipeline-alpha-to-coverage':
    "{resource} has alphaToCoverageEnabled, which can't be: {reason}. Leave it out, or change the pipeline.",
  'pipeline-depth-stencil': "{resource} has a depth-stencil state that can't be: {reason}. Correct it.",
  'pipeline-vertex-layout': "{resource} has a vertex buffer layout that can't be: {reason}. Correct it.",
  'pipeline-strip-format':
    '{resource} has the strip index format {format} and the topology {topology}. Only strips have one: leave it out.',
  'pipeline-samples': '{resource} has {count} samples per pixel. Use 1 or 4.',
  'pipeline-without-output': '{resource} has neither a colour target nor a depth-stencil state. Give it one.',
  'pipeline-missing': '{command} has no pipeline in the {pass}. Set one after beginning the pass.',
  'pipeline-color-formats':
    '{pipeline} draws into {given}; the {pass} has {needed}. Use a pipeline made for the formats of the pass.',
  'pipeline-depth-format':
    '{pipeline} has depth-stencil format {given}; the {pass} has {needed}. Use a pipeline made for the pass.',
  'pipeline-sample-count':
    '{pipeline} has {given} samples per pixel; the {pass} has {needed}. Use a pipeline made for the pass.',
  'pipeline-writes-read-only':
    '{pipeline} writes {aspect}, which is read-only in the {pass}. Turn the write off, or make the attachment writable.',
  'vertex-buffer-slot':
    'setVertexBuffer sets slot {slot}; this device has slots 0 to {limit}. Use a lower slot.',
  'vertex-buffer-missing': '{command} with {pipeline} needs a vertex buffer in slot {slot}. Set one.',
  'index-buffer-missing': '{command} with {pipeline} needs an index buffer. Call setIndexBuffer first.',
  'index-format':
    '{command} has {given} indices, and {pipeline} draws strips cut at {needed} indices. Use the same format for both.',
  'bind-group-missing': '{command} with {pipeline} needs a bind group {index}. Set one.',
  'bind-group-layout':
    '{command} with {pipeline} has {group} at index {index}, whose layout is {given}; the pipeline needs {needed}. Set a group of that layout.',
} as const;

export const bundleMessages = {
  'bundle-command':
    '{resource} holds {command}, which no bundle can hold. Record it in the pass; a bundle has state, draws, debug groups and markers.',
  'bundle-debug-group':
    '{resource} has a {command} without its counterpart. Open and close each debug group in the bundle.',
} as const;

export const drawMessages = {
  'vertex-range':
    '{command} reads vertices up to {end}; the vertex buffers set for {pipeline} hold {count}. Draw fewer, or bind more.',
  'instance-range':
    '{command} reads instances up to {end}; the instance buffers set for {pipeline} hold {count}. Draw fewer, or bind more.',
  'index-range':
    '{command} reads indices up to {end}; the range of the index buffer set holds {count}. Draw fewer, or bind more.',
  'draw-count':
    '{command} with {pipeline} reads {what} {end}: a negative number was given, or one beyond 2^31. Correct its arguments.',
  'dispatch-size':
    'dispatch has {x} × {y} × {z} workgroups; this device allows {limit} each way. Split it into several.',
  'viewport-rect': 'setViewport in the {pass} has {reason}. Correct its numbers.',
  'scissor-rect':
    'setScissorRect in the {pass} reaches {right}, {bottom}; the attachments end at {width}, {height}. Clip it.',
  'query-not-begun': 'endOcclusionQuery is recorded in the {pass}, where no query is begun. Begin it first.',
  'query-not-ended': 'The occlusion query {index} is still open at {command} in the {pass}. End it first.',
  'query-without-set':
    'An occlusion query begins in the {pass}, which has no query set. Give it occlusionQuerySet.',
  'query-range':
    '{command} names queries {first} to {last} of {set}, which has {count}. Name queries that exist.',
  'query-repeated': 'The occlusion query {index} is begun twice in the {pass}. Use each query once per pass.',
  'query-set-type':
    '{command} needs a query set of type {needed}; {set} is of type {given}. Pass another set.',
  'timestamp-indices':
    'The {pass} writes timestamps into {set}: {reason}. Give beginningOfPassWriteIndex, endOfPassWriteIndex, or both with different numbers.',
} as const;

export const attachmentMessages = {
  'pass-without-attachments': 'The {pass} has no attachment. Give it a colour or depth-stencil attachment.',
  'attachment-format': 'The {pass} has {view} as {role}: its format {format} {reason}. Use another texture.',
  'attachment-view':
    'The {pass} has {view} as {role} with {mips} mip levels and {layers} layers. Name one of each: baseMipLevel, mipLevelCount, baseArrayLayer, arrayLayerCount.',
  'attachment-slice':
    'The {pass} has {view} as {role}: {reason}. Give depthSlice with 3d textures, and only with them.',
  'attachment-size':
    'The {pass} has {view} of {width} × {height} as {role}; its other attachments have {otherWidth} × {otherHeight}. Use equal sizes.',
  'attachment-samples':
    'The {pass} has {view} with {given} samples per pixel as {role}; its other attachments have {needed}. Use equal sample counts.',
  'attachment-operations':
    'The {pass} has {view} as {role}: {reason}. Correct its load and store operations.',
  'attachment-repeated': 'The {pass} has the same part of {view} as two attachments. Use each part once.',
  'resolve-target': 'The {pass} resolves {source} into {target}: {reason}. Use a fitting resolve target.',
} as const;

export const transferMessages = {
  'usage-missing': '{command} uses {resource} as {use}, which it was not created for. {remedy}.',
  'usage-conflict':
    '{command} uses {resource} as {use} in the {pass}, which also uses it as {other}. Split the pass, or use two resources.',
  'buffer-range':
    '{command} names bytes {first} to {end} of {buffer}, which has {size}. Stay within it, or make it larger.',
  'buffer-alignment': '{command} has the {what} {value} in {buffer}. Use a multiple of {alignment}.',
  'copy-same-buffer':
    'copyBufferToBuffer copies within {buffer}, which WebGPU forbids. Copy through another buffer.',
  'copy-overlap':
    '{command} copies {resource} onto itself in the same mip level and layer. Copy through another texture.',
  'copy-formats':
    '{command} copies {source} of format {sourceFormat} to {target} of format {targetFormat}. Use formats that differ at most in "-srgb".',
  'copy-aspect': '{command} copies {aspect} of {resource}: {reason}. Name another aspect or texture.',
  'copy-samples': '{command} names {resource} with {count} samples per pixel. {remedy}.',
  'copy-whole':
    '{command} copies a part of {resource}, whose depth, stencil or samples are copied by whole levels. Copy {size}.',
  'image-format':
    'copyExternalImage writes into {resource} of format {format}. Use a colour format of floats that can be drawn into.',
  'texture-region':
    '{command} reaches {reach} of mip level {mip} of {resource}, which ends at {size}. Stay within the level.',
  'texture-block':
    '{command} has {what} in {resource}, whose format has blocks of {block}. Use whole blocks.',
  'texture-rows': '{command} on {resource} has {what} {value}: {reason}. Correct the layout of its rows.',
  'texture-data-size': '{command} on {resource} needs {needed} bytes and has {given}. Give all the data.',
  'texture-clear': 'clearTexture on {resource} has {reason}. Correct its values.',
} as const;

export const orderMessages = {
  'fence-value-back': '{fence} is signalled with {value} after {last}. The values of a fence only rise.',
  'fence-signalled-twice': '{fence} is signalled with {value} twice. Signal each value once.',
  'wait-after-viewport':
    'waitFence is recorded in frame {frame} after {target} was drawn into; a canvas texture does not outlive a wait. Wait before the first pass that draws into it.',
  'queue-unknown': 'setQueue names the queue {queue}. Use one of QueueHint.',
  'queue-command':
    "{command} is recorded for the {queue} queue, which can't do it. Set the {needed} queue first.",
  'transition-usage':
    'The transition of {resource} from {before} to {after} names a use that it was not created for. Correct the transition, or its usage.',
  'transition-before':
    'The transition of {resource} starts from {before}; it was last declared as {declared}. Declare each transition from where the one before ended.',
  'transition-missing':
    '{command} uses {resource} as {use}; its last transition declared {declared}. Record a transition before this use.',
} as const;

/** By heading of the documentation. */
export const validationTopics = {
  'Frames, viewports and passes': frameMessages,
  Handles: handleMessages,
  Lifetimes: lifetimeMessages,
  'Creating resources': creationMessages,
  'Bind groups': bindGroupMessages,
  'Pipelines and what draws need': pipelineMessages,
  'Draw bundles': bundleMessages,
  'Draws and queries': drawMessages,
  Attachments: attachmentMessages,
  'Usage, copies and writes': transferMessages,
  'Fences, queues and transitions': orderMessages,
} as const;

/** Message by code; `{holes}` are filled with names and numbers. */
export const validationMessages = {
  ...frameMessages,
  ...handleMessages,
  ...lifetimeMessages,
  ...creationMessages,
  ...bindGroupMessages,
  ...pipelineMessages,
  ...bundleMessages,
  ...drawMessages,
  ...attachmentMessages,
  ...transferMessages,
  ...orderMessages,
} as const;

export type ValidationCode = keyof typeof validationMessages;

type Holes<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;

/** What the message of a code must be told. */
export type MessageValues<C extends ValidationCode> = Readonly<
  Record<Holes<(typeof validationMessages)[C]>, string | number>
>;

/** The message with its holes filled. A sentence that begins with an object begins with a capital letter. */
export function validationMessage<C extends ValidationCode>(code: C, values: MessageValues<C>): string {
  const template = validationMessages[code];
  const text = template.replace(/\{(\w+)\}/g, (_, hole) => String(values[hole as keyof MessageValues<C>]));
  const beginsWithObject = template.startsWith('{') && !template.startsWith('{command}');
  return beginsWithObject ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
