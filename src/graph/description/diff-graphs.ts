import { type GraphPicture, withTimes } from './graph-picture.js';
import { printGraph } from './print-graph.js';

/**
 * What has changed from one graph to another, by line: `- ` before what is gone, `+ ` before what is new, and nothing
 * for what has stayed. Lines are those of `printGraph`, without the places and times of passes, which shift. Empty: both are equal.
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
