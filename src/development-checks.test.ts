import { expect, it } from 'vitest';
import { Engine } from './engine/engine.js';
import { Material, standardMaterial } from './game/materials/material.js';
import { codeOf } from './game/testing/test-world.js';

it('assigning what is not a property is an error in development, and nothing at all otherwise', () => {
  const before = standardMaterial();
  Object.assign(before, { rougness: 1 });
  expect(before).toHaveProperty('rougness', 1);
  expect(globalThis.FENCEPOST_DEVELOPMENT).toBeUndefined();

  globalThis.FENCEPOST_DEVELOPMENT = true;
  const material = standardMaterial({ name: 'bricks' });
  expect(codeOf(() => Object.assign(material, { rougness: 1 }))).toBe('option-unknown');
  expect(() => Object.assign(material, { rougness: 1 })).toThrow(/A material.*Did you mean "roughness"/);
  Object.assign(material, { roughness: 1, name: 'stones', motion: null });
  const tag = Symbol('tag');
  Object.assign(material, { [tag]: 'mine' });
  expect(material).toMatchObject({ roughness: 1, name: 'stones', [tag]: 'mine' });
  expect(material).toBeInstanceOf(Material);

  const engine: Engine = Object.create(Engine.prototype);
  expect(codeOf(() => Object.assign(engine, { backgroundColor: '#fff' }))).toBe('option-unknown');
  expect(() => Object.assign(engine, { exposre: 2 })).toThrow(/The engine.*Did you mean "exposure"/);
});
