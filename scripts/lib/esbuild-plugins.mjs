// What esbuild must be told about this code: shaders as text, the workers' literal URLs, and the workers' source
// inside `fencepost/inline`.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { projectRoot } from './install.mjs';
import { minifyShader } from './minify-shader.mjs';

/** `import text from './x.wgsl?raw'`, as Vite does it, without comments and indentation. */
export function shaderPlugin() {
  return {
    name: 'shaders',
    setup(build) {
      build.onResolve({ filter: /\.wgsl\?raw$/ }, ({ path, resolveDir }) => ({
        path: resolve(resolveDir, path.slice(0, -'?raw'.length)),
        namespace: 'shader',
      }));
      build.onLoad({ filter: /./, namespace: 'shader' }, ({ path }) => ({
        contents: minifyShader(readFileSync(path, 'utf8')),
        loader: 'text',
        watchFiles: [path],
      }));
    },
  };
}

/**
 * Files that are built apart and lie side by side in dist/ refer to each other instead of containing each other.
 *
 * @param {Record<string, string>} sources paths in the project by the name of their file in dist/
 */
export function siblingPlugin(sources) {
  const names = new Map(Object.entries(sources).map(([name, source]) => [join(projectRoot, source), name]));
  return {
    name: 'siblings',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ path, resolveDir }) => {
        const name = names.get(resolve(resolveDir, path.replace(/\.js$/, '.ts')));
        return name === undefined ? undefined : { path: `./${name}.js`, external: true };
      });
    },
  };
}

/**
 * What a page loads at once, in one file: a bundler would make a file of every set of modules that a part loaded on
 * demand shares with the rest, and small files compress badly. So each such part is made to need the whole.
 *
 * @param {string} entry absolute path
 */
export function atOncePlugin(entry) {
  const onDemand = new Set();
  return {
    name: 'at-once',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\// }, ({ kind, path, resolveDir }) => {
        if (kind === 'dynamic-import') onDemand.add(resolve(resolveDir, path.replace(/\.js$/, '.ts')));
        return undefined;
      });
      build.onResolve({ filter: /^virtual:at-once$/ }, () => ({ path: entry, sideEffects: true }));
      build.onLoad({ filter: /\.ts$/ }, ({ path }) =>
        onDemand.has(path)
          ? { contents: `${readFileSync(path, 'utf8')}\nimport 'virtual:at-once';\n`, loader: 'ts' }
          : undefined,
      );
    },
  };
}

/**
 * Reduces the command tables to what running code needs of them, which is a third: the opcodes as an `enum`, whose
 * members esbuild writes as numbers, and the names for messages. The fields describe the records to people, tests
 * and traces; encoders and decoders are written by hand.
 */
export function recordTablePlugin() {
  const isOnlyNamed = findOnlyNamed();
  return {
    name: 'record-tables',
    setup(build) {
      build.onLoad({ filter: /src[\\/](rhi[\\/]commands|proxy)[\\/]commands\.ts$/ }, async ({ path }) => ({
        contents: constantsAsEnums(
          reduceTables(readFileSync(path, 'utf8'), await evaluate(path)),
          isOnlyNamed,
        ),
        loader: 'ts',
      }));
      build.onEnd(({ metafile }) => {
        for (const [file, { inputs }] of Object.entries(metafile?.outputs ?? {})) {
          if (inputs['src/core/record-codec.ts']?.bytesInOutput) {
            return { errors: [{ text: `${file} has the generic codec, which needs the tables' fields.` }] };
          }
        }
      });
    },
  };
}

/**
 * @param {string} source of a module that declares record tables
 * @param {Record<string, unknown>} exports what it exports
 */
export function reduceTables(source, exports) {
  return Object.entries(exports).reduce((text, [name, value]) => {
    if (!value?.opcodes) return text;
    const opcodes = Object.entries(value.opcodes).map(([key, opcode]) => `${key} = ${opcode}`);
    return text
      .replace(
        new RegExp(`^export const ${name} = [^]*?^}\\);$`, 'm'),
        `export const ${name} = { name: '${value.name}', names: '${value.names.join(' ')}'.split(' ') };`,
      )
      .replace(
        new RegExp(`^export const (\\w+) = ${name}\\.opcodes;$`, 'm'),
        `export enum $1 { ${opcodes} }`,
      );
  }, source);
}

/**
 * Numbers that have names, `export const X = { a: 1, … } as const`, as an `enum`: esbuild writes its members as numbers
 * wherever they are used, and leaves out what declares them. One that somewhere is used as a whole stays an object.
 */
export function constantsPlugin() {
  const isOnlyNamed = findOnlyNamed();
  return {
    name: 'constants',
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const contents = constantsAsEnums(source, isOnlyNamed);
        return contents === source ? undefined : { contents, loader: 'ts' };
      });
    },
  };
}

/** Tells of a constant of ours whether it is nowhere used but for its members. */
function findOnlyNamed() {
  const uses = readSources('src', { isDeep: true })
    .map(({ text }) => withoutCommentsAndImports(text))
    .join('\n');
  return (name) => !new RegExp(`(?<!export const |typeof )\\b${name}\\b(?!\\.\\w)`).test(uses);
}

/**
 * @param {string} source of a module
 * @param {(name: string) => boolean} isOnlyNamed whether all that is ever said of the object is `name.member`
 */
export function constantsAsEnums(source, isOnlyNamed) {
  return source.replace(/^export const (\w+) = \{([^{}]*)\} as const;$/gm, (whole, name, body) => {
    const members = body.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
    const areNumbers = /^(?:\s*\w+:[\s\d+*<|-]+,?)+\s*$/.test(members);
    return areNumbers && isOnlyNamed(name)
      ? `export enum ${name} { ${members.replaceAll(':', ' =')} }`
      : whole;
  });
}

function withoutCommentsAndImports(text) {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*|^(?:import|export)[^;'=]*?from '[^']*';$/gm, '');
}

async function evaluate(path) {
  const { outputFiles } = await build({ entryPoints: [path], bundle: true, write: false, format: 'esm' });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/**
 * The engine's recorder and executor without the methods that its renderer never needs: a context has one per command,
 * and most commands are for users of `fencepost/rhi`, as is what `complete/` asks of the executor.
 */
export function unusedCommandsPlugin() {
  const parts = [
    {
      filter: /src[\\/]rhi[\\/]record[\\/](data-commands|command-context|immediate-context)\.ts$/,
      callers: [
        'src/render',
        'src/threads',
        'src/rhi/record/data-commands.ts',
        'src/rhi/record/immediate-context.ts',
      ],
    },
    {
      filter: /src[\\/]rhi[\\/]webgpu[\\/](pass-encoder|resources|list-encoder)\.ts$/,
      callers: ['src/rhi/webgpu', 'src/rhi/capture', 'src/threads'],
    },
  ];
  return {
    name: 'unused-commands',
    setup(build) {
      for (const { filter, callers } of parts) {
        const code = callers
          .flatMap((place) => readSources(place))
          .map(({ text }) => withoutCommentsAndImports(text))
          .join('\n');
        build.onLoad({ filter }, ({ path }) => {
          const { contents, removed } = withoutUncalledMethods(readFileSync(path, 'utf8'), code);
          if (removed.length > 0) return { contents, loader: 'ts' };
          return { errors: [{ text: `${path} has no method that is never called; leave it to no plugin.` }] };
        });
      }
    },
  };
}

/**
 * @param {string} source of a module
 * @param {string} code of all who may call its classes' methods, without comments
 * @returns {{ contents: string, removed: string[] }} the module without those that nobody calls, and their names
 * @throws Error for one that is not called but said, such as one passed on: nobody sees where it goes
 */
export function withoutUncalledMethods(source, code) {
  const called = new Set([...code.matchAll(/\.(\w+)\(/g)].map(([, name]) => name));
  // The opcodes have the commands' names.
  const said = new Set([...code.matchAll(/(?<!Opcode)\.(\w+)\b/g)].map(([, name]) => name));
  const file = ts.createSourceFile('module.ts', source, ts.ScriptTarget.Latest);
  const methods = file.statements
    .filter(ts.isClassDeclaration)
    .flatMap(({ members }) =>
      members.filter((each) => ts.isMethodDeclaration(each) && ts.isIdentifier(each.name)),
    )
    .filter(({ name }) => !called.has(name.text));
  let contents = source;
  for (const method of methods.reverse()) {
    const name = method.name.text;
    if (said.has(name))
      throw new Error(`The method ${name} is never called, but said: call it where it is meant.`);
    contents = contents.slice(0, method.getStart(file)) + contents.slice(method.end);
  }
  return { contents, removed: methods.reverse().map(({ name }) => name.text) };
}

/** The TypeScript files of a folder, or the one file; tests are left out. */
function readSources(place, { isDeep = false } = {}) {
  const path = join(projectRoot, place);
  const files = place.endsWith('.ts')
    ? [path]
    : readdirSync(path, { recursive: isDeep })
        .filter((name) => name.endsWith('.ts') && !name.includes('.test'))
        .map((name) => join(path, name));
  return files.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
}

/**
 * In the source the literals name `./worker.ts`, which Vite's development server finds; in dist/ the files are
 * `./worker.js` and `./asset-worker.js`, beside the code that starts them.
 */
export function workerLiteralPlugin() {
  return {
    name: 'worker-literals',
    setup(build) {
      build.onLoad({ filter: /src[\\/]threads[\\/]main[\\/]worker-location\.ts$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(
          /new URL\('\.\.\/([a-z-]*worker[a-z-]*)\.ts'/g,
          "new URL('./$1.js'",
        ),
        loader: 'ts',
      }));
    },
  };
}

/** `virtual:worker-source/<name>` is the text of `<name>.js` as built before into `outdir`. */
export function workerSourcePlugin(outdir) {
  return {
    name: 'worker-source',
    setup(build) {
      build.onResolve({ filter: /^virtual:worker-source\// }, ({ path }) => ({
        path: path.slice('virtual:worker-source/'.length),
        namespace: 'worker-source',
      }));
      build.onLoad({ filter: /./, namespace: 'worker-source' }, ({ path }) => ({
        contents: readFileSync(join(outdir, `${path}.js`), 'utf8'),
        loader: 'text',
      }));
    },
  };
}

/** Node's modules, which @gltf-transform/core imports for a class that only Node uses, are empty in browsers. */
export function withoutNodePlugin() {
  return {
    name: 'without-node',
    setup(build) {
      build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'without-node' }));
      build.onLoad({ filter: /./, namespace: 'without-node' }, () => ({ contents: 'export default {}' }));
    },
  };
}
