// DOMException and reportError.
'use strict';

const {
  Error, ErrorCaptureStackTrace, ObjectDefineProperty, ObjectSetPrototypeOf, ReflectHas, SafeWeakMap,
} = internal.primordials;

// Names with a legacy code, in the order of their codes from 1; gaps are names no longer in use.
const legacyNames = [
  ['INDEX_SIZE_ERR', 'IndexSizeError'], ['DOMSTRING_SIZE_ERR'], ['HIERARCHY_REQUEST_ERR', 'HierarchyRequestError'],
  ['WRONG_DOCUMENT_ERR', 'WrongDocumentError'], ['INVALID_CHARACTER_ERR', 'InvalidCharacterError'],
  ['NO_DATA_ALLOWED_ERR'], ['NO_MODIFICATION_ALLOWED_ERR', 'NoModificationAllowedError'],
  ['NOT_FOUND_ERR', 'NotFoundError'], ['NOT_SUPPORTED_ERR', 'NotSupportedError'],
  ['INUSE_ATTRIBUTE_ERR', 'InUseAttributeError'], ['INVALID_STATE_ERR', 'InvalidStateError'],
  ['SYNTAX_ERR', 'SyntaxError'], ['INVALID_MODIFICATION_ERR', 'InvalidModificationError'],
  ['NAMESPACE_ERR', 'NamespaceError'], ['INVALID_ACCESS_ERR', 'InvalidAccessError'], ['VALIDATION_ERR'],
  ['TYPE_MISMATCH_ERR', 'TypeMismatchError'], ['SECURITY_ERR', 'SecurityError'], ['NETWORK_ERR', 'NetworkError'],
  ['ABORT_ERR', 'AbortError'], ['URL_MISMATCH_ERR', 'URLMismatchError'],
  ['QUOTA_EXCEEDED_ERR', 'QuotaExceededError'], ['TIMEOUT_ERR', 'TimeoutError'],
  ['INVALID_NODE_TYPE_ERR', 'InvalidNodeTypeError'], ['DATA_CLONE_ERR', 'DataCloneError'],
];
const codes = { __proto__: null };
for (let i = 0; i < legacyNames.length; i++) {
  if (legacyNames[i][1] !== undefined) codes[legacyNames[i][1]] = i + 1;
}

// state of each DOMException; the objects themselves are made by Error, so that they carry a stack and count as errors.
const states = new SafeWeakMap();

function stateOf(exception) {
  const state = states.get(exception);
  if (state === undefined) throw internal.illegalThis('DOMException');
  return state;
}

class DOMException {
  constructor(message = '', options = undefined) {
    const self = new Error();
    ObjectSetPrototypeOf(self, new.target.prototype);
    const isBag = typeof options === 'object' && options !== null;
    const given = isBag ? options.name : options;
    const name = given === undefined ? 'Error' : `${given}`;
    states.set(self, { message: `${message}`, name });
    if (isBag && ReflectHas(options, 'cause')) internal.defineHidden(self, 'cause', options.cause);
    ErrorCaptureStackTrace(self, new.target);
    return self;
  }

  get name() { return stateOf(this).name; }
  get message() { return stateOf(this).message; }
  get code() { return codes[stateOf(this).name] ?? 0; }
}
internal.webInterface(DOMException, 'DOMException');
ObjectSetPrototypeOf(DOMException.prototype, Error.prototype);
for (let i = 0; i < legacyNames.length; i++) {
  const constant = { __proto__: null, value: i + 1, enumerable: true };
  ObjectDefineProperty(DOMException, legacyNames[i][0], constant);
  ObjectDefineProperty(DOMException.prototype, legacyNames[i][0], constant);
}

internal.DOMException = DOMException;

// makeDOMException(message, name): also called by C.
internal.makeDOMException = (message, name) => new DOMException(message, name);

// reportError(error): as if it had been thrown and not caught. The process ends unless there is an uncaughtException
// listener.
internal.reportError = function reportError(error) {
  internal.needArguments(arguments.length, 1, 'reportError');
  if (!internal.emitProcessEvent('uncaughtException', error)) native.reportException(error);
};
