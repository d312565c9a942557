// The custom-elements manifest, by which editors know `<fencepost-viewer>`: its attributes, properties, methods, events,
// slots and parts. It is made from the tables of docs/guide/element.md, and a test compares these with the element.
//
//   docs/guide/element.md: | attribute | … |  ─► rows ─► dist/custom-elements.json (schema 1.0.0)
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './install.mjs';

const MODULE = 'dist/element.js';
const CLASS = 'FencepostViewer';
const TAG = 'fencepost-viewer';

/**
 * Returns the rows of the table whose first column has this heading, without Markdown.
 *
 * @param {string} page
 * @param {string} heading
 * @returns {{ names: readonly string[], cells: readonly string[] }[]} the names in the first column, and the other cells
 */
function rowsOf(page, heading) {
  const [, body] = new RegExp(`^\\| ${heading} \\|.*\\n\\| ---.*\\n((?:\\|.*\\n)+)`, 'm').exec(page) ?? [];
  if (!body) throw new Error(`docs/guide/element.md has no table of the heading "${heading}".`);
  return body
    .trim()
    .split('\n')
    .map((line) => {
      const [first = '', ...cells] = line
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim());
      const names = [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      return { names: names.length > 0 ? names : [first], cells: cells.map(plain) };
    });
}

/** Removes links and code marks. */
const plain = (cell) => cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/`|\\(?=\|)/g, '');

/** Makes an entry per name of each row. */
const entries = (rows, entryOf) =>
  rows.flatMap(({ names, cells }) => names.map((name) => entryOf(name, cells)));

/**
 * Returns the manifest.
 *
 * @param {string} [page] text of docs/guide/element.md
 */
export function customElements(page = readFileSync(join(projectRoot, 'docs/guide/element.md'), 'utf8')) {
  const attributes = entries(rowsOf(page, 'attribute'), (name, [value = '', missing = '']) => ({
    name,
    description: missing ? `${value}. Without the attribute: ${missing}.` : value,
    ...(['src', 'alt'].includes(name) && { fieldName: name }),
  }));
  const fields = entries(rowsOf(page, 'property'), (name, [type = '', description = '']) => ({
    kind: 'field',
    name,
    type: { text: type },
    description,
    ...(!['src', 'alt'].includes(name) && { readonly: true }),
  }));
  const statics = entries(rowsOf(page, 'static property'), (name, [, description = '']) => ({
    kind: 'field',
    name: name.replace(`${CLASS}.`, ''),
    description,
    static: true,
  }));
  const methods = entries(rowsOf(page, 'method'), (name, [description = '']) => ({
    kind: 'method',
    name: name.replace(/\(.*/, ''),
    description,
  }));
  const events = entries(rowsOf(page, 'event'), (name, [description = '']) => ({
    name,
    type: { text: 'CustomEvent' },
    description: `detail: ${description}`,
  }));
  const places = entries(rowsOf(page, 'slot or part'), (name, [description = '']) => ({ name, description }));
  const declaration = { name: CLASS, module: MODULE };
  return {
    schemaVersion: '1.0.0',
    modules: [
      {
        kind: 'javascript-module',
        path: MODULE,
        declarations: [
          {
            kind: 'class',
            name: CLASS,
            description: 'Shows a glTF model in a page without a script.',
            superclass: { name: 'HTMLElement' },
            customElement: true,
            tagName: TAG,
            attributes,
            members: [...fields, ...statics, ...methods],
            events,
            slots: places
              .filter(({ name }) => !name.startsWith('::'))
              .map(({ name, ...rest }) => ({ name: name === 'the default slot' ? '' : name, ...rest })),
            cssParts: places
              .filter(({ name }) => name.startsWith('::'))
              .map(({ name, ...rest }) => ({ name: name.slice('::part('.length, -1), ...rest })),
          },
        ],
        exports: [
          { kind: 'js', name: CLASS, declaration },
          { kind: 'custom-element-definition', name: TAG, declaration },
        ],
      },
    ],
  };
}
