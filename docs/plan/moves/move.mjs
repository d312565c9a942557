// Moves files of a repository as maps say, and rewrites every reference to them.
//
//   node move.mjs --root <repo> [--commit] [--dry-run] [--no-format] map.json...
//   node move.mjs --root <repo> --repair [--no-format] map.json...
//   node move.mjs --root <repo> --audit map.json...      what the maps leave out, without touching anything
//   node move.mjs --root <repo> --lost                   specifiers and mentions of files that name nothing
//
// A map (they are carried out in the order given, each on the outcome of the one before):
//   { "subject": …, "body": …,                   of the commit
//     "moves": { "src/a/x.ts": "src/b/y.ts",     a file, with its companions x.*.ts (tests, test support)
//                "src/c/": "src/d/" },           a folder, with all in it that no longer key names
//     "mentions": { "c/": "d/" },                words in comments, docs and strings, at word boundaries
//     "identifiers": { "Old": "New" },           whole words in code, WGSL and docs
//     "patterns": [{ "under": [prefixes], "from": regular expression, "to": … }],
//     "empties": [folders], "stay": [files]      files left in these folders and not named are told
//     "after": [commands]                        run before the commit
//     "texts": [{ "file": …, "from": …, "to": … }] }    exact text, skipped where it is missing
//
// Missing files are skipped, so a map may be run again. `--repair` moves nothing but files that came into old places
// under names that the maps know; it maps specifiers and paths that no longer resolve.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { posix } from 'node:path';

const { dirname, basename, normalize, relative, join } = posix;
const args = process.argv.slice(2);
const flags = new Set(args.filter((a) => a.startsWith('--') && a !== '--root'));
const root = args.includes('--root') ? args[args.indexOf('--root') + 1] : process.cwd();
const mapFiles = args.filter((a, i) => !a.startsWith('--') && args[i - 1] !== '--root');
const isDry = flags.has('--dry-run') || flags.has('--audit');
const absolute = (path) => `${root}/${path}`;

const TEXT = /\.(ts|tsx|mts|cts|mjs|js|jsx|json|md|html|css|wgsl|yml|yaml)$/;
const CODE = /\.(ts|tsx|mts|cts|mjs|js|jsx)$/;
/** History, and paths that are examples. */
const SKIPPED = /^(CHANGELOG\.md|package-lock\.json|public\/|scripts\/check-layers\.test\.mjs)/;
const ROOTS = '(?:src|shaders|e2e|bench|demo|scripts|docs)';
const COMPANION =
  /^\.[\w.-]*(test|schedule|test-support|test-helper|spec|property|model|threads)[\w.-]*\.(ts|mjs)$|^\.test\.(ts|mjs)$/;

function git(...parts) {
  return execFileSync('git', ['-C', root, ...parts], { encoding: 'utf8', maxBuffer: 1 << 28 });
}
function listFiles() {
  const names = git('ls-files', '-co', '--exclude-standard', '-z').split('\0').filter(Boolean);
  return [...new Set(names)].filter(
    (name) => existsSync(absolute(name)) && !statSync(absolute(name)).isDirectory(),
  );
}

/** Every single file that a map moves: old path to new path. */
function expand(map, files) {
  const moved = new Map();
  const entries = Object.entries(map.moves ?? {});
  const isFolder = (from) => from.endsWith('/');
  for (const [from, to] of entries.filter(([f]) => isFolder(f)))
    for (const file of files) if (file.startsWith(from)) moved.set(file, to + file.slice(from.length));
  const named = new Map(entries.filter(([f]) => !isFolder(f)));
  for (const [from, to] of named) {
    if (files.has(from)) moved.set(from, to);
    const [stem, target] = [from, to].map((path) => path.replace(/(\.test)?\.(ts|mjs|wgsl)$/, ''));
    if (/\.test\./.test(from)) continue;
    for (const file of files) {
      if (!file.startsWith(`${stem}.`) || file === from || named.has(file)) continue;
      const rest = file.slice(stem.length);
      if (COMPANION.test(rest)) moved.set(file, target + rest);
    }
  }
  for (const [from, to] of moved) if (from === to) moved.delete(from);
  return moved;
}

/** Other files in the folders that the map empties in part. */
function leftBehind(map, files, moved) {
  const folders = new Set(map.empties ?? []);
  const kept = new Set(map.stay ?? []);
  const stem = (file) => file.replace(/(\.[\w-]+)*\.test\.ts$|\.test-support\.ts$/, '.ts');
  return [...files].filter(
    (file) =>
      folders.has(dirname(file)) &&
      !moved.has(file) &&
      !kept.has(file) &&
      !kept.has(stem(file)) &&
      CODE.test(file),
  );
}

class Index {
  constructor(files) {
    this.files = files;
    this.folders = new Set();
    this.byName = new Map();
    for (const file of files) {
      for (let d = dirname(file); d !== '.' && !this.folders.has(d); d = dirname(d)) this.folders.add(d);
      const name = basename(file);
      this.byName.set(name, [...(this.byName.get(name) ?? []), file]);
    }
  }
  /** The file that a path without its query names: as it is, `.js` for `.ts`, or without an extension. */
  file(path) {
    const tries = [
      path,
      path.replace(/\.js$/, '.ts'),
      path.replace(/\.mjs$/, '.mts'),
      `${path}.ts`,
      `${path}.mjs`,
    ];
    return tries.find((each) => this.files.has(each));
  }
  isFolder(path) {
    return this.folders.has(path.replace(/\/$/, ''));
  }
}

/** Folders all of whose files go to one other folder, and those that the map names. */
function folderMoves(map, moved) {
  const named = Object.entries({ ...map.moves, ...map.folders }).filter(([from]) => from.endsWith('/'));
  return new Map(named.map(([from, to]) => [from.slice(0, -1), to.slice(0, -1)]));
}

function makeRewriter({ before, moved, folders, after, map, earlier, isRepair }) {
  /** Where a file of before is now. */
  const place = (file) => moved.get(file) ?? file;
  const back = new Map([...moved].map(([from, to]) => [to, from]));
  const folderPlace = (folder) => {
    for (const [from, to] of folders)
      if (folder === from || folder.startsWith(`${from}/`)) return to + folder.slice(from.length);
    return folder;
  };
  const withDot = (path) => (path.startsWith('.') ? path : `./${path}`);
  const keepEnding = (spec, from, to) => {
    // As `spec` names `from`, so `to` is named: the same extension, or none.
    const ending = (path) => path.slice(path.lastIndexOf('.'));
    if (spec.endsWith(ending(from))) return to;
    if (spec.endsWith('.js') && from.endsWith('.ts')) return to.replace(/\.ts$/, '.js');
    return to.slice(0, -ending(to).length);
  };

  /** A relative specifier in a file that was at `was` and is at `now`. */
  function specifier(spec, was, now, context) {
    const [, path, query] = /^([^?#]*)(.*)$/.exec(spec);
    if (path === '') return spec;
    for (const base of [was, now]) {
      const target = normalize(join(dirname(base), path));
      const file = before.file(target);
      if (file) {
        const to = place(file);
        if (to === file && was === now) return spec;
        return withDot(keepEnding(path, file, relative(dirname(now), to))) + query;
      }
      if (was === now) break;
    }
    // A folder, where it is certain that a path is meant.
    const target = normalize(join(dirname(was), path));
    const isRoot = target === '.' || target === './';
    if (was !== now || folderPlace(target.replace(/\/$/, '')) !== target.replace(/\/$/, '')) {
      if (
        (isRoot || before.isFolder(target)) &&
        /(new URL\(|join\([^()]*|resolve\([^()]*)\s*$/.test(context)
      ) {
        const folder = isRoot ? '.' : folderPlace(target.replace(/\/$/, ''));
        let to = relative(dirname(now), folder) || '.';
        if (path.endsWith('/')) to += '/';
        return withDot(to);
      }
    }
    // Old places, which the maps know, of files and of the file itself.
    for (const base of [now, was, ...earlier.placesBefore(now)]) {
      const old = earlier.find(normalize(join(dirname(base), path)));
      if (old) {
        const [from, to] = old;
        if (after.files.has(to)) return withDot(keepEnding(path, from, relative(dirname(now), to))) + query;
      }
    }
    return spec;
  }

  /** A path from the project's root, as docs, scripts and comments have it. */
  function rooted(path) {
    const brace = /^(.*)\{([^{}]*)\}(.*)$/.exec(path);
    if (brace) {
      const [, head, names, tail] = brace;
      const olds = names.split(',').map((name) => `${head}${name}${tail}`);
      if (!olds.some((old) => moved.has(old))) return path;
      const news = olds.map(place);
      const sorted = new Map();
      for (const each of news) sorted.set(dirname(each), [...(sorted.get(dirname(each)) ?? []), each]);
      return [...sorted]
        .map(([folder, paths]) => {
          const stems = paths.map((each) => basename(each));
          const common = tail.startsWith('.') && stems.every((s) => s.endsWith(tail)) ? tail : '';
          const bare = stems.map((s) => s.slice(0, s.length - common.length));
          return bare.length === 1
            ? `${folder}/${bare[0]}${common}`
            : `${folder}/{${bare.join(',')}}${common}`;
        })
        .join('`, `');
    }
    if (path.includes('**')) return path;
    if (/[*]/.test(path)) {
      const pattern = new RegExp(`^${path.replace(/[.+^$()|[\]\\{}]/g, '\\$&').replace(/\*/g, '[^/]*')}$`);
      const olds = [...before.files].filter((file) => pattern.test(file));
      const places = new Set(olds.map((old) => dirname(place(old))));
      if (olds.length > 0 && places.size === 1 && olds.every((old) => basename(place(old)) === basename(old)))
        return `${[...places][0]}/${basename(path)}`;
      if (olds.length > 0 && olds.every((old) => moved.has(old))) {
        const groups = new Map();
        for (const old of olds)
          groups.set(dirname(place(old)), [...(groups.get(dirname(place(old))) ?? []), place(old)]);
        return [...groups]
          .map(([folder, list]) => (list.length === 1 ? list[0] : `${folder}/${basename(path)}`))
          .join('`, `');
      }
      if (olds.some((old) => moved.has(old))) notes.add(`glob ${path} now lies in ${[...places].join(', ')}`);
      return path;
    }
    const file = before.file(path);
    if (file) return place(file) === file ? path : keepEnding(path, file, place(file));
    const bare = path.replace(/\/$/, '');
    if (before.isFolder(bare)) return folderPlace(bare) + (path.endsWith('/') ? '/' : '');
    const old = earlier.find(path);
    if (old && after.files.has(old[1])) return keepEnding(path, old[0], old[1]);
    const oldFolder = earlier.folder(bare);
    if (oldFolder && !after.isFolder(bare)) return oldFolder + (path.endsWith('/') ? '/' : '');
    return path;
  }

  /**
   * A path without its root: `webgpu/executor.ts`, `scene.ts`. `homes` are folders that it may be relative to.
   * @returns {{ text: string, file?: string }}
   */
  function suffixed(mention, homes, isPage) {
    const name = basename(mention);
    let candidates = (before.byName.get(name) ?? []).filter(
      (f) => f === mention || f.endsWith(`/${mention}`),
    );
    for (const home of homes) {
      const exact = normalize(join(home, mention));
      if (before.files.has(exact)) {
        candidates = [exact];
        break;
      }
    }
    if (candidates.length > 1) {
      const near = homes
        .map((home) => candidates.filter((f) => f.startsWith(`${home}/`)))
        .find((c) => c.length > 0);
      if (near?.length === 1) candidates = near;
    }
    if (candidates.length === 0) {
      const olds = earlier
        .named(name)
        .filter(([old, now]) => old.endsWith(`/${mention}`) && after.files.has(now));
      const near = olds.filter(([old]) => homes.some((home) => old === normalize(join(home, mention))));
      const [old] = near.length > 0 ? near : olds;
      if (!old || (near.length === 0 && new Set(olds.map(([, now]) => now)).size > 1))
        return { text: mention };
      let prefix = old[0].slice(0, old[0].length - mention.length);
      while (prefix !== '' && !old[1].startsWith(prefix)) prefix = prefix.replace(/[^/]*\/$/, '');
      const isName = !mention.includes('/') && basename(old[1]) === name;
      return {
        text: isName ? mention : mention.includes('/') ? old[1].slice(prefix.length) : basename(old[1]),
        file: undefined,
        wasOld: true,
      };
    }
    const changes = candidates.filter((f) => moved.has(f));
    if (candidates.length !== 1) {
      if (
        changes.length > 0 &&
        (mention.includes('/') || isPage || changes.some((f) => basename(moved.get(f)) !== name))
      )
        notes.add(`ambiguous mention ${mention}`);
      return { text: mention };
    }
    const [from] = candidates;
    const to = place(from);
    if (from === to) return { text: mention, file: from };
    if (mention.startsWith('../')) return { text: mention, file: from };
    // A name alone stays one, but for pages about the folder that the file lay in: they name files by their paths in it.
    const home = homes.at(-1);
    if (!mention.includes('/') && !(isPage && dirname(from) === home))
      return { text: basename(to), file: from };
    // Without what the mention left out, or as much of it as still holds.
    let prefix = from.slice(0, from.length - mention.length);
    while (prefix !== '' && !to.startsWith(prefix)) prefix = prefix.replace(/[^/]*\/$/, '');
    return { text: to.slice(prefix.length), file: from };
  }

  const notes = new Set();
  const mentions = Object.entries(map.mentions ?? {}).map(([from, to]) => [
    new RegExp(`(?<![\\w/.-])${from.replace(/[.*+?^$()|[\]\\{}]/g, '\\$&')}(?![\\w-])`, 'g'),
    to,
  ]);
  const identifiers = Object.entries(map.identifiers ?? {}).map(([from, to]) => [
    new RegExp(`(?<![\\w$-])${from.replace(/\$/g, '\\$')}(?![\\w$-])`, 'g'),
    to,
  ]);

  const patterns = (map.patterns ?? []).map(({ under, from, to, code, flags: more = 'g' }) => ({
    under,
    from: new RegExp(from, more),
    to,
    code,
  }));

  function inComments(text, now, change) {
    if (now.endsWith('.md')) return change(text);
    if (now.endsWith('.html')) return text;
    return text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*/g, change);
  }

  function rewrite(text, was, now) {
    const isPage = now.endsWith('.md');
    // 1. Relative specifiers.
    let result = text.replace(/(['"`])(\.\.?\/[^'"`\s\\$]*|\.\.?)\1/g, (whole, quote, spec, at) => {
      const context = text.slice(Math.max(0, at - 60), at);
      return quote + specifier(spec, was, now, context) + quote;
    });
    if (isPage)
      result = result.replace(/\]\((\.{0,2}[^)\s:#]+)(#[^)]*)?\)/g, (whole, path, hash = '') => {
        if (path.startsWith('/') || path.startsWith('#')) return whole;
        const to = specifier(path.startsWith('.') ? path : `./${path}`, was, now, '');
        return `](${path.startsWith('.') ? to : to.replace(/^\.\//, '')}${hash})`;
      });
    // 2. Paths from the root.
    const ROOTED = new RegExp(
      `(?<![\\w.-]|\\w/|\\.\\./|\\./)(/?)(${ROOTS}/(?:[\\w.*-]|/|\\{[\\w,.-]*\\})*)`,
      'g',
    );
    result = aligned(result, ROOTED, (whole, slash, path) => {
      const [, body, stop] = /^(.*?)([./]*)$/.exec(path).slice(0, 3);
      const isFolder = stop.startsWith('/');
      return slash + rooted(isFolder ? `${body}/` : body) + (isFolder ? stop.slice(1) : stop);
    });
    // 3. Paths without their root, in comments and pages.
    const NAMED = /(?<![\w/.*-])((?:\.\.\/)?(?:[\w-]+\/)*[\w-][\w.-]*\.(?:ts|wgsl|mjs))(?![\w-])/g;
    const homeOf = pageHome(now);
    result = inComments(result, now, (part) =>
      part
        .split('\n')
        .map((line) => {
          let last; // the file that the line named before, and whether with its folder
          let isWithFolder = false;
          return aligned(
            line,
            new RegExp(`${NAMED.source}|${ROOTED.source}`, 'g'),
            (whole, mention, slash, path) => {
              const rootedPath = path ?? (new RegExp(`^${ROOTS}/`).test(mention) ? mention : undefined);
              if (rootedPath) {
                const old = back.get(rootedPath) ?? rootedPath;
                if (before.file(old)) last = before.file(old);
                isWithFolder = true;
                return whole;
              }
              const lastFolder = last && dirname(last);
              const homes = isPage
                ? [lastFolder, homeOf].filter(Boolean)
                : [dirname(was), was.split('/').slice(0, 2).join('/'), 'src', 'shaders', 'e2e'];
              const found = suffixed(mention, homes, isPage);
              if (!found.file) return found.wasOld ? found.text : whole;
              if (
                isPage &&
                last &&
                !mention.includes('/') &&
                dirname(found.file) === lastFolder &&
                lastFolder !== homeOf
              ) {
                // Named beside the file before it.
                const [to, beside] = [place(found.file), place(last)];
                const text = dirname(to) === dirname(beside) || !isWithFolder ? basename(to) : to;
                last = found.file;
                return text;
              }
              last = found.file;
              isWithFolder = mention.includes('/');
              return found.text;
            },
          );
        })
        .join('\n'),
    );
    for (const [pattern, to] of mentions) result = aligned(result, pattern, () => to);
    if (CODE.test(now) || /\.(md|wgsl|html)$/.test(now))
      for (const [pattern, to] of identifiers) result = aligned(result, pattern, () => to);
    for (const { under, from, to, code } of patterns)
      if (
        [now, ...(isRepair ? earlier.placesBefore(now) : [])].some((path) =>
          under.some((prefix) => path.startsWith(prefix)),
        )
      )
        result = code ? outsideText(result, (part) => part.replace(from, to)) : result.replace(from, to);
    for (const { file, from, to, unless } of map.texts ?? [])
      if (
        !(unless && result.includes(unless)) &&
        (file === now || file === was) &&
        !(to.includes(from) && result.includes(to))
      )
        result = result.split(from).join(to);
    return result;
  }
  return { rewrite, notes };
}

/** Changes what is neither in a comment nor in quotes. */
function outsideText(text, change) {
  return text
    .split(/(\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/)
    .map((part, at) => (at % 2 === 0 ? change(part) : part))
    .join('');
}

/** Replaces; in a line of a drawing, what stands behind the next gap, of spaces or of a line, stays in its column. */
function aligned(text, pattern, change) {
  const edits = [];
  for (const found of text.matchAll(pattern)) {
    const to = change(...found);
    if (to !== found[0]) edits.push({ at: found.index, from: found[0], to });
  }
  let result = text;
  for (const { at, from, to } of edits.reverse()) {
    let behind = result.slice(at + from.length);
    const end = behind.indexOf('\n');
    let line = end < 0 ? behind : behind.slice(0, end);
    const before = result.slice(result.lastIndexOf('\n', at - 1) + 1, at);
    const delta = to.length - from.length;
    const gap = /(─{3,}| {2,}(?=\S))/.exec(line);
    const isDrawing =
      /[│─►▲▼┌└├┐┘┬┴┼]/.test(before + line) || (gap && gap[0].startsWith(' ') && gap.index < 40);
    if (gap && isDrawing && !before.trimStart().startsWith('|')) {
      const char = gap[0][0];
      const width = Math.max(char === ' ' ? 2 : 1, gap[0].length - delta);
      line = line.slice(0, gap.index) + char.repeat(width) + line.slice(gap.index + gap[0].length);
      behind = line + (end < 0 ? '' : behind.slice(end));
    }
    result = result.slice(0, at) + to + behind;
  }
  return result;
}

/** The folder of src/ that a page of docs/architecture is about. */
function pageHome(page) {
  if (!page.startsWith('docs/architecture/')) return page === 'docs/systems.md' ? 'src/rhi' : undefined;
  const name = basename(page, '.md');
  if (existsSync(absolute(`src/${name}`))) return `src/${name}`;
  if (name.startsWith('rhi-')) {
    const part = name.slice(4);
    return (
      {
        capture: 'src/rhi/capture',
        validation: 'src/rhi/validation',
        passes: 'src/rhi/webgpu',
        fuzzing: 'scripts/fuzz',
      }[part] ?? 'src/rhi'
    );
  }
  return { 'content-that-moves': 'src', 'renderers-of-passes': 'src', bench: 'bench', demo: 'demo' }[name];
}

/** Old places, by all maps together. */
class Earlier {
  constructor() {
    this.files = new Map();
    this.folders = new Map();
  }
  #olds = null;
  add(moved, folders) {
    this.#olds = this.#names = null;
    for (const [from, to] of this.files) if (moved.has(to)) this.files.set(from, moved.get(to));
    for (const [from, to] of moved) this.files.set(from, to);
    for (const [from, to] of this.folders) if (folders.has(to)) this.folders.set(from, folders.get(to));
    for (const [from, to] of folders) this.folders.set(from, to);
  }
  #names = null;
  /** Old places of files with this name, and where they are now. */
  named(name) {
    if (this.#names === null) {
      this.#names = new Map();
      for (const old of this.files.keys())
        this.#names.set(basename(old), [
          ...(this.#names.get(basename(old)) ?? []),
          [old, this.find(old)?.[1] ?? old],
        ]);
    }
    return this.#names.get(name) ?? [];
  }
  /** By its own entry, or as a file that is new in a folder which has moved as a whole; from map to map. */
  find(path) {
    for (const each of [path, path.replace(/\.js$/, '.ts'), `${path}.ts`]) {
      let now = each;
      for (let step = 0; step < 8; step++) {
        const entry = this.files.get(now);
        const folder = entry
          ? undefined
          : [...this.folders.keys()].find((from) => now.startsWith(`${from}/`));
        if (entry === undefined && folder === undefined) break;
        now = entry ?? this.folders.get(folder) + now.slice(folder.length);
      }
      if (now !== each) return [each, now];
    }
    return undefined;
  }
  folder(path) {
    return this.folders.get(path);
  }
  placesBefore(now) {
    if (this.#olds === null) {
      this.#olds = new Map();
      for (const [from, to] of this.files) this.#olds.set(to, [...(this.#olds.get(to) ?? []), from]);
    }
    return this.#olds.get(now) ?? [];
  }
}

/** Moves that a map would make if every file were there: for repairs, when the files have long been moved. */
function known(map) {
  const moved = new Map();
  for (const [from, to] of Object.entries(map.moves ?? {})) {
    if (from.endsWith('/')) continue;
    moved.set(from, to);
    if (/\.ts$/.test(from) && !/\.test\.ts$/.test(from))
      for (const ending of [
        '.test.ts',
        '.schedule.test.ts',
        '.test-support.ts',
        '.threads.test.ts',
        '.property.test.ts',
        '.model.test.ts',
      ])
        moved.set(from.replace(/\.ts$/, ending), to.replace(/\.ts$/, ending));
  }
  return moved;
}

function writeAll(texts, changed) {
  for (const path of changed) writeFileSync(absolute(path), texts.get(path));
}

function format(paths) {
  const some = paths.filter(
    (path) => /\.(ts|tsx|mjs|js|json|css|html)$/.test(path) && existsSync(absolute(path)),
  );
  if (flags.has('--no-format') || some.length === 0) return;
  const biome = absolute('node_modules/.bin/biome');
  if (!existsSync(biome)) return console.log('  (no biome: not formatted)');
  for (let at = 0; at < some.length; at += 400) {
    const { status, stdout, stderr } = spawnSync(
      biome,
      ['check', '--write', '--no-errors-on-unmatched', ...some.slice(at, at + 400)],
      { cwd: root, encoding: 'utf8' },
    );
    if (status !== 0) console.log(`  biome: ${(stderr + stdout).split('\n').slice(0, 40).join('\n  ')}`);
  }
}

function apply(map, name, earlier, isRepair) {
  const files = new Set(listFiles());
  const moved = expand(map, files);
  for (const [from, to] of [...moved])
    if (files.has(to) && !moved.has(to)) {
      console.log(`  ! ${from} stays: ${to} exists`);
      moved.delete(from);
    }
  const folders = folderMoves(map, moved);
  const left = isRepair ? [] : leftBehind(map, files, moved);
  const after = new Index(new Set([...files].map((file) => moved.get(file) ?? file)));
  const before = new Index(files);
  earlier.add(new Map([...known(map), ...moved]), folders);
  const { rewrite, notes } = makeRewriter({ before, moved, folders, after, map, earlier, isRepair });
  const texts = new Map();
  const changed = [];
  for (const was of files) {
    if (!TEXT.test(was) || SKIPPED.test(was)) continue;
    const now = moved.get(was) ?? was;
    const text = readFileSync(absolute(was), 'utf8');
    const result = rewrite(text, was, now);
    if (result !== text) {
      texts.set(now, result);
      changed.push(now);
    }
  }
  console.log(`${name}: ${moved.size} files moved, ${changed.length} texts rewritten`);
  for (const path of left) console.log(`  ? not in the map: ${path}`);
  for (const note of notes) console.log(`  ~ ${note}`);
  // Old folders in regular expressions and joined paths, which only a reader can mend.
  for (const from of folders.keys()) {
    const pattern = new RegExp(
      `(?<!\\w)${from.split('/').slice(-2).join('[^\\w\\n]{1,8}')}(?=[^\\w\\n]{1,8}\\w)`,
      'g',
    );
    for (const was of files) {
      if (!TEXT.test(was) || SKIPPED.test(was)) continue;
      const now = moved.get(was) ?? was;
      const text = texts.get(now) ?? readFileSync(absolute(was), 'utf8');
      for (const { index } of text.matchAll(pattern))
        console.log(
          `  ~ ${now}:${text.slice(0, index).split('\n').length} still says ${text.slice(index, index + 60).split('\n')[0]}`,
        );
    }
  }
  const gone = Object.keys(map.moves ?? {}).filter((from) => !from.endsWith('/') && !files.has(from));
  if (flags.has('--audit') && gone.length > 0) console.log(`  missing: ${gone.join(' ')}`);
  if (isDry) return;
  for (const [from, to] of moved) {
    mkdirSync(dirname(absolute(to)), { recursive: true });
    renameSync(absolute(from), absolute(to));
  }
  for (const folder of new Set([...moved.keys()].map((from) => dirname(from)))) removeEmpty(folder);
  writeAll(texts, changed);
  format(changed);
  const touched = [...new Set([...moved.keys(), ...moved.values(), ...changed])];
  if (touched.length === 0) return;
  if (!flags.has('--no-after') && !isRepair)
    for (const command of map.after ?? []) {
      console.log(`  $ ${command}`);
      const { status } = spawnSync('bash', ['-c', command], { cwd: root, stdio: 'ignore' });
      if (status !== 0) console.log(`  ! it ended with ${status}`);
      touched.push(
        ...git('diff', '--name-only', '-z')
          .split('\0')
          .filter((path) => path.endsWith('.md')),
      );
    }
  const tracked = new Set(git('ls-files', '-z').split('\0'));
  const addable = touched.filter((path) => tracked.has(path) || existsSync(absolute(path)));
  execFileSync('git', ['-C', root, 'add', '-A', '--pathspec-from-file=-', '--pathspec-file-nul'], {
    input: addable.join('\0'),
  });
  if (flags.has('--commit')) {
    const message = `${map.subject}\n\n${map.body}\n`;
    execFileSync('git', ['-C', root, 'commit', '-q', '-F', '-'], { input: message });
  }
}

function removeEmpty(folder) {
  for (let d = folder; d !== '.' && existsSync(absolute(d)); d = dirname(d)) {
    if (readdirSync(absolute(d)).length > 0) return;
    rmdirSync(absolute(d));
  }
}

/** Relative specifiers of code and named files of comments and pages that lead nowhere. */
function lost() {
  const index = new Index(new Set(listFiles()));
  const messages = [];
  for (const file of index.files) {
    if (!TEXT.test(file) || SKIPPED.test(file)) continue;
    const text = readFileSync(absolute(file), 'utf8');
    if (CODE.test(file))
      for (const { 2: spec, index: at } of text.matchAll(
        /(?:from\s|import\s|import\(\s*|new URL\(\s*|vi\.(?:do)?[mM]ock\(\s*)(['"`])(\.\.?\/[^'"`\s\\$]*)\1/g,
      )) {
        const target = normalize(join(dirname(file), spec.replace(/[?#].*$/, '')));
        if (!index.file(target) && !index.isFolder(target) && !existsSync(absolute(target)))
          messages.push(`${file}:${text.slice(0, at).split('\n').length}: ${spec}`);
      }
    const comments = file.endsWith('.md')
      ? text
      : (text.match(/\/\*[\s\S]*?\*\/|(?<![:'"`\w])\/\/[^\n]*/g) ?? []).join('\n');
    for (const [mention] of comments.matchAll(
      /(?<![\w/.*-])(?:[\w-]+\/)*[\w-][\w.-]*\.(?:ts|wgsl|mjs)(?![\w-])/g,
    )) {
      const some = index.byName.get(basename(mention)) ?? [];
      if (!some.some((f) => f === mention || f.endsWith(`/${mention}`)))
        messages.push(`${file}: mentions ${mention}`);
    }
    for (const [mention] of comments.matchAll(
      new RegExp(`(?<![\\w.-]|\\w/|\\.\\./|\\./)${ROOTS}/[\\w/-]+(?![\\w.*{-])`, 'g'),
    ))
      if (!index.isFolder(mention) && !index.file(mention.replace(/\/$/, '')))
        messages.push(`${file}: mentions ${mention}`);
  }
  return messages;
}

if (flags.has('--lost')) {
  const messages = lost();
  for (const message of messages) console.log(message);
  console.log(`${messages.length} lost`);
} else {
  const earlier = new Earlier();
  const maps = mapFiles.map((file) => [basename(file), JSON.parse(readFileSync(file, 'utf8'))]);
  if (flags.has('--repair')) {
    // All maps at once: texts that were merged in name the oldest places.
    for (const [, map] of maps) earlier.add(known(map), folderMoves(map));
    const all = (key) => maps.flatMap(([, map]) => map[key] ?? []);
    const folders = maps.flatMap(([, map]) =>
      Object.entries(map.moves ?? {}).filter(([from]) => from.endsWith('/')),
    );
    const moves = {
      ...Object.fromEntries(folders),
      ...Object.fromEntries([...earlier.files.keys()].map((from) => [from, earlier.find(from)?.[1] ?? from])),
    };
    const merged = {
      moves,
      mentions: Object.assign({}, ...all('mentions')),
      identifiers: Object.assign({}, ...all('identifiers')),
      patterns: all('patterns'),
      texts: all('texts'),
    };
    apply(merged, 'repair', earlier, true);
  } else for (const [name, map] of maps) apply(map, name, earlier, false);
}
