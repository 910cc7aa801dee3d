// ErrorEvent and PromiseRejectionEvent, after the HTML Standard.
'use strict';

const { TypeError } = internal.primordials;
const { Event, dictionary, illegalThis, needArguments, webInterface } = internal;

class ErrorEvent extends Event {
  #details;

  constructor(type, options = undefined) {
    needArguments(arguments.length, 1, 'ErrorEvent constructor');
    super(type, options);
    const bag = dictionary(options, 'ErrorEvent options');
    this.#details = {
      message: bag.message === undefined ? '' : `${bag.message}`,
      filename: bag.filename === undefined ? '' : `${bag.filename}`,
      lineno: bag.lineno >>> 0,
      colno: bag.colno >>> 0,
      error: bag.error,
    };
  }

  static #of(event) {
    if (!(#details in event)) throw illegalThis('ErrorEvent');
    return event.#details;
  }

  get message() { return ErrorEvent.#of(this).message; }
  get filename() { return ErrorEvent.#of(this).filename; }
  get lineno() { return ErrorEvent.#of(this).lineno; }
  get colno() { return ErrorEvent.#of(this).colno; }
  get error() { return ErrorEvent.#of(this).error; }
}
webInterface(ErrorEvent, 'ErrorEvent');

class PromiseRejectionEvent extends Event {
  #promise;
  #reason;

  constructor(type, options) {
    needArguments(arguments.length, 2, 'PromiseRejectionEvent constructor');
    super(type, options);
    const bag = dictionary(options, 'PromiseRejectionEvent options');
    if (bag.promise === undefined) {
      throw new TypeError('PromiseRejectionEvent constructor: options.promise is required');
    }
    this.#promise = bag.promise;
    this.#reason = bag.reason;
  }

  get promise() {
    if (!(#promise in this)) throw illegalThis('PromiseRejectionEvent');
    return this.#promise;
  }

  get reason() {
    if (!(#promise in this)) throw illegalThis('PromiseRejectionEvent');
    return this.#reason;
  }
}
webInterface(PromiseRejectionEvent, 'PromiseRejectionEvent');

internal.ErrorEvent = ErrorEvent;
internal.PromiseRejectionEvent = PromiseRejectionEvent;
