// The names that the package's main entry exports, values and types alike, with the first sentence of their doc
// comments.
import { join } from 'node:path';
import ts from 'typescript';
import { projectRoot } from './install.mjs';

/** @type {{ name: string, text: string }[] | undefined} */
let names;

/** Returns the names, sorted. @returns {{ name: string, text: string }[]} */
export function publicNames() {
  names ??= readNames('src/index.ts');
  return names;
}

function readNames(entry) {
  const file = join(projectRoot, entry);
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    skipLibCheck: true,
    lib: ['lib.es5.d.ts'],
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${entry} exports nothing.`);
  return checker
    .getExportsOfModule(module)
    .map((symbol) => {
      const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return { name: symbol.name, text: textOf(declared, checker) };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function textOf(symbol, checker) {
  const documentation = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const [sentence = ''] = documentation.replaceAll(/\s+/g, ' ').match(/^.*?[.:;](?= |$)|^.+$/) ?? [];
  return sentence.replace(/[:;]$/, '.').replaceAll('|', '\\|') || membersOf(symbol, checker);
}

/**
 * Returns the description of a name that has no sentence of its own: its members except inherited members, or its kind.
 */
function membersOf(symbol, checker) {
  const declaration = symbol.declarations?.[0];
  if (declaration && ts.isTypeAliasDeclaration(declaration)) {
    const rows = rowsOf(declaration.type, checker);
    if (rows || ts.isMappedTypeNode(declaration.type))
      return namesOf(rows?.length ? rows : checker.getTypeAtLocation(declaration).getProperties());
    const text = declaration.type.getText().replaceAll(/\s+/g, ' ').replace(/^\| /, '');
    return text.length < 100 ? `\`${text.replaceAll('|', '\\|')}\`` : '';
  }
  const members = [...(symbol.members?.values() ?? []), ...derivedMembers(declaration, checker)]
    .filter((member) => /^[a-z]\w*$/.test(member.name))
    .filter((member) => !member.getJsDocTags(checker).some(({ name }) => name === 'internal'));
  return namesOf(members);
}

/** Returns members of base types without a name of their own: mapped types, classes that functions make. */
function derivedMembers(declaration, checker) {
  const clauses = (declaration && 'heritageClauses' in declaration && declaration.heritageClauses) || [];
  return clauses
    .filter(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
    .flatMap(({ types }) => types)
    .filter((type) => !isNamed(checker.getTypeAtLocation(type)))
    .flatMap((type) => checker.getPropertiesOfType(checker.getTypeAtLocation(type)));
}

const isNamed = (type) => (type.symbol?.flags ?? 0) & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface);

/** Returns the rows of the table in `Shaped<typeof TABLE>`, without those of other tables. */
function rowsOf(type, checker) {
  if (!ts.isTypeReferenceNode(type) || type.typeName.getText() !== 'Shaped') return undefined;
  const table = checker.getSymbolAtLocation(type.typeArguments[0].exprName)?.valueDeclaration?.initializer;
  const isRow = (property) => property.name !== undefined;
  return table?.properties?.filter(isRow).map((property) => ({ name: property.name.getText() })) ?? [];
}

/** Returns the names of members, each once, because an interface may repeat a member of its base type. */
const namesOf = (members) => [...new Set(members.map(({ name }) => `\`${name}\``))].join(', ');

/** Returns the table of docs/guide/names.md. */
export function namesTable() {
  const rows = publicNames().map(({ name, text }) => `| \`${name}\` | ${text} |`);
  return ['| name | |', '| --- | --- |', ...rows].join('\n');
}
