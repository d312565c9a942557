// The guide's table of RHI errors: every error that the modules behind `fencepost/rhi` raise, with its message.
// Validation has a page of its own.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';
import ts from 'typescript';

const ENTRY = 'src/rhi.ts';
/** The file that defines the classes, and rebuilds errors of other threads. */
const BASE = 'src/core/errors.ts';
/** Codes of errors whose code is not a literal, by file. */
const COMPUTED = {
  // `option-out-of-range` can't occur, because no option of the RHI has a range.
  'src/core/options/member.ts': ['option-invalid'],
  'src/rhi/record/descriptor-checks.ts': ['bad-argument', 'bad-descriptor'],
  'src/rhi/record/open-lists.ts': ['list-discarded', 'list-executed'],
  'src/rhi/webgpu/resources/resources.ts': ['out-of-memory', 'resource-creation'],
};

/** Returns a Markdown table of classes and messages by code. */
export async function errorTable() {
  const { metafile } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    logLevel: 'silent',
  });
  const files = Object.keys(metafile.inputs).filter((file) => !file.includes('/validation/'));
  const byCode = new Map();
  for (const file of files.sort()) {
    for (const { code, type, message } of errorsIn(file)) {
      const known = byCode.get(code) ?? { types: new Set(), messages: new Set() };
      byCode.set(code, known);
      known.types.add(type);
      known.messages.add(message);
    }
  }
  const rows = [...byCode].sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    '| code | class | message |',
    '| --- | --- | --- |',
    ...rows.map(
      ([code, { types, messages }]) =>
        `| \`${code}\` | ${[...types].join(', ')} | ${[...messages].join('<br>')} |`,
    ),
  ].join('\n');
}

function errorsIn(file) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const errors = [];
  const visit = (node, className) => {
    const type = ts.isNewExpression(node) ? node.expression.getText() : className;
    const isSuper = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;
    if (/^\w+Error$/.test(type) && (ts.isNewExpression(node) || isSuper) && node.arguments?.length >= 2) {
      const [code, text] = node.arguments;
      const message = templateOf(text);
      if (message) for (const literal of codesOf(code, file)) errors.push({ code: literal, type, message });
    }
    const inner = ts.isClassDeclaration(node) ? node.name?.text : className;
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, undefined);
  return errors;
}

/** Returns the possible codes of an argument: a literal, a choice of two, or the list in COMPUTED. */
function codesOf(node, file) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node))
    return [...codesOf(node.whenTrue, file), ...codesOf(node.whenFalse, file)];
  if (COMPUTED[file]) return COMPUTED[file];
  if (file === BASE) return [];
  throw new Error(
    `${file} raises an error with the code ${node.getText()}: list the possible codes in COMPUTED.`,
  );
}

/** Returns the message with `{name}` as a placeholder for each expression. */
function templateOf(node) {
  if (ts.isStringLiteralLike(node)) return cellOf(node.text);
  if (ts.isBinaryExpression(node)) return templateOf(node.left) + templateOf(node.right);
  if (!ts.isTemplateExpression(node)) return '';
  const spans = node.templateSpans.map(({ expression, literal }) => `{${nameOf(expression)}}${literal.text}`);
  return cellOf(node.head.text + spans.join(''));
}

const nameOf = (node) => {
  if (ts.isPropertyAccessExpression(node)) return node.name.text.replace(/^#/, '');
  if (ts.isCallExpression(node)) {
    const [last] = node.arguments.slice(-1);
    return last ? nameOf(last) : nameOf(node.expression);
  }
  return ts.isIdentifier(node) ? node.text : '…';
};

const cellOf = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ');
