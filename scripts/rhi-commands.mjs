// The table of RHI commands for the guide, from the table in src/rhi/commands/commands.ts: its names, fields and comments. A
// comment `// Topic. Text.` begins a topic, a comment `/** … */` is the meaning of the command below it.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

const TABLE = 'src/rhi/commands/commands.ts';

/** Markdown: a heading and a table per topic. */
export function commandTables() {
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
      lines.push('| command | fields | meaning |', '| --- | --- | --- |');
    }
    const fields = command.initializer.properties.map(
      (field) => `\`${field.name.text}\` ${field.initializer.text}`,
    );
    lines.push(`| \`${command.name.text}\` | ${fields.join(', ') || '–'} | ${meaning} |`);
  }
  return lines.join('\n').trim();
}

/** The object given to `defineRecordTable`. */
function tableOf(text) {
  const source = ts.createSourceFile(TABLE, text, ts.ScriptTarget.Latest);
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const { initializer } = statement.declarationList.declarations[0];
    if (initializer && ts.isCallExpression(initializer)) return initializer.arguments[1];
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
