// Limits that keep the source easy to navigate: files in a folder, lines in a file. Tests don't count.

/** Limit of files directly in a folder. */
const FOLDER_FILES = 25;
/** Limit of lines in a file. */
const FILE_LINES = 400;

/** Exempt files, and the reason for their length. */
const longFiles = {
  'src/engine/engine.ts': 'the public class: all calls of an engine, with their documentation',
  'src/game/world/world.ts': 'the public world: all calls that add to a scene, with their documentation',
  'src/rhi/commands/commands.ts': 'the table of all RHI commands',
};

const isTest = (path) => /\.(test|property|schedule|model|threads)[.-]|test-support|\/testing\//.test(path);

/**
 * Returns one message for each folder with too many files, each file with too many lines, and each exempt file that is
 * no longer long.
 *
 * @param {readonly { path: string, text: string }[]} files of src/
 * @param {Readonly<Record<string, string>>} allowed long files
 */
export function findOversizes(files, allowed = longFiles) {
  const messages = [];
  const counts = new Map();
  const long = new Set();
  for (const { path, text } of files) {
    if (isTest(path)) continue;
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
    const lines = text.split('\n').length - 1;
    if (lines <= FILE_LINES) continue;
    long.add(path);
    if (!allowed[path])
      messages.push(`${path}: has ${lines} lines (at most ${FILE_LINES}); split it by topics.`);
  }
  for (const [folder, count] of counts)
    if (count > FOLDER_FILES)
      messages.push(`${folder}: has ${count} files (at most ${FOLDER_FILES}); move some into subfolders.`);
  for (const path of Object.keys(allowed))
    if (!long.has(path))
      messages.push(`scripts/lib/room-sizes.mjs: ${path} is not long any more. Remove it.`);
  return messages;
}
