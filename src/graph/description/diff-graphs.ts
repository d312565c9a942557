import { type GraphPicture, withTimes } from './graph-picture.js';
import { printGraph } from './print-graph.js';

/**
 * Returns the differences between two graphs, by line: `- ` before removed lines, `+ ` before new ones, and nothing for
 * equal ones. Lines are those of `printGraph`, without the places and times of passes, which shift. Equal graphs give
 * an empty list.
 */
export function diffGraphs(before: GraphPicture, after: GraphPicture): readonly string[] {
  const old = linesOf(before);
  const now = linesOf(after);
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
}

function linesOf(picture: GraphPicture): readonly string[] {
  return printGraph(withTimes(picture, null))
    .split('\n')
    .map((line) =>
      line
        .replace(/^\s*(\d+|=|-) /, '')
        .replace(/ {2,}/g, '  ')
        .trim(),
    );
}
