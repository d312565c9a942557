// The code of docs/guide/rhi.md and docs/guide/rhi-reference.md, as printed. Each block's fence names its
// language and a file. Comments such as `// prints …` state its output. Blocks are bundled with `fencepost/rhi`
// and the blocks that they import.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import ts from 'typescript';

export interface GuideBlock {
  readonly code: string;
  /** The lines that the block prints according to its comments. */
  readonly prints: readonly string[];
}

const PAGES = ['docs/guide/rhi.md', 'docs/guide/rhi-reference.md'];

/** The blocks by file name, such as `triangle.ts`. */
export const guideBlocks: ReadonlyMap<string, GuideBlock> = new Map(
  PAGES.flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/^```(?:ts|js) (\S+)\n(.*?)^```$/gms)]).map(
    ([, file = '', code = '']) => [
      file,
      { code, prints: [...code.matchAll(/\/\/ prints (.*)$/gm)].map(([, text = '']) => text) },
    ],
  ),
);

export function guideBlock(file: string): GuideBlock {
  const block = guideBlocks.get(file);
  if (!block) throw new Error(`${PAGES.join(' and ')} have no code with the file name ${file}.`);
  return block;
}

/**
 * Bundles a block into one module without imports, for a page, a worker or Node.
 * @param isValidated enables validation for each RHI of the block
 */
export async function bundleBlock(file: string, isValidated = false): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`guide:${file}`],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    alias: { 'fencepost/rhi': resolve('dist/rhi.js') },
    logLevel: 'error',
    plugins: [guideFiles(isValidated)],
  });
  return outputFiles[0]?.text ?? '';
}

/** Returns the code with validation enabled, unless the block mentions validation. */
function validated(code: string): string {
  if (!/\bcreateRhi\(\{ device\b/.test(code) || /\bvalidate\b/.test(code)) return code;
  const withOption = code.replace(/\bcreateRhi\(\{ device\b/g, 'createRhi({ validation: validate, device');
  return `import { validate } from 'fencepost/rhi';\n${withOption}`;
}

const guideFiles = (isValidated: boolean): Plugin => ({
  name: 'guide',
  setup(builder) {
    builder.onResolve({ filter: /^guide:/ }, ({ path }) => ({ path: path.slice(6), namespace: 'guide' }));
    builder.onResolve({ filter: /^\.\// }, ({ path, namespace }) =>
      namespace === 'guide' ? { path: path.slice(2).replace(/js$/, 'ts'), namespace } : undefined,
    );
    builder.onLoad({ filter: /.*/, namespace: 'guide' }, ({ path }) => ({
      contents: isValidated ? validated(guideBlock(path).code) : guideBlock(path).code,
      loader: 'ts',
      resolveDir: resolve('.'),
    }));
  },
});

/** Returns the compiler's errors about the blocks, with the project's own options. */
export function typeErrors(): string[] {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, resolve('.'));
  const folder = resolve('docs/guide');
  const files = new Map(
    [...guideBlocks]
      .filter(([file]) => file.endsWith('.ts'))
      .map(([file, { code }]) => [resolve(folder, file), code]),
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, version) => {
    const code = files.get(path);
    return code === undefined ? getSourceFile(path, version) : ts.createSourceFile(path, code, version);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].flatMap((path) => {
    const source = program.getSourceFile(path);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText, start = 0 }) => {
        const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
        return `${path.slice(folder.length + 1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
      },
    );
  });
}
