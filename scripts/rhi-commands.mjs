// The guide's table of RHI commands, from the rows and comments of the table in src/rhi/commands/commands.ts. A comment
// `// Topic. Text.` begins a topic. A comment `/** … */` is the meaning of the command below it.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const TABLE = 'src/rhi/commands/commands.ts';

/** Returns Markdown with a heading and a table per topic. */
export async function commandTables() {
  const { commandRows } = await import('../src/rhi/commands/commands.ts');
  const { KIND_NAMES } = await import('../src/rhi/commands/handles.ts');
  const text = readFileSync(TABLE, 'utf8');
  const lines = [];
  for (const command of tableOf(text).properties) {
    const comments = ts.getLeadingCommentRanges(text, command.pos) ?? [];
    const [topic, meaning] = ['//', '/**'].map((opening) => {
      const parts = comments
        .map(({ pos, end }) => text.slice(pos, end))
        .filter((part) => part.startsWith(opening));
      return parts.map(textOfComment).join(' ');
    });
    if (topic) {
      const [name, ...rest] = topic.split(/\.\s*(?=[A-Z]|$)/).filter(Boolean);
      lines.push('', `### ${name}`, '');
      if (rest.length > 0) lines.push(`${rest.join('. ')}.`, '');
      lines.push('| command | fields | where | meaning |', '| --- | --- | --- | --- |');
    }
    const name = command.name.text;
    const { fields, scope, queue } = commandRows[name];
    const cells = Object.entries(fields).map(
      ([field, annotation]) => `\`${field}\` ${typeOf(annotation, KIND_NAMES)}`,
    );
    const where = queue === undefined ? scope : `${scope}; queue: ${queue} at least`;
    lines.push(`| \`${name}\` | ${cells.join(', ') || '–'} | ${where} | ${meaning} |`);
  }
  return lines.join('\n').trim();
}

/** Returns the type of a field in the words of the guide. */
function typeOf({ wire, kinds, isCreated, usage, rule, shape, brings }, kindNames) {
  if (kinds !== undefined) {
    const names = kinds.length > 2 ? 'handle' : kinds.map((kind) => kindNames[kind]).join(' or ');
    return `${isCreated ? 'new ' : ''}${names}${usage ? ` (${usage})` : ''}`;
  }
  if (brings !== undefined) return `${brings} beside the stream`;
  if (shape !== undefined) return 'json';
  const bounds = [rule?.multipleOf && `multiple of ${rule.multipleOf}`, rule?.most && `at most ${rule.most}`];
  return [wire, ...bounds.filter(Boolean)].join(', ');
}

/** Returns the object literal of `commandRows`. */
function tableOf(text) {
  const source = ts.createSourceFile(TABLE, text, ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const [{ name, initializer }] = statement.declarationList.declarations;
    if (name.text !== 'commandRows') continue;
    let value = initializer;
    while (!ts.isObjectLiteralExpression(value)) value = value.expression;
    return value;
  }
  throw new Error(`${TABLE} defines no table.`);
}

function textOfComment(comment) {
  return comment
    .replace(/\*\/$/, '')
    .replace(/^(\/\*\*|\/\/|\s*\*)/gm, '')
    .replace(/\s+/g, ' ')
    .trim();
}
