/** Tests faults in parts that geometry does not need. Each fault becomes a warning, and the triangle is still shown. */
import { describe, expect, it } from 'vitest';
import type { SceneDescription } from '../../proxy/scene-description.js';
import { gltfText, loadBytes } from '../testing/load-file.js';

const FLOATS = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Json = Record<string, unknown>;

/** Loads a file of a triangle with a material and the given faulty parts. */
function load(parts: Json, { node = {}, primitive = {} }: { node?: object; primitive?: object } = {}) {
  const accessors = (parts.accessors ?? []) as object[];
  const bufferViews = (parts.bufferViews ?? []) as object[];
  const json = {
    materials: [{}],
    ...parts,
    bufferViews: [{ buffer: 0, byteLength: 36 }, ...bufferViews],
    accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3' }, ...accessors],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 0, ...primitive }] }],
    nodes: [{ mesh: 0, ...node }, {}],
  };
  return loadBytes('x.gltf', gltfText(json, new Uint8Array(FLOATS.buffer)));
}

/** Expects the warnings of a load, and the triangle in its scene. */
async function expectWarnings(
  loading: Promise<SceneDescription>,
  warnings: readonly string[],
): Promise<SceneDescription> {
  const scene = await loading;
  expect(scene.warnings).toEqual(warnings.map((warning) => expect.stringContaining(warning)));
  for (const warning of scene.warnings) expect(warning).not.toContain('validator');
  expect(scene.geometries.map(({ vertexCount }) => vertexCount)).toEqual([3]);
  expect(scene.nodes[0]!.primitives).toHaveLength(1);
  return scene;
}

const LIGHTS = 'extensions.KHR_lights_punctual';
const lit = (light: unknown, node: object = { light: 0 }) =>
  load(
    { extensions: { KHR_lights_punctual: { lights: [light] } } },
    { node: { extensions: { KHR_lights_punctual: node } } },
  );

describe('lights', () => {
  it('of an unknown kind are left out', async () => {
    const scene = await expectWarnings(lit({ type: 'laser' }), [
      `"x.gltf", ${LIGHTS}.lights[0].type: It should be directional, point or spot. The light is left out.`,
    ]);
    expect(scene.nodes[0]!.light).toBeUndefined();
  });

  it('have default numbers instead of invalid ones', async () => {
    const light = {
      type: 'spot',
      color: [1, 2],
      intensity: 'much',
      range: null,
      spot: { outerConeAngle: 'wide' },
    };
    const scene = await expectWarnings(lit(light), [
      `${LIGHTS}.lights[0].color: It should be an array of 3 numbers. White is used.`,
      `${LIGHTS}.lights[0].spot.outerConeAngle: It should be a finite number. ${Math.PI / 4} is used.`,
      `${LIGHTS}.lights[0].intensity: It should be a finite number. 1 is used.`,
      `${LIGHTS}.lights[0].range: It should be a finite number. 0 is used.`,
    ]);
    expect(scene.nodes[0]!.light).toMatchObject({ color: [1, 1, 1], intensity: 1, range: 0 });
  });

  it.each([{}, { light: 1 }, { light: 'sun' }])('that do not exist (%j) are left out', async (node) => {
    const scene = await expectWarnings(lit({ type: 'point' }, node), [
      `nodes[0].${LIGHTS}.light: It refers to lights`,
    ]);
    expect(scene.nodes[0]!.light).toBeUndefined();
  });

  it('that are not arrays are left out', async () => {
    await expectWarnings(load({ extensions: { KHR_lights_punctual: { lights: 7 } } }), [
      `"x.gltf", ${LIGHTS}.lights: It should be an array. Its lights are left out.`,
    ]);
  });
});

describe('cameras', () => {
  it.each<[unknown, string]>([
    [{ type: 'fisheye' }, 'cameras[0].type: It should be perspective or orthographic.'],
    [{ type: 'perspective' }, 'cameras[0].perspective: It should be an object.'],
    [{ type: 'perspective', perspective: { znear: 1 } }, 'cameras[0].yfov: It should be a finite number.'],
    [{ type: 'orthographic', orthographic: { xmag: 1, ymag: 1, znear: 0 } }, 'cameras[0].zfar: It should be'],
    [7, 'cameras[0]: It should be an object.'],
  ])('that are invalid (%j) are left out', async (camera, warning) => {
    const scene = await load({ cameras: [camera] }, { node: { camera: 0 } });
    expect(scene.warnings[0]).toContain(`"x.gltf", ${warning}`);
    expect(scene.warnings[0]).toMatch(/left out\.$/);
    expect(scene.nodes[0]!.camera).toBeUndefined();
    expect(scene.geometries).toHaveLength(1);
  });

  it('that do not exist are left out, and other cameras are kept', async () => {
    const cameras = [{ type: 'fisheye' }, { type: 'perspective', perspective: { yfov: 1, znear: 1 } }];
    await expectWarnings(load({}, { node: { camera: 3 } }), ['nodes[0].camera: It refers to cameras[3]']);
    const scene = await load({ cameras }, { node: { camera: 1 } });
    expect(scene.nodes[0]!.camera).toMatchObject({ kind: 'perspective', fovY: 1 });
  });
});

describe('skins', () => {
  it.each<[object, string]>([
    [{ joints: [0, 7] }, 'skins[0].joints[1]: It refers to nodes[7]'],
    [{ joints: [] }, 'skins[0].joints: It should name a joint.'],
    [{}, 'skins[0].joints: It should be an array.'],
    [{ joints: [1], inverseBindMatrices: 9 }, 'skins[0].inverseBindMatrices: It refers to accessors[9]'],
    [{ joints: [1], inverseBindMatrices: 0 }, 'skins[0].inverseBindMatrices: It should have 16 components.'],
  ])('that are invalid (%j) are left out', async (skin, warning) => {
    const scene = await expectWarnings(load({ skins: [skin] }, { node: { skin: 0 } }), [warning]);
    expect([scene.skins, scene.nodes[0]!.skin]).toEqual([[], undefined]);
    expect(scene.warnings[0]).toMatch(/The skin is left out\.$/);
  });

  it('are shown without an invalid skeleton, and nodes without a missing skin', async () => {
    const scene = await expectWarnings(
      load({ skins: [{ joints: [1], skeleton: 'x' }] }, { node: { skin: 0 } }),
      ['skins[0].skeleton: It refers to nodes["x"]'],
    );
    expect(scene.nodes[0]!.skin).toBe(0);
    await expectWarnings(load({}, { node: { skin: 2 } }), ['nodes[0].skin: It refers to skins[2]']);
  });

  it('are left out if the joints of vertices can’t be read', async () => {
    const accessors = [{ componentType: 5121, count: 2, type: 'VEC4' }];
    const primitive = { attributes: { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 1 } };
    await expectWarnings(load({ accessors }, { primitive }), [
      "It has 2 elements, and the primitive's POSITION has 3. The mesh is shown without joints.",
    ]);
  });
});

describe('materials', () => {
  it('that do not exist are replaced with the default material', async () => {
    const scene = await expectWarnings(load({}, { primitive: { material: 12 } }), [
      'meshes[0].primitives[0].material: It refers to materials[12], and there are 1 materials. The default material is used.',
    ]);
    expect(scene.materials[0]!.label).toBe('default material');
  });

  it('have default numbers instead of invalid ones', async () => {
    const material = {
      pbrMetallicRoughness: { baseColorFactor: [1, 0], metallicFactor: 'half', roughnessFactor: null },
      emissiveFactor: 3,
      alphaMode: 'GLASS',
      alphaCutoff: {},
      extensions: { KHR_materials_emissive_strength: { emissiveStrength: 'x' }, KHR_materials_unlit: 4 },
    };
    const scene = await load({ materials: [material] });
    expect(scene.materials[0]).toMatchObject({
      baseColor: [1, 1, 1, 1],
      emissive: [0, 0, 0],
      metallic: 1,
      roughness: 1,
      alphaMode: 'opaque',
      alphaCutoff: 0.5,
      unlit: false,
    });
    for (const jsonPath of [
      'extensions.KHR_materials_unlit: It should be an object. It is left out.',
      'baseColorFactor: It should be an array of 4 numbers. 1 is used.',
      'alphaMode: It should be OPAQUE, MASK or BLEND. OPAQUE is used.',
      'metallicFactor: It should be a finite number. 1 is used.',
      'alphaCutoff: It should be a finite number. 0.5 is used.',
    ])
      expect(scene.warnings).toContain(`"x.gltf", materials[0].${jsonPath}`);
  });

  it.each<[unknown, string]>([
    [{ index: 5 }, 'materials[0].pbrMetallicRoughness.baseColorTexture.index: It refers to textures[5]'],
    [7, 'materials[0].pbrMetallicRoughness.baseColorTexture: It should be an object.'],
    [{ index: 0 }, 'textures[0].source: It refers to images[9]'],
  ])('leave out an invalid texture: %j', async (baseColorTexture, warning) => {
    const scene = await expectWarnings(
      load({ textures: [{ source: 9 }], materials: [{ pbrMetallicRoughness: { baseColorTexture } }] }).then(
        (loaded) => ({ ...loaded, warnings: loaded.warnings.filter((text) => text.includes(warning)) }),
      ),
      [warning],
    );
    expect(scene.materials[0]!.textures).toEqual({});
  });

  it('show a texture with an invalid sampler, coordinate set or transform', async () => {
    const extensions = { KHR_texture_transform: { offset: [1], texCoord: 'x' } };
    const scene = await expectWarnings(
      load({
        images: [{ uri: PNG }],
        textures: [{ source: 0, sampler: 3 }],
        materials: [{ normalTexture: { index: 0, scale: 'x', extensions } }],
      }),
      [
        'textures[0].sampler: It refers to samplers[3], and there are 0 samplers. The default sampler is used.',
        'materials[0].normalTexture.texCoord: It should be a whole number of at least 0. 0 is used.',
        'materials[0].normalTexture.offset: It should be an array of 2 numbers. The texture is shown without its transform.',
        'materials[0].normalTexture.scale: It should be a finite number. 1 is used.',
      ],
    );
    expect(scene.materials[0]!.textures.normal).toEqual({ texture: 0, uvSet: 0 });
  });

  it.each<[object, string]>([
    [{}, 'image "images[0].uri": It is left out, because it has no data.'],
    [{ uri: 'data:image/png;base64,%%%' }, 'Its data URI cannot be decoded.'],
    [{ uri: 8 }, 'it has no data.'],
    [{ bufferView: 9 }, 'images[0].bufferView: It refers to bufferViews[9]'],
    [{ bufferView: 1 }, 'bufferViews[1]: It ends at byte 99 of buffers[0], which has 36 bytes.'],
  ])('leave out an invalid image: %j', async (image, warning) => {
    const scene = await load({
      bufferViews: [{ buffer: 0, byteLength: 99 }],
      images: [image],
      textures: [{ source: 0 }],
      materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    });
    expect(scene.warnings.join('\n')).toContain(warning);
    expect([scene.textures, scene.materials[0]!.textures]).toEqual([[], {}]);
    expect(scene.geometries).toHaveLength(1);
  });

  it('of specular and glossiness have default numbers instead of invalid ones', async () => {
    const extension = { diffuseFactor: 3, glossinessFactor: 'x' };
    await expectWarnings(
      load({ materials: [{ extensions: { KHR_materials_pbrSpecularGlossiness: extension } }] }),
      [
        'diffuseFactor: It should be an array of 4 numbers. 1 is used.',
        'glossinessFactor: It should be a finite number. 1 is used.',
      ],
    );
  });
});

describe('clips', () => {
  const accessors = [
    { componentType: 5126, count: 1, type: 'SCALAR' },
    { componentType: 5126, count: 1, type: 'VEC3' },
  ];
  const target = { node: 0, path: 'translation' };
  const sampler = { input: 1, output: 2 };

  it.each<[object, readonly string[]]>([
    [
      { channels: [{ sampler: 4, target }], samplers: [sampler] },
      ['animations[0].channels[0].sampler: It refers'],
    ],
    [
      { channels: [{ sampler: 0 }], samplers: [sampler] },
      ['animations[0].channels[0].target: It should be an object'],
    ],
    [
      { channels: [{ sampler: 0, target: { ...target, node: 8 } }], samplers: [sampler] },
      [
        'animations[0].channels[0].target.node: It refers to nodes[8], and there are 2 nodes. The channel is left out.',
      ],
    ],
    [
      { channels: [{ sampler: 0, target }], samplers: [{ input: 1 }] },
      [
        'animations[0].samplers[0].output: It refers to accessors[null], and there are 3 accessors. Its channels are left out.',
      ],
    ],
    [{ channels: 3, samplers: [] }, ['animations[0].channels: It should be an array. It is left out.']],
    [
      { channels: [null], samplers: [] },
      ['animations[0].channels[0]: It should be an object.', 'channels[0].target'],
    ],
  ])('leave out an invalid channel: %j', async (animation, warnings) => {
    const sound = { channels: [{ sampler: 0, target }], samplers: [sampler] };
    const scene = await expectWarnings(load({ accessors, animations: [animation, sound] }), warnings);
    expect(scene.clips.map(({ nodes }) => nodes)).toEqual([[], [0]]);
  });

  it('that are not lists are left out', async () => {
    const scene = await expectWarnings(load({ animations: 'walk' }), [
      '"x.gltf", animations: It should be an array.',
    ]);
    expect(scene.clips).toEqual([]);
  });

  it('with an accessor beyond its buffer view animate nothing', async () => {
    const beyond = [{ ...accessors[0], bufferView: 0, count: 100 }, accessors[1]];
    const animation = { channels: [{ sampler: 0, target }], samplers: [sampler] };
    const scene = await expectWarnings(load({ accessors: beyond, animations: [animation] }), [
      'accessors[1]: It ends at byte 400 of bufferViews[0], which has 36 bytes. Parts that need it are left out.',
      'animations[0].samplers[0].output: It has 3 numbers; 0 keys of 3 numbers need 0. The animated value stays unchanged.',
    ]);
    expect(scene.clips[0]!.nodes).toEqual([]);
  });
});

describe('other optional parts:', () => {
  it('a default scene that does not exist is replaced with the first one', async () => {
    const scene = await expectWarnings(load({ scene: 4, scenes: [{ nodes: [0] }] }), [
      'scene: It refers to scenes[4], and there are 1 scenes. The first scene is shown.',
    ]);
    expect(scene.nodes).toHaveLength(1);
  });

  it('variants that are not arrays are left out', async () => {
    const extensions = { KHR_materials_variants: { variants: 3 } };
    const scene = await expectWarnings(load({ extensions }), [
      '"x.gltf", extensions.KHR_materials_variants.variants: It should be an array. Its variants are left out.',
    ]);
    expect(scene.variants).toEqual([]);
  });

  it('unsupported attributes may have any value', async () => {
    const attributes = { POSITION: 0, _HEAT: 80, toString: 0 };
    await expectWarnings(
      load({}, { primitive: { attributes, targets: [{ POSITION: 0, toString: 0 }] } }),
      [],
    );
  });

  it('weights of morph targets that are not arrays are left out', async () => {
    await expectWarnings(load({}, { node: { weights: 1 } }), ['nodes[0].weights: It should be an array.']);
  });

  it('extensions that are not objects are left out', async () => {
    await expectWarnings(load({}, { node: { extensions: [] } }), [
      'nodes[0].extensions: It should be an object.',
    ]);
  });
});
