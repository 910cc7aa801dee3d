// oracle.mjs: what others make of a TypeScript file: typescript's transpileModule and amaro (swc). And acorn, which reads
// the JavaScript that comes out.
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(path.resolve(import.meta.dirname, '../../build/npm/anything.js'));
export const ts = require('./typescript-5.8');
export const amaro = require('./amaro');
const acorn = require('./acorn');

// A declaration file may export what it only declares; that is an error at run time, and not one of the eraser's.
// So is a constant that it does not initialise.
const Parser = acorn.Parser.extend(
  (Base) =>
    class extends Base {
      checkLocalExport() {}
      parseVar(node, isFor, kind) {
        return super.parseVar(node, isFor, kind, true);
      }
    },
);
export const parse = (code) =>
  Parser.parse(code, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowHashBang: true,
    locations: true,
    allowReturnOutsideFunction: true,
    allowSuperOutsideMethod: true,
    allowNewTargetOutsideFunction: true,
  });

// Functions and classes of SOURCE that leave something at run time, as 'line:column name' of their names, in order.
function namesOf(source) {
  const names = [];
  const isDeclared = (node) => node.modifiers?.some((m) => m.kind === ts.SyntaxKind.DeclareKeyword || m.kind === ts.SyntaxKind.AbstractKeyword);
  const add = (name) => {
    const at = source.getLineAndCharacterOfPosition(name.getStart(source));
    names.push(`${at.line + 1}:${at.character + 1} ${ts.unescapeLeadingUnderscores(name.escapedText)}`);
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) && !ts.isExpressionWithTypeArguments(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    const isClass = ts.isClassLike(node), isFunction = ts.isFunctionLike(node);
    if (isDeclared(node) && !(isClass && !node.modifiers.some((m) => m.kind === ts.SyntaxKind.DeclareKeyword))) return;
    if (isFunction && !node.body) return;
    if ((isClass || isFunction) && node.name && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name))) add(node.name);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

// Returns { code, errors, names }.
export function transpile(source, file, options = {}) {
  let names;
  const result = ts.transpileModule(source, {
    // transpileModule takes a declaration file for one without output: its text is what counts here.
    fileName: 'erase' + /\.[cm]?tsx?$/.exec(file)[0],
    reportDiagnostics: true,
    compilerOptions: {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.Preserve,
      isolatedModules: true,
      removeComments: true,
      alwaysStrict: false,
      useDefineForClassFields: true,
      jsx: ts.JsxEmit.ReactJSX,
      ...options,
    },
    transformers: { before: [() => (sourceFile) => ((names = namesOf(sourceFile)), sourceFile)] },
  });
  const errors = result.diagnostics.filter((d) => d.category === ts.DiagnosticCategory.Error);
  return { code: result.outputText, errors: errors.map((d) => ts.flattenDiagnosticMessageText(d.messageText, ' ')), names };
}

// Returns { code } or { refused: why }: strip-only takes nothing that has to be rewritten, and no JSX.
export function strip(source) {
  try {
    return { code: amaro.transformSync(source, { mode: 'strip-only' }).code };
  } catch (error) {
    return { refused: String(error.message ?? error) };
  }
}
