import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { loadEnvironment } from '../environments/load-environment.js';
import { failure, gltfText, importDecoder, loadBytes } from '../testing/load-file.js';

const E = 'EXT_lights_image_based';
const picture = (size: number, red: number): string => {
  const image = new PNG({ width: size, height: size });
  for (let at = 0; at < image.data.length; at += 4) image.data.set([at === 0 ? red : 0, 0, 0, 255], at);
  return `data:image/png;base64,${PNG.sync.write(image).toString('base64')}`;
};
const IMAGES = [255, 254, 253, 252, 251, 250].map((red) => ({ uri: picture(2, red) }));
const LIGHT = { specularImages: [[0, 1, 2, 3, 4, 5]], specularImageSize: 2, irradianceCoefficients: [] };
const withLight = (light: object, others: object = {}) =>
  gltfText({
    extensions: { [E]: { lights: [light] } },
    extensionsUsed: [E],
    scenes: [{ extensions: { [E]: { light: 0 } } }],
    images: IMAGES,
    ...others,
  });
const load = (light: object, others?: object) =>
  loadBytes('lit.gltf', withLight(light, others), { loadDecoder: importDecoder });

describe('EXT_lights_image_based', () => {
  it('of the default scene is read with its encoded pictures', async () => {
    const light = { ...LIGHT, name: 'studio', intensity: 2, rotation: [0, 3, 0, 4] };
    const { environment, textures, warnings } = await load(light);
    expect(environment).toMatchObject({ name: 'studio', intensity: 2, rotation: [0, 0.6, 0, 0.8] });
    expect(environment!.faces.map(({ type }) => type)).toEqual(Array(6).fill('image/png'));
    expect([textures, warnings]).toEqual([[], []]);
    const scenes = [{ extensions: { [E]: { light: 0 } } }, {}];
    expect((await load(LIGHT, { scenes, scene: 0 })).environment?.rotation).toEqual([0, 0, 0, 1]);
    expect((await load(LIGHT, { scenes, scene: 1 })).environment).toBeUndefined();
    expect((await load(LIGHT, { scenes: [{}] })).environment).toBeUndefined();
  });

  it('becomes a cube mirrored in Z, with the sides rotated by 180°', async () => {
    const { environment } = await load(LIGHT);
    const { faces, file: name, place } = environment!;
    const cube = await loadEnvironment(
      { kind: 'environment-cube', name, place, faces },
      { loadDecoder: importDecoder },
    );
    expect(cube).toMatchObject({ width: 2, height: 2, faces: 6, format: 'rgba16float' });
    const red = new Uint16Array(cube.data).filter((_, index) => index % 4 === 0);
    const lit = Array.from(red, (half, index) => (half > 0 ? index : -1)).filter((index) => index >= 0);
    // In side faces, the first texel of a picture is the last texel. In the faces of ±Y it stays the first.
    expect(lit).toEqual([3, 7, 8, 12, 19, 23]);
    // The picture of −Z, the darkest one, becomes the face of +Z.
    expect(red[19]).toBeLessThan(red[23]!);
  });

  it('with pictures of several sizes is rejected when it is used', async () => {
    const { environment } = await load(LIGHT, { images: [...IMAGES.slice(0, 5), { uri: picture(4, 1) }] });
    const { faces, file: name, place } = environment!;
    const used = loadEnvironment(
      { kind: 'environment-cube', name, place, faces },
      { loadDecoder: importDecoder },
    );
    const { code, message } = await failure(used);
    expect([code, message]).toEqual(['gltf-invalid', expect.stringContaining('specularImages[0][5]')]);
    expect(message).toContain('4 × 4');
  });

  it('that breaks a rule is left out, with a warning that names the place', async () => {
    const cases: [object, object, string][] = [
      [LIGHT, { scenes: [{ extensions: { [E]: { light: 1 } } }] }, 'light'],
      [LIGHT, { scenes: [{ extensions: { [E]: {} } }] }, 'light'],
      [LIGHT, { extensions: {} }, 'light'],
      [LIGHT, { extensions: { [E]: { lights: 4 } } }, 'lights'],
      [{}, {}, 'specularImages'],
      [{ specularImages: [] }, {}, 'specularImages'],
      [{ specularImages: [[0, 1, 2]] }, {}, 'specularImages[0]'],
      [{ specularImages: [[0, 1, 2, 3, 4, 6]] }, {}, 'specularImages[0][5]'],
      [{ specularImages: ['012345'] }, {}, 'specularImages[0]'],
      [{ ...LIGHT, intensity: '2' }, {}, 'intensity'],
      [{ ...LIGHT, rotation: [0, 0, 1] }, {}, 'rotation'],
      [{ ...LIGHT, rotation: [0, 0, null, 1] }, {}, 'rotation[2]'],
    ];
    for (const [light, others, place] of cases) {
      const { environment, warnings } = await load(light, others);
      expect(environment).toBeUndefined();
      expect(warnings.at(-1)).toContain(`${place}`);
      expect(warnings.at(-1)).toMatch(/left out\.$/);
    }
  });

  it('that cannot be shown is left out with a warning, and the rest of the file is shown', async () => {
    const cases: [object, object, string][] = [
      [{ ...LIGHT, intensity: -1 }, {}, 'intensity is -1'],
      [{ ...LIGHT, intensity: 1e7 }, {}, 'intensity is 10000000'],
      [{ ...LIGHT, rotation: [0, 0, 0, 0] }, {}, 'rotation'],
      [{ ...LIGHT, rotation: [1.5e308, 1.5e308, 0, 0] }, {}, 'rotation'],
      [LIGHT, { images: [{ uri: 'none.png' }, ...IMAGES.slice(1)] }, 'none.png'],
    ];
    for (const [light, others, text] of cases) {
      const { environment, warnings } = await load(light, others);
      expect(environment).toBeUndefined();
      expect(warnings.filter((warning) => warning.includes('lights[0]'))).toEqual([
        expect.stringContaining(text),
      ]);
    }
  });
});
