// `npm run conformance`: shows every .gltf and .glb below a folder, and prints `ok`, `warning: …` or
// `error: <class> <code> …` for each. A rejected file is a valid result. The exit status is 1 after a crash, a hang, a
// lost device, an uncaptured GPU error or an untyped exception. It is 2 when there is no browser or no model.
//
//   npm run conformance -- <folder> [--json FILE] [--sheet FILE.png] [--threading single|render|render+rhi]
//                          [--size PIXELS] [--limit MILLISECONDS] [--time] [--no-isolation] [--gpu software|hardware]
//
// --time plays each clip as well. The contact sheet shows each clip at its start, and a second sheet (`…-half.png`) at
// half its duration. The default files are test-results/conformance.png and test-results/conformance-half.png.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureInstalled } from './lib/install.mjs';

const usage =
  'Usage: npm run conformance -- <folder> [--json FILE] [--sheet FILE.png] [--threading single|render|render+rhi] [--size PIXELS] [--limit MILLISECONDS] [--time] [--no-isolation] [--gpu software|hardware]';

process.exitCode = await main();

async function main() {
  const parsed = parse();
  if (typeof parsed === 'string') {
    console.error(`${parsed}\n${usage}`);
    return 2;
  }
  ensureInstalled();
  const { runConformance, statusText } = await import('./conformance/run.mjs');
  const { UsageError } = await import('./conformance/model-folder.mjs');
  const { folder, values } = parsed;
  try {
    const sheetFile = values.sheet ?? (values.time ? 'test-results/conformance.png' : undefined);
    const { summary, results, sheet, halfSheet } = await runConformance({
      folder,
      threading: values.threading,
      isIsolated: !values['no-isolation'],
      gpu: values.gpu,
      size: Number(values.size),
      limit: Number(values.limit),
      sheet: sheetFile !== undefined,
      time: values.time,
      onResult: (result) => console.log(`${result.file}: ${statusText(result)}`),
    });
    if (values.json) write(values.json, `${JSON.stringify({ summary, results }, null, 2)}\n`);
    if (sheetFile && sheet) write(sheetFile, sheet);
    if (sheetFile && halfSheet) write(sheetFile.replace(/(\.\w+)?$/, '-half$1'), halfSheet);
    const seconds = (summary.milliseconds / 1000).toFixed(1);
    console.log(
      `${summary.files} files: ${summary.ok} ok, ${summary.warnings} with warnings, ${summary.errors} refused with an error, ${summary.failed} failed (${seconds} s).`,
    );
    return summary.failed > 0 ? 1 : 0;
  } catch (error) {
    console.error(error instanceof UsageError ? error.message : error);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Parses the command line. @returns the arguments, or a message about an invalid one */
function parse() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'string' },
        sheet: { type: 'string' },
        threading: { type: 'string', default: 'render' },
        size: { type: 'string', default: '192' },
        limit: { type: 'string', default: '60000' },
        gpu: { type: 'string', default: 'software' },
        time: { type: 'boolean', default: false },
        'no-isolation': { type: 'boolean', default: false },
      },
    });
    const [folder, ...rest] = positionals;
    if (folder === undefined) return 'No folder was named.';
    if (rest.length > 0) return `Name one folder only, without "${rest.join('", "')}".`;
    if (!['single', 'render', 'render+rhi'].includes(values.threading)) {
      return `There is no threading mode "${values.threading}".`;
    }
    if (!['software', 'hardware'].includes(values.gpu)) return `--gpu can't be "${values.gpu}".`;
    for (const [name, lowest, highest] of [
      ['size', 16, 1024],
      ['limit', 1, 600_000],
    ]) {
      const value = Number(values[name]);
      if (Number.isInteger(value) && value >= lowest && value <= highest) continue;
      return `--${name} is a whole number from ${lowest} to ${highest}, not "${values[name]}".`;
    }
    return { folder, values };
  } catch (error) {
    return error.message;
  }
}

function write(file, content) {
  const path = resolve(file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  console.log(`Wrote ${file}.`);
}
