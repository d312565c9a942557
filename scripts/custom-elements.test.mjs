// Compares the custom-elements manifest, and with it the tables of docs/guide/element.md, with the element.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FencepostViewer } from '../src/element/index.ts';
import { customElements } from './lib/custom-elements.mjs';

const [{ declarations, exports, path }] = customElements().modules;
const [viewer] = declarations;
const namesOf = (list) => list.map(({ name }) => name).sort();
const CALLBACKS = /^(constructor|(connected|disconnected|adopted|attributeChanged)Callback)$/;

it('lists every attribute of the element', () => {
  expect(namesOf(viewer.attributes)).toEqual([...FencepostViewer.observedAttributes].sort());
  for (const { description } of viewer.attributes) expect(description).not.toMatch(/[`[\]]/);
});

it('lists every property and method, and tells which are read-only', () => {
  const own = Object.getOwnPropertyDescriptors(FencepostViewer.prototype);
  const names = Object.keys(own).filter((name) => !CALLBACKS.test(name));
  const isStatic = (name) => name !== 'observedAttributes' && Object.hasOwn(FencepostViewer, name);
  const statics = ['memoryBudget', 'texts'].filter(isStatic);
  expect(namesOf(viewer.members)).toEqual([...names, ...statics].sort());
  for (const { name, kind, readonly = false, static: isOfClass } of viewer.members) {
    if (isOfClass) continue;
    expect([name, kind]).toEqual([name, own[name].value ? 'method' : 'field']);
    if (kind === 'field') expect([name, readonly]).toEqual([name, own[name].set === undefined]);
  }
});

it('lists every event, slot and part', () => {
  const [, map] = /interface FencepostViewerEventMap \{(.*?)^\}/ms.exec(
    readFileSync('src/element/viewer-events.ts', 'utf8'),
  );
  expect(namesOf(viewer.events)).toEqual([...map.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name).sort());
  const tree = readFileSync('src/element/shadow-tree.ts', 'utf8');
  expect(namesOf(viewer.cssParts)).toEqual(
    [...tree.matchAll(/setAttribute\('part', '([\w-]+)'\)/g)].map(([, name]) => name).sort(),
  );
  expect(namesOf(viewer.slots)).toEqual(['', 'ar-button', 'hotspot-*']);
});

it('defines the element by the file that the package names', () => {
  const { customElements: file, exports: entries } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(file).toBe('dist/custom-elements.json');
  expect(entries['./element'].default).toBe(`./${path}`);
  expect(exports.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'js FencepostViewer',
    'custom-element-definition fencepost-viewer',
  ]);
});

it('reports a missing table', () => {
  expect(() => customElements('# nothing')).toThrow(/no table of the heading "attribute"/);
});
