const NONE = '*not shown*';
const COLUMN = 'fails without';

/**
 * Returns the text of docs/systems.md whose column *fails without* names the mutants of each row. Tables with ids, and
 * the table of commands, get the column if they lack it.
 *
 * @param {string} text
 * @param {readonly import('./mutant.mjs').Mutant[]} mutants
 */
export function nameMutants(text, mutants) {
  let isTable = false;
  /** Number of columns before the last one. */
  let columns = 0;
  const lines = text.split('\n').map((line) => {
    if (!line.startsWith('|')) {
      isTable = false;
      return line;
    }
    const cells = line.split('|').slice(1, -1);
    const first = cells[0].trim();
    if (first === 'id' || first === 'commands') {
      isTable = true;
      columns = cells.length - Number(line.includes(COLUMN));
    }
    if (!isTable) return line;
    const known = cells.slice(0, columns);
    const last = /^-+$/.test(first) ? '---' : cellOf(first, mutants);
    return `|${known.join('|')}| ${last} |`;
  });
  return lines.join('\n');
}

/**
 * Returns whether a row of the table is the mutant's row, by its id. A command such as `C draw` is found by its name.
 */
function isIn(first, row) {
  return row.startsWith('C ') ? first.includes(`\`${row.slice(2)}\``) : row === first;
}

function cellOf(first, mutants) {
  if (first === 'id' || first === 'commands') return COLUMN;
  const ids = mutants.filter(({ row }) => isIn(first, row)).map(({ id }) => `\`${id}\``);
  return ids.length === 0 ? NONE : ids.join(', ');
}

/** Returns whether the page has the row. */
export function hasRow(text, row) {
  return text.split('\n').some((line) => line.startsWith('| ') && isIn(line.split('|')[1].trim(), row));
}
