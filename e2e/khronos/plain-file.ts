/**
 * Rewrites a file so that it needs no extension unknown to the sample renderer. Meshopt's compression is
 * decoded, and instances become nodes. Independent libraries (glTF Transform, meshoptimizer) read the file,
 * so the result does not depend on this engine's loader.
 */
import { type Document, type Node, NodeIO } from '@gltf-transform/core';
import {
  EXTMeshGPUInstancing,
  EXTMeshoptCompression,
  type InstancedMesh,
  KHRMeshQuantization,
} from '@gltf-transform/extensions';
import { MeshoptDecoder } from 'meshoptimizer/decoder';

const INSTANCING = 'EXT_mesh_gpu_instancing';

/**
 * Returns the rewritten file as a .glb.
 * @param path a .gltf or .glb with meshopt compression or instances
 */
export async function plainFile(path: string): Promise<Buffer> {
  await MeshoptDecoder.ready;
  const io = new NodeIO()
    .registerExtensions([KHRMeshQuantization, EXTMeshoptCompression, EXTMeshGPUInstancing])
    .registerDependencies({ 'meshopt.decoder': MeshoptDecoder });
  const { json, resources } = await io.readAsJSON(path);
  // glTF Transform knows the extension only by its older name.
  const renamed = JSON.parse(JSON.stringify(json).replaceAll('KHR_meshopt_', 'EXT_meshopt_'));
  const document = await io.readJSON({ json: renamed, resources });
  const root = document.getRoot();
  for (const node of root.listNodes()) spreadInstances(document, node);
  for (const extension of root.listExtensionsUsed())
    if (!(extension instanceof KHRMeshQuantization)) extension.dispose();
  const [buffer, ...others] = root.listBuffers();
  for (const accessor of root.listAccessors()) accessor.setBuffer(buffer!);
  for (const other of others) other.dispose();
  return Buffer.from(await io.writeBinary(document));
}

/** Replaces a node's instances by one child node each, with the node's mesh. */
function spreadInstances(document: Document, node: Node): void {
  const instances = node.getExtension<InstancedMesh>(INSTANCING);
  if (!instances) return;
  const [translation, rotation, scale] = ['TRANSLATION', 'ROTATION', 'SCALE'].map((name) =>
    instances.getAttribute(name),
  );
  const count = instances.listAttributes()[0]?.getCount() ?? 0;
  for (let index = 0; index < count; index++) {
    const child = document.createNode().setMesh(node.getMesh());
    if (translation) child.setTranslation(translation.getElement(index, [0, 0, 0]));
    if (rotation) child.setRotation(rotation.getElement(index, [0, 0, 0, 1]));
    if (scale) child.setScale(scale.getElement(index, [1, 1, 1]));
    node.addChild(child);
  }
  node.setMesh(null).setExtension(INSTANCING, null);
}
