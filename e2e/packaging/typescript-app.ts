// Generates a TypeScript app that uses every export of every entry point of the package. The list comes from the
// installed declarations, so it is always current. `CALLS` adds calls that test the types of parameters.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

interface Entry {
  readonly specifier: string;
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/**
 * Returns the entry points that have declarations.
 * @param root a project that has the package installed
 */
export function listExports(root: string): Entry[] {
  const folder = join(root, 'node_modules/fencepost');
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const entries = Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string' ? [] : [{ path, file: join(folder, target.types) }],
  );
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext, types: [] },
  );
  const checker = program.getTypeChecker();
  return entries.map(({ path, file }) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    const symbols = module ? checker.getExportsOfModule(module) : [];
    const isValue = (symbol: ts.Symbol): boolean => {
      const isTypeOnly = symbol.declarations?.some(
        (each) => ts.isExportSpecifier(each) && (each.isTypeOnly || each.parent.parent.isTypeOnly),
      );
      if (isTypeOnly) return false;
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return (target.flags & ts.SymbolFlags.Value) !== 0;
    };
    return {
      specifier: path.replace(/^\./, 'fencepost'),
      values: symbols.filter(isValue).map(({ name }) => name),
      types: symbols.filter((symbol) => !isValue(symbol)).map(({ name }) => name),
    };
  });
}

/** Returns the app's source. */
export function appUsing(entries: readonly Entry[]): string {
  const uses = entries.map(({ specifier, values, types }, index) =>
    [
      `import { ${values.map((name) => `${name} as ${name}${index}`).join(', ')} } from '${specifier}';`,
      `export const values${index}: readonly unknown[] = [${values.map((name) => `${name}${index}`).join(', ')}];`,
      types.length
        ? `export type { ${types.map((name) => `${name} as ${name}${index}`).join(', ')} } from '${specifier}';`
        : '',
    ].join('\n'),
  );
  return `${uses.join('\n')}\n${CALLS}`;
}

/** Calls whose parameters are types of the package itself. */
const CALLS = `
import * as fencepost from 'fencepost';
import * as rhi from 'fencepost/rhi';
import type { FencepostViewerEventMap } from 'fencepost/element';

export function watch(viewer: HTMLElementTagNameMap['fencepost-viewer']): void {
  const onLoad = ({ detail }: FencepostViewerEventMap['load']): void => console.log(detail.level.bounds);
  viewer.addEventListener('load', onLoad);
  viewer.addEventListener('error', ({ detail }) => console.error(detail.code));
  viewer.removeEventListener('load', onLoad);
}

export async function run(target: HTMLElement): Promise<void> {
  const engine: fencepost.Engine = await fencepost.createEngine(target, { threading: 'single' });
  const { world } = engine;
  const camera = world.addCamera({ position: [0, 0, 4] });
  const controls = fencepost.orbitControls(engine, camera);
  controls.autoRotate = 1;
  const material = fencepost.standardMaterial({ baseColorTexture: fencepost.texture('a.png') });
  const mesh = world.addMesh({ geometry: fencepost.boxGeometry(), material });
  mesh.motion = fencepost.spin({ axis: [0, 1, 0], radiansPerSecond: 1 });
  engine.addEventListener('error', ({ detail }) => console.error(detail.code));
  const frame = await engine.captureFrame();
  console.log(frame.width, (await engine.dispose()).leaks.length);
  const { device } = await rhi.openDevice(undefined);
  const alone = rhi.createRhi({ device });
  alone.dispose();
}
`;
