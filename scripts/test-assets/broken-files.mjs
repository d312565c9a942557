import { addBox, GltfFile } from './gltf-file.mjs';

/** Returns a file with one box, after `change`. */
function boxFile(change = () => {}) {
  const file = new GltfFile();
  file.show(addBox(file));
  change(file);
  return file;
}

function texturedBoxFile(image) {
  const file = new GltfFile();
  const source = image(file);
  const pbrMetallicRoughness = { baseColorTexture: { index: file.texture(source) }, metallicFactor: 0 };
  file.show(addBox(file, file.add('materials', { pbrMetallicRoughness })));
  return file;
}

/**
 * Returns files with one fault each, by path. Tests of `e2e` and `src/assets` check the loader's messages.
 */
export function brokenFiles() {
  const text = (string) => new TextEncoder().encode(string);
  const whole = boxFile().glb();
  const json = boxFile().gltf();
  return {
    'broken/truncated.glb': whole.slice(0, whole.length - 100),
    'broken/truncated.gltf': json.slice(0, json.length >> 1),
    'broken/missing-buffer.gltf': boxFile().gltf('nowhere.bin'),
    'broken/missing-image.gltf': texturedBoxFile((file) => file.add('images', { uri: 'nowhere.png' })).gltf(),
    'broken/bad-index.glb': boxFile((file) => {
      const indices = Uint16Array.from({ length: 36 }, (_, i) => (i === 7 ? 9999 : i % 24));
      file.json.meshes[0].primitives[0].indices = file.accessor(indices, 'SCALAR');
    }).glb(),
    'broken/accessor-out-of-bounds.glb': boxFile((file) => {
      file.json.accessors[0].count = 100000;
    }).glb(),
    'broken/dangling-reference.glb': boxFile((file) => {
      file.json.meshes[0].primitives[0].attributes.POSITION = 12;
    }).glb(),
    'broken/required-extension.glb': boxFile((file) => {
      file.use('ACME_teapots', { required: true });
    }).glb(),
    'broken/undecodable-image.glb': texturedBoxFile((file) =>
      file.image(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 1, 2, 3, 4)),
    ).glb(),
    'broken/cycle.gltf': boxFile((file) => {
      file.json.nodes.push({ children: [2] }, { children: [1] });
      file.json.scenes[0].nodes.push(1);
    }).gltf(),
    'broken/version-1.gltf': text('{"asset":{"version":"1.0"},"scenes":{}}\n'),
    'broken/web-page.gltf': text('<!DOCTYPE html><title>404</title>\n'),
    'broken/no-gltf.gltf': text('{"name":"package","version":"1.0.0"}\n'),
    'broken/garbage.glb': Uint8Array.from({ length: 512 }, (_, i) => (i * 73 + 41) & 255),
    'broken/empty.glb': new Uint8Array(0),
  };
}
