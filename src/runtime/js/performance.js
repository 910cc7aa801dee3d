// performance: High Resolution Time and User Timing.
'use strict';

const { ArrayPrototypePush, ArrayPrototypeSplice, TypeError } = internal.primordials;
const { EventTarget, customInspect, defineHidden, dictionary, illegalThis, needArguments, webInterface } = internal;
const { now, timeOrigin } = native;

const key = {}; // lets this file, and no other, call constructors that programs must not

let entryOf; // entryOf(entry): its fields, after a brand check

class PerformanceEntry {
  #fields;

  constructor(caller, fields) {
    if (caller !== key) throw new TypeError('Illegal constructor');
    this.#fields = fields;
  }

  static {
    entryOf = (entry) => {
      if (typeof entry !== 'object' || entry === null || !(#fields in entry)) throw illegalThis('PerformanceEntry');
      return entry.#fields;
    };
  }

  get name() { return entryOf(this).name; }
  get entryType() { return entryOf(this).entryType; }
  get startTime() { return entryOf(this).startTime; }
  get duration() { return entryOf(this).duration; }
  toJSON() {
    const { name, entryType, startTime, duration } = entryOf(this);
    return { name, entryType, startTime, duration };
  }
}
webInterface(PerformanceEntry, 'PerformanceEntry');
defineHidden(PerformanceEntry.prototype, customInspect, function (depth, options, inspect) {
  if (!(this instanceof PerformanceEntry) || this.constructor?.prototype === this) return this;
  const fields = this.toJSON();
  fields.detail = entryOf(this).detail;
  return `${this.constructor.name} ${inspect(fields, options)}`;
});

function cloneDetail(detail) {
  return detail === undefined || detail === null ? null : internal.structuredClone(detail);
}

class PerformanceMark extends PerformanceEntry {
  constructor(name, options = undefined) {
    needArguments(arguments.length, 1, 'PerformanceMark constructor');
    const bag = dictionary(options, 'PerformanceMark options');
    const startTime = bag.startTime === undefined ? now() : +bag.startTime;
    if (!(startTime >= 0)) throw new TypeError(`PerformanceMark: startTime must not be negative, but is ${startTime}`);
    super(key, { name: `${name}`, entryType: 'mark', startTime, duration: 0, detail: cloneDetail(bag.detail) });
  }

  get detail() { return entryOf(this).detail; }
}
webInterface(PerformanceMark, 'PerformanceMark');

class PerformanceMeasure extends PerformanceEntry {
  constructor(caller, fields) { super(caller, fields); }

  get detail() { return entryOf(this).detail; }
}
webInterface(PerformanceMeasure, 'PerformanceMeasure');

const entries = []; // in the order of their start times

function record(entry) {
  const { startTime } = entryOf(entry);
  let index = entries.length;
  while (index > 0 && entryOf(entries[index - 1]).startTime > startTime) index--;
  if (index === entries.length) ArrayPrototypePush(entries, entry);
  else ArrayPrototypeSplice(entries, index, 0, entry);
  return entry;
}

function select(name, type) {
  const found = [];
  for (let i = 0; i < entries.length; i++) {
    const fields = entryOf(entries[i]);
    if ((name === undefined || fields.name === name) && (type === undefined || fields.entryType === type)) {
      ArrayPrototypePush(found, entries[i]);
    }
  }
  return found;
}

function discard(name, type) {
  let kept = 0;
  for (let i = 0; i < entries.length; i++) {
    const fields = entryOf(entries[i]);
    if (fields.entryType !== type || (name !== undefined && fields.name !== name)) entries[kept++] = entries[i];
  }
  entries.length = kept;
}

// timeOf(mark): a number is a time, anything else names the latest mark of that name.
function timeOf(mark) {
  if (typeof mark === 'number') {
    if (!(mark >= 0)) throw new TypeError(`performance.measure: a time must not be negative, but is ${mark}`);
    return mark;
  }
  const name = `${mark}`;
  for (let i = entries.length - 1; i >= 0; i--) {
    const fields = entryOf(entries[i]);
    if (fields.entryType === 'mark' && fields.name === name) return fields.startTime;
  }
  throw internal.makeDOMException(`The "${name}" performance mark has not been set`, 'SyntaxError');
}

function measureSpan(bag, endMark) {
  let end;
  if (endMark !== undefined) end = timeOf(endMark);
  else if (bag.end !== undefined) end = timeOf(bag.end);
  else if (bag.start !== undefined && bag.duration !== undefined) end = timeOf(bag.start) + +bag.duration;
  else end = now();
  let start = 0;
  if (bag.start !== undefined) start = timeOf(bag.start);
  else if (bag.duration !== undefined && bag.end !== undefined) start = timeOf(bag.end) - bag.duration;
  return { start, end };
}

class Performance extends EventTarget {
  constructor(caller) {
    if (caller !== key) throw new TypeError('Illegal constructor');
    super();
  }

  now() {
    if (this !== performance) throw illegalThis('Performance');
    return now();
  }

  get timeOrigin() {
    if (this !== performance) throw illegalThis('Performance');
    return timeOrigin;
  }

  toJSON() { return { timeOrigin }; }

  mark(name, options = undefined) {
    needArguments(arguments.length, 1, 'Performance.mark');
    return record(new PerformanceMark(name, options));
  }

  measure(name, startOrOptions = undefined, endMark = undefined) {
    needArguments(arguments.length, 1, 'Performance.measure');
    const isBag = typeof startOrOptions === 'object' && startOrOptions !== null;
    const bag = isBag ? startOrOptions : { __proto__: null, start: startOrOptions };
    if (isBag && (bag.start !== undefined || bag.end !== undefined || bag.duration !== undefined ||
        bag.detail !== undefined)) {
      if (endMark !== undefined) throw new TypeError('Performance.measure: options and endMark cannot both be given');
      if (bag.start === undefined && bag.end === undefined) {
        throw new TypeError('Performance.measure: options must have a start or an end');
      }
      if (bag.start !== undefined && bag.end !== undefined && bag.duration !== undefined) {
        throw new TypeError('Performance.measure: options must not have all of start, end and duration');
      }
    }
    const { start, end } = measureSpan(bag, endMark);
    return record(new PerformanceMeasure(key, {
      name: `${name}`, entryType: 'measure', startTime: start, duration: end - start, detail: cloneDetail(bag.detail),
    }));
  }

  clearMarks(name = undefined) { discard(name === undefined ? name : `${name}`, 'mark'); }
  clearMeasures(name = undefined) { discard(name === undefined ? name : `${name}`, 'measure'); }
  getEntries() { return select(undefined, undefined); }
  getEntriesByType(type) {
    needArguments(arguments.length, 1, 'Performance.getEntriesByType');
    return select(undefined, `${type}`);
  }

  getEntriesByName(name, type = undefined) {
    needArguments(arguments.length, 1, 'Performance.getEntriesByName');
    return select(`${name}`, type === undefined ? type : `${type}`);
  }
}
webInterface(Performance, 'Performance');
defineHidden(Performance.prototype, customInspect, function (depth, options, inspect) {
  return this === performance ? `Performance ${inspect({ timeOrigin }, options)}` : this;
});

const performance = new Performance(key);

internal.performance = performance;
internal.Performance = Performance;
internal.PerformanceEntry = PerformanceEntry;
internal.PerformanceMark = PerformanceMark;
internal.PerformanceMeasure = PerformanceMeasure;
