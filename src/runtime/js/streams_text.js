// TextEncoderStream and TextDecoderStream: TransformStreams between text and UTF-8 and others. After the Encoding Standard.
'use strict';

const { StringPrototypeCharCodeAt, StringPrototypeSlice, TypeError } = internal.primordials;
const { describe, illegalThis, webInterface } = internal;

const isLeading = (code) => code >= 0xd800 && code <= 0xdbff;

class TextEncoderStream {
  #transform;

  constructor() {
    let held = ''; // a leading surrogate whose other half is in the next chunk, or nowhere
    const encode = (text, controller) => {
      if (text !== '') controller.enqueue(native.utf8Encode(text));
    };
    this.#transform = new internal.TransformStream({
      transform(chunk, controller) {
        const text = `${held}${chunk}`;
        const isHalf = text !== '' && isLeading(StringPrototypeCharCodeAt(text, text.length - 1));
        held = isHalf ? text[text.length - 1] : '';
        encode(isHalf ? StringPrototypeSlice(text, 0, -1) : text, controller);
      },
      flush: (controller) => encode(held, controller),
    });
  }

  static #of(stream) {
    if (!(#transform in stream)) throw illegalThis('TextEncoderStream');
    return stream.#transform;
  }

  get encoding() {
    TextEncoderStream.#of(this);
    return 'utf-8';
  }

  get readable() { return TextEncoderStream.#of(this).readable; }
  get writable() { return TextEncoderStream.#of(this).writable; }
}
webInterface(TextEncoderStream, 'TextEncoderStream');

class TextDecoderStream {
  #decoder;
  #transform;

  constructor(label = 'utf-8', options = undefined) {
    const decoder = new internal.TextDecoder(label, options);
    const decode = (bytes, more, controller) => {
      const text = decoder.decode(bytes, more);
      if (text !== '') controller.enqueue(text);
    };
    this.#decoder = decoder;
    this.#transform = new internal.TransformStream({
      transform(chunk, controller) {
        if (internal.bytesOf(chunk) === undefined) {
          throw new TypeError(`TextDecoderStream: a chunk must be bytes, not ${describe(chunk)}`);
        }
        decode(chunk, { __proto__: null, stream: true }, controller);
      },
      flush: (controller) => decode(undefined, undefined, controller),
    });
  }

  static #of(stream) {
    if (!(#transform in stream)) throw illegalThis('TextDecoderStream');
    return stream;
  }

  get encoding() { return TextDecoderStream.#of(this).#decoder.encoding; }
  get fatal() { return TextDecoderStream.#of(this).#decoder.fatal; }
  get ignoreBOM() { return TextDecoderStream.#of(this).#decoder.ignoreBOM; }
  get readable() { return TextDecoderStream.#of(this).#transform.readable; }
  get writable() { return TextDecoderStream.#of(this).#transform.writable; }
}
webInterface(TextDecoderStream, 'TextDecoderStream');

internal.TextEncoderStream = TextEncoderStream;
internal.TextDecoderStream = TextDecoderStream;
