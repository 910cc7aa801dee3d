// fino:net/http: the classes of HTTP messages, which are also global.
'use strict';

const { ObjectAssign, ObjectCreate } = internal.primordials;
const { Headers, Request, Response } = internal;

const exported = { __proto__: null, Headers, Request, Response };
internal.httpModule = ObjectAssign(ObjectCreate(null), exported, { default: ObjectAssign({}, exported) });
