// DiskFileSystem.glob: the paths that a pattern such as 'src/**/*.{js,ts}' means.
//
// All alternatives of the pattern are walked at once: each directory is read at most once, with the places in the
// pattern that its entries may match next. So no path comes twice, either.
'use strict';

const {
  ArrayPrototypeIncludes, ArrayPrototypePop, ArrayPrototypePush, ArrayPrototypeSlice, ArrayPrototypeSort, RangeError,
  RegExp, RegExpPrototypeExec, StringFromCodePoint, StringPrototypeCodePointAt, StringPrototypeEndsWith,
  StringPrototypeSlice, StringPrototypeSplit, StringPrototypeStartsWith,
} = internal.primordials;

const MAX_ALTERNATIVES = 10000;
const DT_DIR = 4;
const DT_LNK = 10;

// --- patterns --------------------------------------------------------------------------------------------------------

// closingBrace(text, start): where the brace that opens at start closes, and its commas; undefined if it is no group.
function closingBrace(text, start) {
  const commas = [];
  for (let i = start + 1, depth = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '{') depth++;
    else if (text[i] === ',' && depth === 0) ArrayPrototypePush(commas, i);
    else if (text[i] === '}' && depth-- === 0) return commas.length > 0 ? { end: i, commas } : undefined;
  }
  return undefined;
}

// alternatives(pattern): the patterns without groups that it stands for.
function alternatives(pattern) {
  const done = [];
  const waiting = [{ text: pattern, from: 0 }];
  while (waiting.length > 0) {
    const { text, from } = ArrayPrototypePop(waiting);
    let start = from;
    let group;
    for (; start < text.length && group === undefined; start++) {
      if (text[start] === '\\') start++;
      else if (text[start] === '{') group = closingBrace(text, start);
    }
    if (group === undefined) {
      ArrayPrototypePush(done, text);
    } else {
      const before = StringPrototypeSlice(text, 0, start - 1);
      const ends = group.commas;
      ArrayPrototypePush(ends, group.end);
      for (let i = ends.length - 1; i >= 0; i--) {
        const begin = i === 0 ? start : ends[i - 1] + 1;
        const inner = StringPrototypeSlice(text, begin, ends[i]);
        ArrayPrototypePush(waiting, { text: before + inner + StringPrototypeSlice(text, group.end + 1), from: start - 1 });
      }
    }
    if (done.length + waiting.length > MAX_ALTERNATIVES) {
      throw new RangeError(`glob: the pattern stands for more than ${MAX_ALTERNATIVES} patterns`);
    }
  }
  return done;
}

const STAR = { accepts: () => false };
const ANY = { accepts: () => true };

// charactersOf(text): its code points, as strings.
function charactersOf(text) {
  const characters = [];
  for (let i = 0; i < text.length;) {
    const character = StringFromCodePoint(StringPrototypeCodePointAt(text, i));
    ArrayPrototypePush(characters, character);
    i += character.length;
  }
  return characters;
}

const escaped = (character) => RegExpPrototypeExec(/[\\\]^-]/, character) ? `\\${character}` : character;

// bracket(text, start): what the class that opens at start accepts, and its end; undefined if it is none. TEXT is a list
// of characters.
function bracket(text, start) {
  let i = start + 1;
  const isNegated = text[i] === '!' || text[i] === '^';
  if (isNegated) i++;
  let source = '';
  for (const first = i; i < text.length && (text[i] !== ']' || i === first); i++) {
    if (text[i] === '-' && i > first && i + 1 < text.length && text[i + 1] !== ']') source += '-';
    else source += escaped(text[i] === '\\' && i + 1 < text.length ? text[++i] : text[i]);
  }
  if (i >= text.length) return undefined;
  let expression;
  try {
    expression = new RegExp(`[${isNegated ? '^' : ''}${source}]`, 'u');
  } catch {
    throw new RangeError(`glob: [${source}] has a range that is the wrong way round`);
  }
  return { accepts: (character) => RegExpPrototypeExec(expression, character) !== null, end: i };
}

// segmentOf(text): what a part of a pattern between slashes matches: any number of directories, a name, or tokens.
function segmentOf(text) {
  if (text === '**') return { isDeep: true };
  const characters = charactersOf(text);
  const tokens = [];
  let name = '';
  for (let i = 0; i < characters.length; i++) {
    const group = characters[i] === '[' ? bracket(characters, i) : undefined;
    if (group !== undefined) {
      ArrayPrototypePush(tokens, group);
      i = group.end;
    } else if (characters[i] === '*' || characters[i] === '?') {
      ArrayPrototypePush(tokens, characters[i] === '*' ? STAR : ANY);
    } else {
      if (characters[i] === '\\' && i + 1 < characters.length) i++;
      const own = characters[i];
      name += own;
      ArrayPrototypePush(tokens, { accepts: (character) => character === own, own });
    }
  }
  for (let i = 0; i < tokens.length; i++) if (tokens[i].own === undefined) return { tokens };
  return { name };
}

// fits(tokens, text): the last star takes more when what follows it doesn't fit; earlier ones need not, so that this
// takes at most tokens x text steps.
function fits(tokens, text) {
  const characters = charactersOf(text);
  let token = 0;
  let star = -1;
  let taken = 0;
  for (let at = 0; at < characters.length;) {
    if (tokens[token] === STAR) {
      star = token++;
      taken = at;
    } else if (token < tokens.length && tokens[token].accepts(characters[at])) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++taken;
    } else {
      return false;
    }
  }
  while (tokens[token] === STAR) token++;
  return token === tokens.length;
}

// parse(pattern): { isAbsolute, isDirectory, segments }
function parse(pattern) {
  const parts = StringPrototypeSplit(pattern, '/');
  const segments = [];
  for (let i = 0; i < parts.length; i++) {
    const isRepeated = parts[i] === '**' && segments[segments.length - 1]?.isDeep;
    if (parts[i] !== '' && parts[i] !== '.' && !isRepeated) ArrayPrototypePush(segments, segmentOf(parts[i]));
  }
  return {
    isAbsolute: StringPrototypeStartsWith(pattern, '/'),
    isDirectory: StringPrototypeEndsWith(pattern, '/'),
    segments,
  };
}

// --- the walk --------------------------------------------------------------------------------------------------------

// A place in a pattern: what the entries of a directory are compared with next.
const place = (pattern, index) => ({ pattern, index, segment: pattern.segments[index] });

// withDeep(places): '**' stands for no directory at all, too.
function withDeep(places) {
  const all = ArrayPrototypeSlice(places);
  for (let i = 0; i < all.length; i++) {
    const { pattern, index, segment } = all[i];
    if (segment.isDeep && index + 1 < pattern.segments.length) ArrayPrototypePush(all, place(pattern, index + 1));
  }
  return all;
}

function matches(segment, name, options) {
  if (segment.name !== undefined) return segment.name === name;
  if (name[0] === '.' && !options.dot && (segment.isDeep || segment.tokens[0].own !== '.')) return false;
  return segment.isDeep || fits(segment.tokens, name);
}

// step(places, name, isRealDirectory, options): where it goes on below that name, and whether the name is itself meant;
// `asDirectory`: only if it is a directory.
function step(places, name, isRealDirectory, options) {
  const next = [];
  let isMeant = false;
  let asDirectory = false;
  for (let i = 0; i < places.length; i++) {
    const { pattern, index, segment } = places[i];
    if (!matches(segment, name, options)) continue;
    const isLast = index + 1 === pattern.segments.length;
    if (isLast && pattern.isDirectory) asDirectory = true;
    else if (isLast) isMeant = true;
    if (segment.isDeep && isRealDirectory) ArrayPrototypePush(next, places[i]);
    if (!isLast && !segment.isDeep) ArrayPrototypePush(next, place(pattern, index + 1));
  }
  return { next, isMeant, asDirectory };
}

const hasGone = ({ code }) => code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG';

// entriesOf(system, directory, places, signal): [name, type, ...] of those that may match, by name. A directory is only
// read if there is something to be looked for; names are asked for.
async function entriesOf(system, directory, places, signal) {
  const entries = [];
  let isListed = false;
  for (let i = 0; i < places.length; i++) isListed ||= places[i].segment.name === undefined;
  const names = [];
  for (let i = 0; i < places.length; i++) {
    const { name } = places[i].segment;
    if (name === undefined || (isListed && name !== '..') || ArrayPrototypeIncludes(names, name)) continue;
    ArrayPrototypePush(names, name);
    const type = await system.typeOf(directory + name, false, signal);
    if (type !== undefined) ArrayPrototypePush(entries, { name, type });
  }
  if (isListed) {
    const list = await system.list(directory === '' ? '.' : directory, signal);
    for (let i = 0; i < list.length; i += 2) ArrayPrototypePush(entries, { name: list[i + 1], type: list[i] });
  }
  return ArrayPrototypeSort(entries, (a, b) => a.name < b.name ? -1 : 1);
}

// enter(system, directory, shown, places, signal): a directory to go through. DIRECTORY: its path, with a slash at its end
// unless it is empty; SHOWN: the same as it is told. undefined: it isn't there any more.
async function enter(system, directory, shown, places, signal) {
  const all = withDeep(places);
  try {
    return { directory, shown, places: all, entries: await entriesOf(system, directory, all, signal), at: 0 };
  } catch (error) {
    if (hasGone(error)) return undefined;
    throw error;
  }
}

// mayLead(system, directory, entry, signal): is it a directory, or a link to one?
const mayLead = async (system, directory, { name, type }, signal) =>
  type === DT_DIR || (type === DT_LNK && await system.typeOf(directory + name, true, signal) === DT_DIR);

// globFiles(system, pattern, options): SYSTEM is what js/file.js lends; the options are checked.
internal.globFiles = async function* (system, pattern, options) {
  const relative = [];
  const absolute = [];
  const texts = alternatives(pattern);
  for (let i = 0; i < texts.length; i++) {
    const parsed = parse(texts[i]);
    if (parsed.segments.length > 0) ArrayPrototypePush(parsed.isAbsolute ? absolute : relative, place(parsed, 0));
  }
  const { cwd, signal } = options;
  const start = cwd === '' || StringPrototypeEndsWith(cwd, '/') ? cwd : `${cwd}/`;
  const open = []; // directories, each within the one before
  if (absolute.length > 0) ArrayPrototypePush(open, await enter(system, '/', '/', absolute, signal));
  if (relative.length > 0) ArrayPrototypePush(open, await enter(system, start, '', relative, signal));
  while (open.length > 0) {
    const current = open[open.length - 1];
    if (current === undefined || current.at === current.entries.length) {
      ArrayPrototypePop(open);
      continue;
    }
    const { directory, shown, places, entries } = current;
    const entry = entries[current.at++];
    const { next, isMeant, asDirectory } = step(places, entry.name, entry.type === DT_DIR, options);
    if (isMeant) yield shown + entry.name;
    if (!(asDirectory || next.length > 0) || !await mayLead(system, directory, entry, signal)) continue;
    if (asDirectory) yield `${shown}${entry.name}/`;
    if (next.length === 0) continue;
    ArrayPrototypePush(open, await enter(system, `${directory}${entry.name}/`, `${shown}${entry.name}/`, next, signal));
  }
};
