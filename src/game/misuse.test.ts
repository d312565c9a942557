import { describe, expect, it } from 'vitest';
import { standardMaterial } from './material.js';
import { orbitControls } from './orbit-controls.js';
import { shaderMaterial } from './shader-material.js';
import { boxGeometry } from './shapes.js';
import { codeOf, createTestWorld } from './world.test-helper.js';

const wgsl = 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {}';

describe('slips', () => {
  it('raycast without an origin is a typed error', () => {
    const { world } = createTestWorld();
    expect(codeOf(() => Reflect.apply(world.raycast, world, []))).toBe('option-invalid');
  });

  it('a listener of an actor that is no function is refused where it is given', () => {
    const { world } = createTestWorld();
    const door = world.addMesh({ geometry: boxGeometry() });
    for (const listener of [undefined, null, {}, 'click']) {
      expect(codeOf(() => door.addEventListener('click', listener as never))).toBe('option-invalid');
    }
  });

  it('a point that is none is not projected', () => {
    const { camera } = createTestWorld().world.addCamera();
    expect(codeOf(() => camera!.project([Number.NaN, 0, 0]))).toBe('option-out-of-range');
    expect(codeOf(() => camera!.project([0, 0]))).toBe('option-invalid');
  });

  it('setEnvironment names what it takes', async () => {
    const { world } = createTestWorld();
    for (const source of [undefined, 'studo', '', 5]) {
      const set = Reflect.apply(world.setEnvironment, world, [source]) as Promise<void>;
      await expect(set).rejects.toMatchObject({ code: 'option-invalid', message: /'studio', 'sky'/ });
    }
  });

  it('uniforms are assigned as a whole, and what is none of them is refused by name', () => {
    const material = shaderMaterial({ wgsl, name: 'water', uniforms: { width: 1, color: '#fff' } });
    Object.assign(material, { uniforms: { width: 3 } });
    expect(material.uniforms.width).toBe(3);
    material.uniforms.width = 4;
    expect(material.parameters.includes(4)).toBe(true);
    expect(() => Object.assign(material.uniforms, { wdth: 1 })).toThrow(/wdth.*It takes width, color/);
    expect(codeOf(() => Object.assign(material, { uniforms: { wdth: 1 } }))).toBe('option-unknown');
    expect(() => Object.assign(material.uniforms.color as object, { 0: 0 })).toThrow(TypeError);
    expect({ ...material.uniforms }).toEqual({ width: 4, color: [1, 1, 1, 1] });
    expect(() => shaderMaterial({ wgsl, uniforms: { loop: 1 } })).toThrow(/WGSL keeps that word/);
  });

  it('what is true or false is nothing else', () => {
    const { world } = createTestWorld();
    const geometry = boxGeometry();
    const mesh = world.addMesh({ geometry });
    const material = standardMaterial();
    const slips: [string, () => unknown][] = [
      ['visible', () => world.addMesh({ geometry, visible: 'no' as never })],
      ['visible', () => world.addPointLight({ visible: 0 as never })],
      ['occluder', () => world.addMesh({ geometry, occluder: 'yes' as never })],
      ['occluder', () => Object.assign(mesh.root, { occluder: null })],
      ['castShadow', () => Object.assign(mesh.root, { castShadow: 0 })],
      ['doubleSided', () => standardMaterial({ doubleSided: 1 as never })],
      ['doubleSided', () => Object.assign(material, { doubleSided: 'false' })],
      ['once', () => mesh.addEventListener('click', () => {}, { once: 1 as never })],
      ['paused', () => Object.assign(world, { paused: 'false' })],
    ];
    for (const [name, slip] of slips) {
      expect(codeOf(slip), name).toBe('option-invalid');
      expect(slip).toThrow(new RegExp(`${name} of .* has to be true or false`));
    }
    expect([mesh.root.occluder, material.doubleSided, world.paused]).toEqual([false, false, false]);
    Object.assign(world, { paused: true });
    expect(world.paused).toBe(true);
  });

  it('orbit controls refuse cameras of others and what is no box', () => {
    const { world } = createTestWorld();
    const other = createTestWorld().world;
    const host = {
      canvas: { style: {}, addEventListener() {} } as unknown as HTMLElement,
      world,
      addEventListener() {},
      removeEventListener() {},
      invalidate() {},
    };
    expect(codeOf(() => orbitControls(host, other.addCamera()))).toBe('option-invalid');
    const gone = world.addCamera();
    gone.destroy();
    expect(codeOf(() => orbitControls(host, gone))).toBe('option-invalid');
    const controls = orbitControls(host, world.addCamera());
    expect(codeOf(() => Object.assign(controls, { isEnabled: 'false' }))).toBe('option-invalid');
    expect(controls.isEnabled).toBe(true);
    expect(codeOf(() => Reflect.apply(controls.frame, controls, []))).toBe('option-invalid');
    expect(codeOf(() => Reflect.apply(controls.frame, controls, [world.addCamera()]))).toBe('option-invalid');
    world.dispose();
    expect(codeOf(() => orbitControls(host, world.addCamera()))).toBe('engine-disposed');
  });
});
