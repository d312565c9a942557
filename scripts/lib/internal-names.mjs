// Which names of properties may be shortened in dist/: those that only our own code ever says. Found by the compiler,
// so that nobody keeps a list; a name is kept as soon as one reason speaks for it:
//
//   a user says it          what the types reach that the public entries export, and errors
//   the platform says it    declared in any .d.ts (DOM, WebGPU, packages), or said by a package that we bundle
//   a text says it          equal to a word of a string: `in`, quoted keys, lookups, lists of names
//   it is data              the types that JSON, Object.keys, Object.entries, for…in and [key] take
//
// The names of the RHI's descriptors are data: command lists carry them as JSON, and captures keep those.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from './install.mjs';

/** Functions that take objects of any type as data. What is passed to them is kept, with all that it holds. */
const DATA_FUNCTIONS = new Set([
  'stringify',
  'encodeJson',
  'jsonAt',
  'descriptorAt',
  'defineRecordTable',
  'defineGpuStruct',
]);
/** Those that see an object's own keys. */
const KEY_FUNCTIONS = new Set(['keys', 'entries', 'getOwnPropertyNames', 'ownKeys', 'fromEntries']);
/** Files whose declarations are data, because they are passed on as `object` or `unknown`. */
const DATA_FILES = ['src/rhi/commands/descriptors.ts', 'src/rhi/capture/capture-file.ts'];

const isWord = (text) => /^[A-Za-z_$][\w$]*$/.test(text);

/**
 * @param {{ entries: string[], publicEntries: string[], ambient?: string[], packageFiles?: string[] }} files
 *   `packageFiles`: JavaScript of packages that is bundled; all paths are relative to the project
 * @returns {{ names: string[], kept: Map<string, string> }} what may be shortened, most used first, and what not,
 *   with a reason
 */
export function findInternalNames({ entries, publicEntries, ambient = [], packageFiles = [] }) {
  const { config } = ts.readConfigFile(join(projectRoot, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, projectRoot);
  options.types = options.types.filter((name) => name !== 'node'); // browsers have none of its names
  options.typeRoots = [join(projectRoot, 'node_modules'), join(projectRoot, 'node_modules/@types')];
  const at = (file) => join(projectRoot, file);
  const program = ts.createProgram([...new Set([...entries, ...publicEntries, ...ambient])].map(at), options);
  const checker = program.getTypeChecker();
  const files = program.getSourceFiles();
  const isOurs = (file) => !file.isDeclarationFile && file.fileName.startsWith(join(projectRoot, 'src/'));

  const kept = new Map();
  const keep = (name, reason) => kept.has(name) || kept.set(name, reason);

  const seen = new Set();
  const seenShallow = new Set(); // a type may hold itself
  /** Keeps the properties of a type and of all that it holds, takes or gives. */
  const keepType = (type, reason, isDeep = true) => {
    const known = isDeep ? seen : seenShallow;
    if (known.has(type)) return;
    known.add(type);
    if (type.isUnionOrIntersection()) for (const each of type.types) keepType(each, reason, isDeep);
    for (const each of [...(type.aliasTypeArguments ?? []), ...typeArguments(type)])
      keepType(each, reason, isDeep);
    if (type.isTypeParameter()) {
      const constraint = checker.getBaseConstraintOfType(type);
      if (constraint && constraint !== type) keepType(constraint, reason, isDeep);
    }
    if (!(type.flags & ts.TypeFlags.Object)) return;
    if (type.isClassOrInterface())
      for (const each of checker.getBaseTypes(type)) keepType(each, reason, isDeep);
    for (const symbol of checker.getPropertiesOfType(type)) {
      if (!isOursSymbol(symbol) || isHidden(symbol)) continue;
      keep(symbol.name, reason);
      if (isDeep) keepType(checker.getTypeOfSymbol(symbol), reason);
    }
    if (!isDeep) return;
    for (const { type: each } of checker.getIndexInfosOfType(type)) keepType(each, reason);
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      if (signature.declaration && isHiddenNode(signature.declaration)) continue;
      for (const parameter of signature.parameters) keepType(checker.getTypeOfSymbol(parameter), reason);
      keepType(signature.getReturnType(), reason);
    }
  };
  const typeArguments = (type) =>
    type.objectFlags & ts.ObjectFlags.Reference ? checker.getTypeArguments(type) : [];
  const isOursSymbol = (symbol) =>
    !symbol.declarations || symbol.declarations.some((each) => isOurs(each.getSourceFile()));

  for (const entry of publicEntries) keepExports(at(entry), `exported by ${entry}`);
  for (const file of DATA_FILES) keepExports(at(file), `data of ${file}`);
  function keepExports(path, reason) {
    const file = program.getSourceFile(path);
    if (!file) throw new Error(`${path} is not in the program, so its names can't be kept.`);
    for (const symbol of checker.getExportsOfModule(checker.getSymbolAtLocation(file))) {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const { flags } = target;
      if (flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias))
        keepType(checker.getDeclaredTypeOfSymbol(target), reason);
      if (flags & ts.SymbolFlags.Value) keepType(checker.getTypeOfSymbol(target), reason);
    }
  }

  const declared = new Set();
  for (const file of files) {
    if (isOurs(file) && !file.fileName.includes('/src/testing/')) visit(file);
    else keepAll(file, file.fileName);
  }
  for (const path of readdirSync(at('shaders'))) {
    // Overrides of a pipeline and members of structures have their names in both languages.
    for (const [word] of readFileSync(at(`shaders/${path}`), 'utf8').matchAll(/[A-Za-z_]\w*/g))
      keep(word, path);
  }
  for (const path of packageFiles) {
    const source = readFileSync(at(path), 'utf8');
    for (const [word] of source.matchAll(/[A-Za-z_$][\w$]*/g)) keep(word, `said by ${path}`);
  }

  function visit(node) {
    if (isMember(node) && node.name && ts.isIdentifier(node.name)) declared.add(node.name.text);
    if (ts.isParameter(node) && ts.isParameterPropertyDeclaration(node, node.parent))
      declared.add(node.name.text);
    if (
      ts.isStringLiteralLike(node) ||
      node.kind === ts.SyntaxKind.TemplateHead ||
      ts.isTemplateMiddleOrTemplateTail(node)
    ) {
      const words = node.text.trim().split(/\s+/);
      if (words.every(isWord)) for (const word of words) keep(word, 'a word of a string');
    }
    if (ts.isEnumDeclaration(node))
      for (const { name } of node.members) keep(name.text, 'a member of an enum');
    if (ts.isClassLike(node) && isError(node)) keepType(checker.getTypeAtLocation(node), 'of an error');
    if (ts.isCallExpression(node)) {
      const name = calledName(node.expression);
      const isData = DATA_FUNCTIONS.has(name);
      if (isData || KEY_FUNCTIONS.has(name)) {
        for (const each of node.arguments)
          keepType(checker.getTypeAtLocation(each), `data of ${name}`, isData);
        for (const each of node.typeArguments ?? [])
          keepType(checker.getTypeFromTypeNode(each), `data of ${name}`, isData);
      }
      if (name === 'parse') keepType(checker.getTypeAtLocation(outermost(node)), 'data of parse');
    }
    if (ts.isModuleDeclaration(node)) return keepAll(node, 'declared, not written');
    if (ts.isAsExpression(node)) keepAsserted(node.expression, node.type);
    if (ts.isVariableDeclaration(node) && node.type && node.initializer)
      keepAsserted(node.initializer, node.type);
    if (ts.isExpression(node)) keepUntyped(node);
    if (ts.isForInStatement(node)) keepType(checker.getTypeAtLocation(node.expression), 'for … in', false);
    if (ts.isElementAccessExpression(node)) {
      const key = checker.getTypeAtLocation(node.argumentExpression);
      if (!isNumeric(key)) keepType(checker.getTypeAtLocation(node.expression), '[key]', false);
    }
    if (ts.isComputedPropertyName(node)) {
      const { parent } = node;
      if (
        !isNumeric(checker.getTypeAtLocation(node.expression)) &&
        ts.isObjectLiteralExpression(parent.parent)
      ) {
        const expected = checker.getContextualType(parent.parent);
        if (expected) keepType(expected, '[key]:', false);
      }
    }
    if (ts.isMappedTypeNode(node)) return; // its names come from another type
    ts.forEachChild(node, visit);
  }

  /** What is given where anything is taken, or anything by name, leaves our sight. */
  function keepUntyped(node) {
    if (!isGiven(node)) return;
    const expected = checker.getContextualType(node);
    if (!expected || !(isUntyped(expected) || checker.getIndexInfoOfType(expected, ts.IndexKind.String)))
      return;
    keepType(checker.getTypeAtLocation(node), 'given as anything');
  }

  /** As an argument, a value of a property or a variable, or a result. */
  function isGiven({ parent }) {
    return (
      ts.isCallOrNewExpression(parent) ||
      ts.isPropertyAssignment(parent) ||
      ts.isVariableDeclaration(parent) ||
      ts.isReturnStatement(parent) ||
      ts.isArrowFunction(parent) ||
      ts.isBinaryExpression(parent) ||
      ts.isArrayLiteralExpression(parent)
    );
  }

  function isUntyped(type) {
    const { Any, Unknown, NonPrimitive } = ts.TypeFlags;
    if (type.isUnion()) return type.types.some(isUntyped);
    return Boolean(type.flags & (Any | Unknown | NonPrimitive));
  }

  /** A type of ours for what came as anything, or for an object of the platform. */
  function keepAsserted(expression, typeNode) {
    let said = expression; // in `a as unknown as T` that is `a`
    while (ts.isAsExpression(said) || ts.isParenthesizedExpression(said)) said = said.expression;
    const given = checker.getNonNullableType(checker.getTypeAtLocation(said));
    const type = checker.getNonNullableType(checker.getTypeFromTypeNode(typeNode));
    const declarations = given.symbol?.declarations ?? [];
    const isPlatform = declarations.length > 0 && !declarations.some((each) => isOurs(each.getSourceFile()));
    if (isUntyped(given) || (isPlatform && given.symbol !== type.symbol)) keepType(type, 'said of anything');
  }

  /** `JSON.parse(text) as T` is of the type T. */
  function outermost(node) {
    let result = node;
    while (ts.isAsExpression(result.parent) || ts.isParenthesizedExpression(result.parent))
      result = result.parent;
    return result;
  }

  function isNumeric(type) {
    if (type.isUnion()) return type.types.every(isNumeric);
    return Boolean(type.flags & (ts.TypeFlags.NumberLike | ts.TypeFlags.ESSymbolLike));
  }

  function isError(node) {
    for (let type = checker.getTypeAtLocation(node); type; type = checker.getBaseTypes(type)[0]) {
      if (type.symbol?.name === 'Error') return true;
      if (!type.isClassOrInterface()) return false;
    }
    return false;
  }

  function keepAll(file, reason) {
    (function walk(node) {
      if (node.name && ts.isIdentifier(node.name)) keep(node.name.text, reason);
      if (ts.isPropertyAccessExpression(node)) keep(node.name.text, reason);
      if (ts.isStringLiteralLike(node) && isWord(node.text)) keep(node.text, reason);
      ts.forEachChild(node, walk);
    })(file);
  }

  const names = [...declared].filter((name) => !kept.has(name));
  const uses = new Map(names.map((name) => [name, 0]));
  for (const file of files.filter(isOurs)) {
    for (const [word] of file.text.matchAll(/\w+/g)) if (uses.has(word)) uses.set(word, uses.get(word) + 1);
  }
  names.sort((a, b) => uses.get(b) - uses.get(a) || (a < b ? -1 : 1));
  return { names, kept };
}

/** The letters in the order in which terser gives them to variables, so that equal texts come more often. */
const LETTERS = [...'tesirnhaolucdfpmgwbvyxkSAFPTBMCzEIODLUGRjNVWHqJYXQKZ'];

/**
 * A short name for every internal one, the shortest for those used most; none that anybody uses already.
 *
 * @param {{ names: string[], kept: Map<string, string> }} found by `findInternalNames`
 * @returns {Record<string, string>}
 */
export function shortNames({ names, kept }) {
  const taken = new Set([...names, ...kept.keys(), ...WORDS_OF_THE_LANGUAGE]);
  const free = [...LETTERS, ...LETTERS.flatMap((second) => LETTERS.map((first) => first + second))].filter(
    (name) => !taken.has(name),
  );
  if (free.length < names.length)
    throw new Error(`${names.length} internal names are more than there are short ones.`);
  return Object.fromEntries(names.map((name, index) => [name, free[index]]));
}

const WORDS_OF_THE_LANGUAGE = ['as', 'by', 'do', 'go', 'if', 'in', 'is', 'it', 'of', 'on', 'to'];

const isMember = (node) =>
  ts.isPropertyDeclaration(node) ||
  ts.isPropertySignature(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isMethodSignature(node) ||
  ts.isAccessor(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isShorthandPropertyAssignment(node);

function calledName(expression) {
  if (ts.isIdentifier(expression)) return expression.text;
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : undefined;
}

const isHidden = (symbol) => (symbol.declarations ?? []).some(isHiddenNode);

/** `private`, or left out of the declarations. */
function isHiddenNode(node) {
  return (
    Boolean(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) ||
    ts.getJSDocTags(node).some((tag) => tag.tagName.text === 'internal')
  );
}
