import { expect, it } from 'vitest';
import { warningOf } from './unknown-attributes.js';

const KNOWN = ['src', 'camera-orbit', 'camera-target', 'environment-image', 'controls', 'auto-rotate'];

it('knows the attributes of the element, of all elements and of frameworks', () => {
  const fine = 'src class style id slot hidden data-key aria-label role tabindex onclick part _ngcontent-x';
  for (const name of [...fine.split(' '), 'v-cloak', '@click', ':src', 'xml:lang']) {
    expect(warningOf(name, KNOWN), name).toBeNull();
  }
});

it.each([
  ['camera-orbot', 'camera-orbit'],
  ['autorotate', 'auto-rotate'],
  ['camera-controls', 'controls'],
  ['skybox-image', 'environment-image'],
])('suggests a name for %s', (name, guess) => {
  expect(warningOf(name, KNOWN)).toBe(
    `<fencepost-viewer> has no attribute "${name}". Did you mean "${guess}"? For data of your own, use "data-${name}".`,
  );
});

it('suggests nothing for a name that resembles no other', () => {
  expect(warningOf('quux', KNOWN)).toMatch(/no attribute "quux"\. For data/);
});
