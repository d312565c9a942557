// Finishes the declarations that tsc emitted for the package. It drops declarations that no entry point reaches, and
// makes all others independent of @webgpu/types. A public declaration imports its GPU types from `webgpu.d.ts`. Each
// type there is the consumer's own type (from @webgpu/types, or a DOM library with WebGPU). Without one it is `object`.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import ts from 'typescript';
import { projectRoot } from './install.mjs';

/**
 * Finishes the declarations in a folder.
 *
 * @param {string} folder output folder of tsc
 * @param {string[]} entries the public declarations, relative to `folder`
 */
export function finishDeclarations(folder, entries) {
  const reachable = new Set();
  const visit = (file) => {
    if (reachable.has(file)) return;
    reachable.add(file);
    for (const { fileName } of ts.preProcessFile(readFileSync(file, 'utf8'), true, true).importedFiles) {
      if (!fileName.startsWith('.')) continue;
      const target = resolve(dirname(file), fileName.replace(/\.js$/, '.d.ts'));
      if (!existsSync(target)) throw new Error(`${file} imports ${fileName}, which has no declaration.`);
      visit(target);
    }
  };
  for (const entry of entries) visit(join(folder, entry));

  const gpuTypes = new Set();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath ?? entry.path, entry.name);
    if (!reachable.has(file)) {
      rmSync(file);
      continue;
    }
    const { text, used } = withoutAmbientTypes(
      readFileSync(file, 'utf8'),
      relative(folder, file).split(sep).join('/'),
    );
    for (const name of used) gpuTypes.add(name);
    writeFileSync(file, text);
  }
  if (gpuTypes.size > 0) writeFileSync(join(folder, 'webgpu.d.ts'), declareGpuTypes([...gpuTypes].sort()));
}

/**
 * Returns the declaration with its GPU types imported from `webgpu.d.ts` at the root.
 *
 * @param {string} source
 * @param {string} path path of the file below the root, with forward slashes
 */
export function withoutAmbientTypes(source, path) {
  const text = source.replace(/^\/\/\/ <reference types=.*\n/gm, '');
  const used = new Set();
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const visit = (node) => {
    if (
      ts.isTypeReferenceNode(node) &&
      ts.isIdentifier(node.typeName) &&
      /^GPU([A-Z]|$)/.test(node.typeName.text)
    ) {
      used.add(node.typeName.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  if (used.size === 0) return { text, used };
  const from = posix.relative(posix.dirname(path), 'webgpu.js');
  const specifier = from.startsWith('.') ? from : `./${from}`;
  return { text: `import type { ${[...used].sort().join(', ')} } from '${specifier}';\n${text}`, used };
}

/**
 * Returns the text of `webgpu.d.ts`. Objects (GPUDevice …) are found through their constructor in the consumer's global
 * scope, so that they are the consumer's own types. Dictionaries and string unions have no constructor. They are
 * copied, together with the types that they use.
 *
 * @param {string[]} names
 */
export function declareGpuTypes(names) {
  const path = join(projectRoot, 'node_modules/@webgpu/types/dist/index.d.ts');
  const file = ts.createSourceFile('webgpu.d.ts', readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const declarations = new Map();
  const constructors = new Set();
  for (const node of file.statements) {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
      declarations.set(node.name.text, node);
    if (ts.isVariableStatement(node)) {
      for (const { name } of node.declarationList.declarations) constructors.add(name.getText());
    }
  }
  const lines = new Map();
  const declare = (name) => {
    if (lines.has(name)) return;
    const node = declarations.get(name);
    if (constructors.has(name) || !node) {
      lines.set(
        name,
        `export type ${name} = typeof globalThis extends { ${name}: { prototype: infer T } } ? T : object;`,
      );
      return;
    }
    lines.set(name, `export ${printer.printNode(ts.EmitHint.Unspecified, node, file)}`);
    const visit = (child) => {
      if (ts.isIdentifier(child) && declarations.has(child.text)) declare(child.text);
      ts.forEachChild(child, visit);
    };
    visit(node);
  };
  for (const name of names) declare(name);
  return [
    "/** WebGPU's types, those of the consumer's project if it has any. Dictionaries are copied from @webgpu/types. */",
    ...[...lines].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line),
    '',
  ].join('\n');
}

const printer = ts.createPrinter({ removeComments: true });
