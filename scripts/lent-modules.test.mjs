import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { sourcePlugins } from './lib/esbuild-plugins.mjs';
import { projectRoot } from './lib/install.mjs';
import { borrowPlugin, decoderParts } from './lib/lent-modules.mjs';

const options = {
  absWorkingDir: projectRoot,
  outdir: 'unwritten',
  bundle: true,
  write: false,
  metafile: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'error',
  define: { FENCEPOST_BUILD: '"one"' },
  plugins: sourcePlugins(),
};

/** A part as it is built, and which sources are in it. */
async function buildPart(plugins) {
  const { metafile, outputFiles } = await build({
    ...options,
    entryPoints: ['src/threads/worker-bundles.ts'],
    plugins: [...plugins, ...options.plugins],
  });
  const [{ inputs }] = Object.values(metafile.outputs);
  const sources = Object.keys(inputs).filter((name) => inputs[name].bytesInOutput > 0);
  return { sources, text: outputFiles[0].text };
}

/** Runs a part's text on a thread's global scope. */
const run = (text, scope) => new Function('globalThis', text)(scope);

it('a part has no copy of what worker.js lends', async () => {
  const lent = [
    'src/rhi/commands/commands.ts',
    'src/rhi/record/command-context.ts',
    'src/core/page-writer.ts',
  ];
  const alone = await buildPart([]);
  expect(alone.sources).toEqual(expect.arrayContaining(lent));
  const { sources } = await buildPart([borrowPlugin(options)]);
  expect(sources.filter((name) => lent.includes(name))).toEqual([]);
  expect(sources).toContain('src/rhi/record/draw-bundle.ts');
});

it('a part of another build than worker.js says so, with its build, before it takes anything', async () => {
  const { text } = await buildPart([borrowPlugin(options)]);
  const other = { [Symbol.for('fencepost.lent')]: { build: 'two', modules: {} } };
  for (const scope of [{}, other]) {
    let thrown;
    try {
      run(text, scope);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ build: 'one' });
  }
});

it('what asset workers load is known by their table, so that it borrows nothing of a worker.js that is not there', () => {
  expect(decoderParts().sort()).toEqual([
    'worker-basis',
    'worker-decoding',
    'worker-draco',
    'worker-faces',
    'worker-ktx2',
    'worker-meshopt',
  ]);
});
