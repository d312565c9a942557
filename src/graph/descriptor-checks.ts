import { GraphError } from '../core/errors.js';
import { MOST_RESOURCES } from './graph-handles.js';
import type { GraphBufferDescriptor, GraphTextureDescriptor } from './graph-pass.js';
import type { GraphResources } from './graph-resources.js';

/** @throws GraphError `graph-descriptor-invalid` */
export function checkTexture(descriptor: GraphTextureDescriptor): void {
  const { name, width, height, format, sampleCount = 1, mipLevelCount = 1, layers = 1 } = descriptor;
  const isMultisampled = sampleCount === 4 && mipLevelCount === 1 && layers === 1;
  const mostLevels = 1 + Math.floor(Math.log2(Math.max(width, height)));
  const isValid =
    isCount(width) &&
    isCount(height) &&
    isCount(layers) &&
    isCount(mipLevelCount) &&
    mipLevelCount <= mostLevels &&
    (sampleCount === 1 || isMultisampled) &&
    typeof format === 'string';
  if (isValid) return;
  throw new GraphError(
    'graph-descriptor-invalid',
    `The texture "${name}" of the frame graph can't have ${width} × ${height} texels, ${layers} layers, ${mipLevelCount} mip levels, ${sampleCount} samples of ${format}. Sizes are whole numbers from 1; mip levels are at most ${mostLevels}; there are 1 or 4 samples, 4 only with one level and one layer.`,
  );
}

/** @throws GraphError `graph-descriptor-invalid` */
export function checkBuffer({ name, byteLength }: GraphBufferDescriptor): void {
  if (isCount(byteLength) && byteLength % 4 === 0) return;
  throw new GraphError(
    'graph-descriptor-invalid',
    `The buffer "${name}" of the frame graph can't have ${byteLength} bytes: a positive multiple of 4 is needed.`,
  );
}

/** A new resource can have this name. @throws GraphError `graph-name-taken`, `graph-too-large` */
export function checkName(name: string, resources: GraphResources): void {
  if (typeof name !== 'string' || name === '' || resources.indexOf(name) >= 0) {
    throw new GraphError(
      'graph-name-taken',
      `A resource of the frame graph can't be named ${JSON.stringify(name)}: each has a name of its own in a frame. Take what is there by findTexture() or findBuffer(), or choose another name.`,
    );
  }
  if (resources.count < MOST_RESOURCES) return;
  throw new GraphError(
    'graph-too-large',
    `The frame graph has no room for "${name}": it has ${MOST_RESOURCES} resources, which is the most.`,
  );
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1;
}
