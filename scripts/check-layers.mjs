// The layer check: every import looks down. A folder of src/ may import itself and the folders listed for it. Only the
// entry points (src/*.ts), src/engine, src/threads and src/render-modules combine all layers. Imports between rooms,
// the folders of a layer, look down too. Only the layers that use the GPU import shaders.
//
//   core ← sync ← tasks ← rhi ← graph ← render        game may also import sync and tasks
//   core ← proxy ← game,  proxy ← render              element, react, demo: the public API only
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { findOversizes } from './lib/room-sizes.mjs';

/** Folders that each folder of src/ may import besides itself. */
const allowedFolders = {
  core: [],
  sync: ['core'],
  tasks: ['core', 'sync'],
  rhi: ['core', 'sync', 'tasks'],
  graph: ['core', 'sync', 'tasks', 'rhi'],
  proxy: ['core'],
  game: ['core', 'sync', 'tasks', 'proxy'],
  render: ['core', 'sync', 'tasks', 'rhi', 'graph', 'proxy'],
  assets: ['core', 'tasks', 'proxy'],
  tools: ['core', 'sync'],
  element: [],
  react: [],
  testing: [],
};

/** Layers that combine all other layers. They may import any layer. */
const composing = ['threads', 'engine', 'render-modules'];

/**
 * Rooms of a layer, the lowest first; `.` is the layer's own folder. A room may import the rows that are listed before
 * its own row. Rooms of one row don't import each other, unless they are joined by `+`. A folder that is not listed
 * belongs to the room around it. Layers without rows have no inner order.
 */
const rows = {
  core: ['.', 'math browser memory', 'options', 'records+streams events'],
  sync: ['.', 'fences watch'],
  tasks: [
    'arguments',
    '.+futures+named-threads',
    'blocking',
    'execution',
    'shared-memory',
    'page',
    'runnable',
    'worker system',
  ],
  rhi: ['commands', 'record', 'mapping', 'memory', 'execute', 'null webgpu', 'validation', 'capture host'],
  graph: ['.', 'description'],
  proxy: ['materials', '.+images', 'geometry motion'],
  // The third row joins most folders, because actors know their world, and the end-of-frame update knows all objects
  // that are sent.
  game: [
    'checks shader-chunks',
    'transforms',
    'animation+billboards+components+decals+effects+geometry+lights+loading+materials+motion+particles+picking+text+textures+updates+world',
    'controls',
    '.',
  ],
  render: [
    'buffers textures',
    'culling geometry keys lights',
    'materials+scene',
    'draws',
    'pipelines',
    'views',
    'ambient-occlusion depth-of-field exposure outline temporal',
    'animation effects',
    'picture',
    'captures clusters decals deferred deformers environment lods occlusion particles picking shadows transmission transparency',
    'shadow-catchers',
    'helper-threads',
    '.',
  ],
  assets: [
    '.',
    'decoders',
    'gltf+material-features',
    'textures',
    'builders',
    'environments',
    'loading',
    'decoding-workers',
  ],
};

/** Rooms of the composing layers, the lowest first. Threads import only the options of the engine. */
const composition = [
  'threads/library-files',
  'engine/options',
  'render-modules',
  'threads/control',
  'threads/rhi-side',
  'threads/render-side',
  'threads/fences',
  'render-modules/render',
  'threads/calls',
  'threads/assets',
  'threads/connections',
  'threads/tasks',
  'threads',
  'engine/events engine/graph-view engine/frames',
  'render-modules/page',
  'engine/captures',
  'engine/pointer',
  'engine/surfaces',
  'engine/fences engine/helper-threads engine/tasks',
  'engine/recovery engine/timeline',
  'engine',
  'engine/creation',
];

/** The row of each room, and the rooms that are joined with it, by full path. */
const places = placeRooms();

function placeRooms() {
  const found = new Map();
  const add = (order, list, nameOf) => {
    for (const [row, rooms] of list.entries())
      for (const joined of rooms.split(' ')) {
        const names = joined.split('+').map(nameOf);
        for (const name of names) found.set(name, { order, row, joined: names });
      }
  };
  for (const [layer, list] of Object.entries(rows))
    add(layer, list, (name) => (name === '.' ? layer : `${layer}/${name}`));
  add('composition', composition, (name) => name);
  return found;
}

/**
 * Returns a message for each row that names a missing folder, and for each folder that is missing in the rows of its
 * layer. Both faults would leave imports unchecked.
 *
 * @param {readonly string[]} files files of src/, relative to the project's root
 */
export function findRowFaults(files) {
  const folders = new Set(files.map((path) => posix.dirname(path).slice('src/'.length)));
  const rooms = new Set([...folders].map((folder) => folder.split('/').slice(0, 2).join('/')));
  const layers = [...Object.keys(rows), ...composing];
  const messages = [];
  for (const name of places.keys())
    if (![...folders].some((folder) => folder === name || folder.startsWith(`${name}/`)))
      messages.push(`scripts/check-layers.mjs: src/${name} has a row, but does not exist.`);
  for (const room of rooms) {
    const [layer, name] = room.split('/');
    if (layers.includes(layer) && name && name !== 'testing' && !places.has(room))
      messages.push(`src/${room}: has no row in scripts/check-layers.mjs.`);
  }
  return messages;
}

/** Returns the room of a file of src/: the innermost listed folder around it. */
function roomOf(path) {
  for (let folder = posix.dirname(path.slice('src/'.length)); folder !== '.'; folder = posix.dirname(folder))
    if (places.has(folder)) return folder;
  return undefined;
}

/** Packages by the layers that may import them. All other packages are forbidden in src/. */
const allowedPackages = {
  'gl-matrix': ['core', 'proxy', 'game', 'render', 'assets'],
  comlink: ['threads'],
  '@gltf-transform/core': ['assets'],
  // Only the Basis transcoder and Zstandard's decoder.
  three: ['assets'],
  draco3dgltf: ['assets'],
  meshoptimizer: ['assets'],
  '@gltf-transform/extensions': ['assets'],
  '@playwright/test': ['testing'],
  react: ['react'],
  'react-reconciler': ['react'],
};

/** Additional packages of unit tests. */
const testPackages = [
  'vitest',
  'esbuild',
  'fast-check',
  '@gltf-transform/core',
  '@gltf-transform/extensions',
  'pngjs',
  'react-dom',
  'three',
];

/** Matches the modules that a page of this repository may import: the exports of the package, and the tools. */
const publicModules =
  /^src\/(index|inline|rhi|tasks|math|shaders|element\/index|react\/index|testing\/index|tools\/[^/]+)$/;

/**
 * Finds the forbidden imports of one file.
 *
 * @param {string} path path from the project's root, with forward slashes
 * @param {string} source text of the file
 * @returns {{ specifier: string, line: number, reason: string }[]}
 */
export function findForbiddenImports(path, source) {
  const isTest = /\.test\.[cm]?[jt]sx?$|[./]test-support\.ts$|^src\/[^/]+\/testing\//.test(path);
  const findings = [];
  for (const { specifier, position, isAddress } of findImports(source)) {
    const reason = whyForbidden(path, specifier, isTest, isAddress);
    if (reason) findings.push({ specifier, line: source.slice(0, position).split('\n').length, reason });
  }
  return findings;
}

/** Returns all imports: static, type-only, re-exported and dynamic imports, import types, and modules named by URL. */
function findImports(source) {
  const found = [];
  const file = ts.createSourceFile('file.ts', source, ts.ScriptTarget.Latest);
  const note = (node, isAddress = false) => {
    if (node && ts.isStringLiteralLike(node))
      found.push({ specifier: node.text, position: node.getStart(file), isAddress });
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) note(node.moduleSpecifier);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) note(node.argument.literal);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      note(node.arguments[0]);
    else if (isModuleUrl(node, file)) note(node.arguments[0], true);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Returns whether a node is `new URL('./x.ts', import.meta.url)`, the form that names workers. */
function isModuleUrl(node, file) {
  if (!ts.isNewExpression(node) || node.expression.getText(file) !== 'URL') return false;
  const [name, base] = node.arguments ?? [];
  return (
    base?.getText(file) === 'import.meta.url' && ts.isStringLiteralLike(name) && /\.[jt]s$/.test(name.text)
  );
}

function whyForbidden(path, specifier, isTest, isAddress) {
  const layer = layerOf(path);
  const isInSource = path.startsWith('src/');
  if (/\.wgsl(\?|$)/.test(specifier)) {
    if (!isInSource || layer === 'render' || layer === 'rhi' || isTest) return undefined;
    if (path.startsWith('src/game/shader-chunks/') && specifier.includes('/shaders/chunks/'))
      return undefined;
    return 'shaders are imported by src/render and src/rhi only, and chunks by src/game/shader-chunks';
  }
  if (!specifier.startsWith('.'))
    return isInSource ? whyPackageForbidden(layer, specifier, isTest) : undefined;

  const target = posix.join(posix.dirname(path), specifier).replace(/(\.[cm]?[jt]s)?(\?.*)?$/, '');
  if (!target.startsWith('src/')) {
    return isInSource && !isTest ? 'src/ imports nothing outside src/ but shaders' : undefined;
  }
  if (path.startsWith('demo/')) {
    return publicModules.test(target) ? undefined : 'the demo uses the public API only';
  }
  if (!isInSource || layer === 'entry') return undefined;
  const targetLayer = layerOf(`${target}.ts`);
  // Tests may import any room of their layer. `new URL` only names a module, so it may name any room.
  if (targetLayer === layer || (composing.includes(layer) && composing.includes(targetLayer)))
    return isTest || isAddress ? undefined : whyRoomForbidden(path, `${target}.ts`);
  if (composing.includes(layer)) return undefined;
  if (layer === 'element' || layer === 'react') {
    return target === 'src/index' ? undefined : `src/${layer} uses the public API (src/index.ts) only`;
  }
  const allowed = allowedFolders[layer];
  if (!allowed) return `src/${layer} is not a layer that scripts/check-layers.mjs knows`;
  if (allowed.includes(targetLayer)) return undefined;
  const list = [layer, ...allowed].map((name) => `src/${name}`).join(', ');
  return `src/${layer} may import ${list} only`;
}

function whyRoomForbidden(path, target) {
  const [room, targetRoom] = [roomOf(path), roomOf(target)];
  const [from, to] = [places.get(room), places.get(targetRoom)];
  if (room === targetRoom || !from || !to || from.order !== to.order) return undefined;
  if (to.row < from.row || from.joined.includes(targetRoom)) return undefined;
  const relation = to.row === from.row ? 'beside' : 'above';
  return `src/${targetRoom} stands ${relation} src/${room} (scripts/check-layers.mjs lists the rows)`;
}

function whyPackageForbidden(layer, specifier, isTest) {
  if (specifier.startsWith('node:')) {
    return layer === 'testing' || isTest ? undefined : 'src/ runs in browsers, without Node modules';
  }
  if (specifier.startsWith('virtual:'))
    return layer === 'entry' || ['virtual:basis-transcoder', 'virtual:zstd-decoder'].includes(specifier)
      ? undefined
      : 'virtual modules belong to entries';
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  if (isTest && testPackages.includes(name)) return undefined;
  const layers = allowedPackages[name];
  if (!layers) return `"${name}" is not a dependency of the library (scripts/check-layers.mjs lists them)`;
  return layers.includes(layer) || layer === 'entry' || composing.includes(layer)
    ? undefined
    : `"${name}" is imported by ${layers.map((each) => `src/${each}`).join(', ')} only`;
}

/** Returns the folder below src/, or `entry` for the files directly in it. */
function layerOf(path) {
  const parts = path.split('/');
  return parts.length > 2 ? parts[1] : 'entry';
}

/** Checks the tree under `root`. Returns one message per forbidden import, wrong row, crowded folder and long file. */
export function checkLayers(root) {
  const messages = [];
  const sources = [];
  for (const folder of ['src', 'demo']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.[cm]?[jt]sx?$/.test(entry.name) || entry.name.endsWith('.d.ts')) continue;
      const file = join(entry.parentPath ?? entry.path, entry.name);
      const path = relative(root, file).split(sep).join('/');
      const text = readFileSync(file, 'utf8');
      if (folder === 'src') sources.push({ path, text });
      for (const { specifier, line, reason } of findForbiddenImports(path, text)) {
        messages.push(`${path}:${line}: imports "${specifier}", but ${reason}.`);
      }
    }
  }
  return [...messages, ...findRowFaults(sources.map(({ path }) => path)), ...findOversizes(sources)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const messages = checkLayers(fileURLToPath(new URL('..', import.meta.url)));
  for (const message of messages) console.error(message);
  console.log(
    messages.length === 0
      ? 'Every import looks down; no folder is crowded, no file is too long.'
      : `${messages.length} findings.`,
  );
  process.exitCode = messages.length === 0 ? 0 : 1;
}
