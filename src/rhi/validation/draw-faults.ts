/** What is said when a draw lacks something; apart from the checks, which run per draw. */
import {
  type BindGroupModel,
  type ComputePipelineModel,
  type GraphicsPipelineModel,
  nameOf,
} from './models.js';
import { PassKind, type ValidationState } from './state.js';

/** @param kind the pass that the command needs */
export function reportPlace(state: ValidationState, kind: number): false {
  const { command, passName } = state;
  const needed = kind === PassKind.compute ? 'compute' : 'render';
  if (state.pass.kind === PassKind.none) return state.report('command-outside-pass', { command, needed });
  return state.report('command-in-wrong-pass', { command, pass: passName, needed });
}

export function reportGroup(
  state: ValidationState,
  pipeline: GraphicsPipelineModel | ComputePipelineModel,
  index: number,
  group: BindGroupModel | null,
): false {
  const names = { command: state.command, pipeline: nameOf(pipeline), index };
  if (group?.layout == null) return state.report('bind-group-missing', names);
  const layouts = { given: nameOf(group.layout), needed: nameOf(pipeline.layouts[index]) };
  return state.report('bind-group-layout', { ...names, group: nameOf(group), ...layouts });
}

export function reportIndexFormat(
  state: ValidationState,
  pipeline: GraphicsPipelineModel,
  format: number,
): false {
  const formats = ['uint16', 'uint32'];
  return state.report('index-format', {
    command: state.command,
    given: formats[format] ?? 'unknown',
    pipeline: nameOf(pipeline),
    needed: formats[pipeline.stripFormat] ?? 'no (stripIndexFormat is missing)',
  });
}
