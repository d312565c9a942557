import { describe, expect, it } from 'vitest';
import { LinesComponent } from '../billboards/lines-component.js';
import { PointsComponent } from '../billboards/points-component.js';
import { orbitControls } from '../controls/orbit-controls.js';
import { geometry } from '../geometry/geometry.js';
import { boxGeometry } from '../geometry/shapes.js';
import { shaderMaterial } from '../materials/shader-material.js';
import { spin } from '../motion/motion-turns.js';
import { codeOf, createTestWorld } from '../testing/test-world.js';

const wgsl = 'fn surface(point: SurfaceInput, appearance: ptr<function, Appearance>) {}';

describe('mistakes', () => {
  it('raycast without an origin throws a typed error', () => {
    const { world } = createTestWorld();
    expect(codeOf(() => Reflect.apply(world.raycast, world, []))).toBe('option-invalid');
  });

  it('addEventListener of an actor rejects anything but a function', () => {
    const { world } = createTestWorld();
    const door = world.addMesh({ geometry: boxGeometry() });
    for (const listener of [undefined, null, {}, 'click']) {
      expect(codeOf(() => door.addEventListener('click', listener as never))).toBe('option-invalid');
    }
  });

  it('project rejects an invalid point', () => {
    const { camera } = createTestWorld().world.addCamera();
    expect(codeOf(() => camera!.project([Number.NaN, 0, 0]))).toBe('option-out-of-range');
    expect(codeOf(() => camera!.project([0, 0]))).toBe('option-invalid');
  });

  it('setEnvironment lists the valid sources in its error', async () => {
    const { world } = createTestWorld();
    for (const source of [undefined, 'studo', '', 5]) {
      const set = Reflect.apply(world.setEnvironment, world, [source]) as Promise<void>;
      await expect(set).rejects.toMatchObject({ code: 'option-invalid', message: /'studio', 'sky'/ });
    }
  });

  it('uniforms can be assigned as a whole, and unknown names are rejected', () => {
    const material = shaderMaterial({ wgsl, name: 'water', uniforms: { width: 1, color: '#fff' } });
    Object.assign(material, { uniforms: { width: 3 } });
    expect(material.uniforms.width).toBe(3);
    material.uniforms.width = 4;
    expect(material.parameters.includes(4)).toBe(true);
    expect(() => Object.assign(material.uniforms, { wdth: 1 })).toThrow(/wdth.*It takes width, color/);
    expect(codeOf(() => Object.assign(material, { uniforms: { wdth: 1 } }))).toBe('option-unknown');
    expect(() => Object.assign(material.uniforms.color as object, { 0: 0 })).toThrow(TypeError);
    expect({ ...material.uniforms }).toEqual({ width: 4, color: [1, 1, 1, 1] });
    expect(() => shaderMaterial({ wgsl, uniforms: { loop: 1 } })).toThrow(/that word is reserved in WGSL/);
  });

  it('boolean options accept only true or false', () => {
    const { world } = createTestWorld();
    const box = boxGeometry();
    const mesh = world.addMesh({ geometry: box });
    const slips: [string, () => unknown][] = [
      ['castShadow', () => Object.assign(mesh.root, { castShadow: 0 })],
      ['once', () => mesh.addEventListener('click', () => {}, { once: 1 as never })],
    ];
    for (const [name, slip] of slips) {
      expect(codeOf(slip), name).toBe('option-invalid');
      expect(slip).toThrow(new RegExp(`${name} of .* has to be true or false`));
    }
  });

  it('BigInts are rejected as numbers', () => {
    const { world } = createTestWorld();
    const mesh = world.addMesh({ geometry: boxGeometry() });
    const positions = new BigInt64Array(9) as never;
    const mixed = [0, 1, 2n, 3, 4, 5, 6, 7, 8] as never;
    const line = geometry({ positions: [0, 0, 0, 1, 0, 0], indices: [0, 1], topology: 'line-list' });
    for (const slip of [
      () => geometry({ positions }),
      () => geometry({ positions: mixed }),
      () => line.update({ positions: [0n, 0, 0] as never }),
    ]) {
      expect(codeOf(slip)).toBe('geometry-not-finite');
      expect(slip).toThrow(/has \dn at \d/);
    }
    for (const slip of [
      () => geometry({ positions: new Float32Array(9), indices: [0n, 1, 2] as never }),
      () => line.update({ indices: [1n] as never }),
    ])
      expect(codeOf(slip)).toBe('geometry-index-out-of-range');
    for (const points of [positions, mixed]) {
      expect(codeOf(() => new PointsComponent({ positions: points }))).toBe('option-out-of-range');
      expect(codeOf(() => new LinesComponent({ positions: points }))).toBe('option-out-of-range');
    }
    const vector = [1n, 2, 3] as never;
    expect(codeOf(() => mesh.lookAt(vector))).toBe('transform-not-finite');
    const rate = { axis: [0, 1, 0], radiansPerSecond: 1n } as never;
    expect(codeOf(() => spin(rate))).toBe('option-out-of-range');
  });

  it('orbit controls reject cameras of other engines and invalid boxes', () => {
    const { world } = createTestWorld();
    const other = createTestWorld().world;
    const host = {
      canvas: { style: {}, addEventListener() {}, removeEventListener() {} } as unknown as HTMLElement,
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
    const { target, distance } = controls;
    for (const [min, max] of [
      [Number.NaN, 1],
      [-Infinity, Infinity],
      [Infinity, -Infinity],
      [1, 0],
      [0, 1n],
    ] as [number, number][])
      expect(codeOf(() => controls.frame({ min: [0, min, 0], max: [1, max, 1] }))).toBe(
        'option-out-of-range',
      );
    expect([controls.target, controls.distance]).toEqual([target, distance]);
    controls.frame({ min: [1, 1, 1], max: [1, 1, 1] });
    expect(controls.target).toEqual([1, 1, 1]);
    world.dispose();
    expect(codeOf(() => orbitControls(host, world.addCamera()))).toBe('engine-disposed');
  });
});
