// console.table: rows and columns in box-drawing characters.
'use strict';

const {
  ArrayIsArray, ArrayPrototypeJoin, ArrayPrototypePush, MapPrototypeForEach, MathMax, ObjectHasOwn, ObjectKeys,
  SetPrototypeForEach, String, StringPrototypeRepeat, TypeError,
} = internal.primordials;
const { inspect } = internal;
const { textWidth } = internal.inspectLayout;

const INDEX = '(index)';
const ITERATION_INDEX = '(iteration index)';
const KEY = 'Key';
const VALUES = 'Values';

// cellText(value): one line; an object shows its class, or its entries when there are few of them.
function cellText(value) {
  const isDeep = typeof value === 'object' && value !== null && !ArrayIsArray(value) && ObjectKeys(value).length > 2;
  return inspect(value, { maxArrayLength: 3, breakLength: 1 / 0, depth: isDeep ? -1 : 0 });
}

function renderRow(cells, widths) {
  let row = '\u2502';
  for (let i = 0; i < cells.length; i++) {
    row += ` ${cells[i]}${StringPrototypeRepeat(' ', widths[i] - textWidth(cells[i], false) - 1)}\u2502`;
  }
  return row;
}

// render(head, columns): columns[i] lists the cells below head[i]; all are as long as the longest.
function render(head, columns) {
  const widths = [];
  let rowCount = 0;
  for (let i = 0; i < head.length; i++) {
    let widest = textWidth(head[i], false);
    for (let j = 0; j < columns[i].length; j++) widest = MathMax(widest, textWidth(columns[i][j] ?? '', false));
    ArrayPrototypePush(widths, widest + 2);
    rowCount = MathMax(rowCount, columns[i].length);
  }
  const bars = [];
  for (let i = 0; i < widths.length; i++) ArrayPrototypePush(bars, StringPrototypeRepeat('\u2500', widths[i]));
  const lines = [
    `\u250c${ArrayPrototypeJoin(bars, '\u252c')}\u2510`,
    renderRow(head, widths),
    `\u251c${ArrayPrototypeJoin(bars, '\u253c')}\u2524`,
  ];
  for (let row = 0; row < rowCount; row++) {
    const cells = [];
    for (let i = 0; i < columns.length; i++) ArrayPrototypePush(cells, columns[i][row] ?? '');
    ArrayPrototypePush(lines, renderRow(cells, widths));
  }
  ArrayPrototypePush(lines, `\u2514${ArrayPrototypeJoin(bars, '\u2534')}\u2518`);
  return ArrayPrototypeJoin(lines, '\n');
}

const isPrimitive = (value) => value === null || (typeof value !== 'object' && typeof value !== 'function');

// rowsOf(data): what is tabulated: a heading for the first column, and [index, value] pairs.
function rowsOf(data) {
  const rows = [];
  switch (native.typeTag(data)) {
    case 'Map':
      MapPrototypeForEach(data, (value, key) => ArrayPrototypePush(rows, { index: String(rows.length), key, value }));
      return { heading: ITERATION_INDEX, rows, isMap: true };
    case 'Set':
      SetPrototypeForEach(data, (value) => ArrayPrototypePush(rows, { index: String(rows.length), value }));
      return { heading: ITERATION_INDEX, rows, isSet: true };
    case 'MapIterator':
    case 'SetIterator': {
      const preview = native.previewEntries(data);
      const step = preview[1] ? 2 : 1;
      for (let i = 0; i < preview[0].length; i += step) {
        ArrayPrototypePush(rows, {
          index: String(rows.length), key: preview[0][i], value: preview[0][i + step - 1],
        });
      }
      return { heading: ITERATION_INDEX, rows, isMap: preview[1], isSet: !preview[1] };
    }
  }
  const keys = ObjectKeys(data);
  for (let i = 0; i < keys.length; i++) ArrayPrototypePush(rows, { index: keys[i], value: data[keys[i]] });
  return { heading: INDEX, rows };
}

// tableText(data, wanted): undefined if data is no table (a primitive). `wanted` picks the columns.
internal.tableText = (data, wanted) => {
  if (isPrimitive(data)) return undefined;
  if (wanted !== undefined && !ArrayIsArray(wanted)) throw new TypeError('console.table: columns must be an array');
  const { heading, rows, isMap, isSet } = rowsOf(data);
  const head = [heading];
  const columns = [[]];
  for (let i = 0; i < rows.length; i++) ArrayPrototypePush(columns[0], rows[i].index);
  if (isMap) addCells(rows, 'key', KEY, head, columns);
  if (isMap || isSet) addCells(rows, 'value', VALUES, head, columns);
  else addProperties(rows, wanted, head, columns);
  return render(head, columns);
};

// addCells: one column, of what the rows have under `field`.
function addCells(rows, field, heading, head, columns) {
  const cells = [];
  for (let i = 0; i < rows.length; i++) ArrayPrototypePush(cells, cellText(rows[i][field]));
  ArrayPrototypePush(head, heading);
  ArrayPrototypePush(columns, cells);
}

// addProperties: one column for each property of the rows that are objects, and `Values` for those that are not.
function addProperties(rows, wanted, head, columns) {
  const names = [];
  const cells = { __proto__: null };
  const values = [];
  let hasValues = false;
  for (let i = 0; i < rows.length; i++) {
    const item = rows[i].value;
    if (isPrimitive(item)) {
      values[i] = cellText(item);
      hasValues = true;
      continue;
    }
    const keys = wanted ?? ObjectKeys(item);
    for (let j = 0; j < keys.length; j++) {
      const key = `${keys[j]}`;
      if (cells[key] === undefined) {
        cells[key] = [];
        ArrayPrototypePush(names, key);
      }
      cells[key][i] = ObjectHasOwn(item, key) ? cellText(item[key]) : '';
    }
  }
  for (let i = 0; i < names.length; i++) {
    ArrayPrototypePush(head, names[i]);
    ArrayPrototypePush(columns, cells[names[i]]);
  }
  if (hasValues) {
    ArrayPrototypePush(head, VALUES);
    ArrayPrototypePush(columns, values);
  }
}
