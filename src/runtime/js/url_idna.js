// Domain names to ASCII: Unicode's compatibility processing for IDNA (UTS 46, non-transitional, without length checks),
// Punycode.
//
// There is no table of UTS 46 here: the mapping is derived from Unicode normalization, case folding and the properties
// that regular expressions know. It differs from the table only for few characters that are not in any domain name.
'use strict';

const {
  ArrayPrototypeJoin, ArrayPrototypePush, ArrayPrototypeSplice, MathFloor, RegExp, RegExpPrototypeExec,
  StringFromCharCode, StringFromCodePoint, StringPrototypeCharCodeAt, StringPrototypeCodePointAt,
  StringPrototypeIncludes, StringPrototypeLastIndexOf, StringPrototypeNormalize, StringPrototypeReplaceAll,
  StringPrototypeSlice, StringPrototypeSplit, StringPrototypeStartsWith, StringPrototypeToLowerCase,
  StringPrototypeToUpperCase,
} = internal.primordials;

// --- Punycode (RFC 3492) ---------------------------------------------------------------------------------------------

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 128;

function adapt(delta, count, isFirst) {
  delta = isFirst ? MathFloor(delta / DAMP) : delta >> 1;
  delta += MathFloor(delta / count);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) delta = MathFloor(delta / (BASE - T_MIN));
  return k + MathFloor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}

const threshold = (k, bias) => (k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias);

const digit = (value) => StringFromCharCode(value < 26 ? value + 97 : value + 22);

function codePointsOf(text) {
  const points = [];
  for (let i = 0; i < text.length; i++) {
    const point = StringPrototypeCodePointAt(text, i);
    if (point > 0xffff) i++;
    ArrayPrototypePush(points, point);
  }
  return points;
}

function encodeDelta(delta, bias) {
  let text = '';
  for (let k = BASE; ; k += BASE) {
    const t = threshold(k, bias);
    if (delta < t) return text + digit(delta);
    text += digit(t + ((delta - t) % (BASE - t)));
    delta = MathFloor((delta - t) / (BASE - t));
  }
}

function punycodeEncode(label) {
  const points = codePointsOf(label);
  let output = '';
  for (let i = 0; i < points.length; i++) {
    if (points[i] < 128) output += StringFromCharCode(points[i]);
  }
  const basicCount = output.length;
  let handled = basicCount;
  if (basicCount > 0) output += '-';
  let delta = 0;
  let bias = INITIAL_BIAS;
  for (let n = INITIAL_N; handled < points.length; n++) {
    let next = 0x7fffffff;
    for (let i = 0; i < points.length; i++) {
      if (points[i] >= n && points[i] < next) next = points[i];
    }
    delta += (next - n) * (handled + 1);
    n = next;
    for (let i = 0; i < points.length; i++) {
      if (points[i] < n) delta++;
      if (points[i] !== n) continue;
      output += encodeDelta(delta, bias);
      bias = adapt(delta, handled + 1, handled === basicCount);
      delta = 0;
      handled++;
    }
    delta++;
  }
  return output;
}

function digitValue(code) {
  if (code >= 48 && code <= 57) return code - 22;
  const letter = code | 32;
  return letter >= 97 && letter <= 122 ? letter - 97 : BASE;
}

// punycodeDecode(text): null if it is malformed.
function punycodeDecode(text) {
  const points = [];
  const delimiter = StringPrototypeLastIndexOf(text, '-');
  for (let i = 0; i < delimiter; i++) ArrayPrototypePush(points, StringPrototypeCharCodeAt(text, i));
  let n = INITIAL_N;
  let bias = INITIAL_BIAS;
  let i = 0;
  for (let at = delimiter < 0 ? 0 : delimiter + 1; at < text.length;) {
    const start = i;
    for (let k = BASE, weight = 1; ; k += BASE) {
      const value = at < text.length ? digitValue(StringPrototypeCharCodeAt(text, at++)) : BASE;
      if (value >= BASE) return null;
      i += value * weight;
      if (i > 0x7fffffff) return null;
      const t = threshold(k, bias);
      if (value < t) break;
      weight *= BASE - t;
    }
    bias = adapt(i - start, points.length + 1, start === 0);
    n += MathFloor(i / (points.length + 1));
    i %= points.length + 1;
    if (n > 0x10ffff || (n >= 0xd800 && n <= 0xdfff)) return null;
    ArrayPrototypeSplice(points, i++, 0, n);
  }
  let label = '';
  for (let j = 0; j < points.length; j++) label += StringFromCodePoint(points[j]);
  return label;
}

// --- mapping ---------------------------------------------------------------------------------------------------------

const nonAscii = /[^\x00-\x7f]/;
const ignored = new RegExp('^[\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2064' +
  '\\u206a-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}' +
  '\\u{e0100}-\\u{e01ef}]$', 'u');
const disallowed = new RegExp('^[\\p{Cn}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\u0080-\\u009f\\u061c\\u1680\\u200e\\u200f' +
  '\\u202a-\\u202e\\u2066-\\u2069\\u2ff0-\\u2fff\\ufe12\\ufff9-\\ufffd' +
  '\\u{e0001}\\u{e0020}-\\u{e007f}]$', 'u');
const changesWhenFolded = /^\p{Changes_When_NFKC_Casefolded}$/u;
const cherokee = /^[\u13a0-\u13f5]$/;
const smallCherokee = /^[\u13f8-\u13fd\uab70-\uabbf]$/;
const ideographicStop = '\u3002';

// fold(character): NFKC and full case folding of one character.
function fold(character) {
  if (RegExpPrototypeExec(changesWhenFolded, character) === null) return character;
  // Cherokee folds to its capitals.
  if (RegExpPrototypeExec(smallCherokee, character) !== null) return StringPrototypeToUpperCase(character);
  let result = '';
  const normal = codePointsOf(StringPrototypeNormalize(character, 'NFKC'));
  for (let i = 0; i < normal.length; i++) {
    const one = StringFromCodePoint(normal[i]);
    let lower = RegExpPrototypeExec(cherokee, one) !== null ? one : StringPrototypeToLowerCase(one);
    // Folding goes further than the lower case: a Greek letter with an iota below becomes two.
    if (lower.length === 1 && lower !== '\u00df' && lower !== '\u03c2' &&
        RegExpPrototypeExec(changesWhenFolded, lower) !== null) {
      lower = StringPrototypeToLowerCase(StringPrototypeToUpperCase(lower));
      if (lower === '\u03c2') lower = '\u03c3';
    }
    result += lower;
  }
  return StringPrototypeNormalize(result, 'NFKC');
}

// map(domain): null if it has a character that no domain may have.
function map(domain) {
  const points = codePointsOf(domain);
  let result = '';
  for (let i = 0; i < points.length; i++) {
    const character = StringFromCodePoint(points[i]);
    if (points[i] < 128) result += StringPrototypeToLowerCase(character);
    else if (character === '\u00df' || character === '\u03c2' || character === '\u200c' || character === '\u200d') {
      result += character;
    } else if (RegExpPrototypeExec(ignored, character) !== null) continue;
    else if (RegExpPrototypeExec(disallowed, character) !== null) return null;
    else if (character === '\u1e9e') result += '\u00df';
    else {
      const folded = fold(character);
      // A dot leader or a number with a full stop must not split the label.
      if (folded !== '.' && StringPrototypeIncludes(folded, '.')) return null;
      result += folded;
    }
  }
  return StringPrototypeReplaceAll(StringPrototypeNormalize(result, 'NFC'), ideographicStop, '.');
}

// --- validity --------------------------------------------------------------------------------------------------------

const startsWithMark = /^\p{M}/u;
// Canonical combining class 9, Virama.
const virama = new RegExp('[' +
  '\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u0e3a\\u0eba' +
  '\\u0f84\\u1039\\u103a\\u1714\\u1715\\u1734\\u17d2\\u1a60\\u1b44\\u1baa\\u1bab\\u1bf2\\u1bf3\\u2d7f\\ua806\\ua82c' +
  '\\ua8c4\\ua953\\ua9c0\\uaaf6\\uabed\\u{10a3f}\\u{11046}\\u{11070}\\u{1107f}\\u{110b9}\\u{11133}\\u{11134}' +
  '\\u{111c0}\\u{11235}\\u{112ea}\\u{1134d}\\u{11442}\\u{114c2}\\u{115bf}\\u{1163f}\\u{116b6}\\u{1172b}' +
  '\\u{11839}\\u{1193d}\\u{1193e}\\u{119e0}\\u{11a34}\\u{11a47}\\u{11a99}\\u{11c3f}\\u{11d44}\\u{11d45}' +
  '\\u{11d97}]$', 'u');
// Scripts whose letters join: what may stand on both sides of a zero-width non-joiner, marks aside.
const joinsLeft = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Phags_Pa}]\p{M}*$/u;
const joinsRight = /^\p{M}*[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Phags_Pa}]/u;
// Arabic letters that join on their right side only: nothing after them joins.
const joinsRightOnly = new RegExp('[\\u0622-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0673\\u0675-\\u0677' +
  '\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2\\u06d3\\u06d5]\\p{M}*$', 'u');

function areJoinersValid(label) {
  for (let i = 0; i < label.length; i++) {
    const code = StringPrototypeCharCodeAt(label, i);
    if (code !== 0x200c && code !== 0x200d) continue;
    const before = StringPrototypeSlice(label, 0, i);
    if (RegExpPrototypeExec(virama, before) !== null) continue;
    if (code === 0x200d || RegExpPrototypeExec(joinsLeft, before) === null ||
        RegExpPrototypeExec(joinsRightOnly, before) !== null ||
        RegExpPrototypeExec(joinsRight, StringPrototypeSlice(label, i + 1)) === null) {
      return false;
    }
  }
  return true;
}

const rightToLeft = new RegExp('(?![\\u0660-\\u0669\\u066b\\u066c\\u06dd\\u06f0-\\u06f9])' +
  '[\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}' +
  '\\p{Script=Samaritan}\\p{Script=Mandaic}\\p{Script=Adlam}\\u{10800}-\\u{10fff}](?<!\\p{M})', 'u');
const arabicDigit = /[\u0660-\u0669\u066b\u066c\u06dd]/;
const europeanDigit = /[0-9\u06f0-\u06f9\u00b2\u00b3\u00b9]/;
const leftToRight = /(?![\u06f0-\u06f9])[\p{L}\p{Nl}\p{Mc}]/u;
const trailingMarks = /\p{Mn}+$/u;

// isBidiValid(label): the Bidi rule of RFC 5893, for a label of a domain that has right-to-left characters.
function isBidiValid(label) {
  const points = codePointsOf(label);
  const first = StringFromCodePoint(points[0]);
  const isRight = RegExpPrototypeExec(rightToLeft, first) !== null;
  if (!isRight && RegExpPrototypeExec(leftToRight, first) === null) return false;
  const has = { __proto__: null, R: false, L: false, AN: false, EN: false };
  let last = '';
  for (let i = 0; i < points.length; i++) {
    const character = StringFromCodePoint(points[i]);
    let kind = '';
    if (RegExpPrototypeExec(arabicDigit, character) !== null) kind = 'AN';
    else if (RegExpPrototypeExec(europeanDigit, character) !== null) kind = 'EN';
    else if (RegExpPrototypeExec(rightToLeft, character) !== null) kind = 'R';
    else if (RegExpPrototypeExec(leftToRight, character) !== null) kind = 'L';
    if (kind !== '') has[kind] = true;
    if (RegExpPrototypeExec(trailingMarks, character) === null) last = kind;
  }
  if (isRight) return !has.L && (last === 'R' || last === 'EN' || last === 'AN') && !(has.EN && has.AN);
  return !has.R && !has.AN && (last === 'L' || last === 'EN');
}

// isLabelValid(label): of a mapped or decoded label that is not ASCII.
function isLabelValid(label) {
  return StringPrototypeNormalize(label, 'NFC') === label && RegExpPrototypeExec(startsWithMark, label) === null &&
    areJoinersValid(label);
}

// domainToAscii(domain): null if it cannot be one.
internal.domainToAscii = (domain) => {
  const mapped = map(domain);
  if (mapped === null) return null;
  const labels = StringPrototypeSplit(mapped, '.');
  let isBidi = false;
  for (let i = 0; i < labels.length; i++) {
    if (StringPrototypeStartsWith(labels[i], 'xn--')) {
      const isAscii = RegExpPrototypeExec(nonAscii, labels[i]) === null;
      const decoded = isAscii ? punycodeDecode(StringPrototypeSlice(labels[i], 4)) : null;
      // It must say something that needs Punycode, and say it the way the mapping leaves it.
      if (decoded === null || RegExpPrototypeExec(nonAscii, decoded) === null || map(decoded) !== decoded ||
          StringPrototypeIncludes(decoded, '.')) {
        return null;
      }
      labels[i] = decoded;
    }
    if (RegExpPrototypeExec(nonAscii, labels[i]) === null) continue;
    if (!isLabelValid(labels[i])) return null;
    isBidi ||= RegExpPrototypeExec(rightToLeft, labels[i]) !== null ||
      RegExpPrototypeExec(arabicDigit, labels[i]) !== null;
  }
  for (let i = 0; i < labels.length; i++) {
    if (isBidi && labels[i] !== '' && !isBidiValid(labels[i])) return null;
    if (RegExpPrototypeExec(nonAscii, labels[i]) !== null) labels[i] = `xn--${punycodeEncode(labels[i])}`;
  }
  return ArrayPrototypeJoin(labels, '.');
};
