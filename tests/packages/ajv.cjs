const Ajv = require('ajv');
const ajv = new Ajv({ allErrors: true });
const validate = ajv.compile({ type: 'object', properties: { a: { type: 'integer', minimum: 2 }, b: { type: 'array', items: { $ref: '#/definitions/s' }, uniqueItems: true } }, required: ['a', 'c'], additionalProperties: false, definitions: { s: { type: 'string', pattern: '^x+$' } } });
console.log(validate({ a: 1, b: ['x', 'y', 'x'], d: 1 }), validate.errors, validate({ a: 2, c: 1 }), ajv.errorsText(validate.errors));
console.log(validate({ a: 3, b: ['x'], c: 0 }));
