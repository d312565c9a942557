import { type GraphPicture, withTimes } from './graph-picture.js';
import { printGraph } from './print-graph.js';

/**
 * Returns the lines of `printGraph` in which two graphs differ. Removed lines begin with `- `, new lines with `+ `.
 * Position numbers and times of passes are left out, because they also change for passes that stay the same. Equal
 * graphs give an empty list.
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
