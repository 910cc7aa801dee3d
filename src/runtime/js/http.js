// fino:net/http: the classes of HTTP messages, which are also global.
'use strict';

const { ObjectAssign, ObjectCreate } = internal.primordials;
const { Headers, Request, Response, fetch } = internal;

const exported = { __proto__: null, Headers, Request, Response, fetch };
internal.httpModule = ObjectAssign(ObjectCreate(null), exported, { default: ObjectAssign({}, exported) });
