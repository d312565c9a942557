/**
 * Resolves channels of KHR_animation_pointer, whose target is a path into the file. Pointers to transforms of nodes,
 * and to weights of nodes and meshes, become ordinary glTF channels. `clip-builder.ts` resolves all other pointers.
 *
 *   /nodes/3/rotation ─► target { node: 3, path: 'rotation' }     /meshes/1/weights ─► a channel per node with the mesh
 */
import { extensionOf, GltfChecks, type JsonObject, textOf } from './gltf-checks.js';

const POINTER = 'KHR_animation_pointer';
const NODE_POINTER = /^\/nodes\/(\d+)\/(translation|rotation|scale|weights)$/;
const MESH_POINTER = /^\/meshes\/(\d+)\/weights$/;

/** Rewrites the channels in the JSON. */
export function resolvePointers(root: JsonObject, file: string): void {
  const checks = new GltfChecks(file);
  const nodes = checks.objects(root, 'nodes');
  checks.objects(root, 'animations').forEach((animation, index) => {
    const jsonPath = `animations[${index}]`;
    const channels = checks.objects(animation, 'channels', jsonPath);
    animation.channels = channels.flatMap((channel, number) => {
      const at = `${jsonPath}.channels[${number}].target.extensions.${POINTER}`;
      const { pointer } = extensionOf(channel.target as JsonObject | undefined, POINTER, at, checks) ?? {};
      return targetsOf(textOf(pointer), nodes)?.map((found) => ({ ...channel, target: found })) ?? [channel];
    });
  });
}

function targetsOf(pointer: string, nodes: readonly JsonObject[]): JsonObject[] | null {
  const [, node, path] = NODE_POINTER.exec(pointer) ?? [];
  if (node !== undefined) return [{ node: Number(node), path }];
  const [, mesh] = MESH_POINTER.exec(pointer) ?? [];
  if (mesh === undefined) return null;
  const having = nodes.flatMap((each, index) => (each.mesh === Number(mesh) ? [index] : []));
  return having.map((index) => ({ node: index, path: 'weights' }));
}
