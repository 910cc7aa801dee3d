// node:url: the URL Standard's interfaces, and files as URLs. What came before that standard (url.parse) isn't there.
'use strict';

const { String, TypeError } = internal.primordials;

function fileURLToPath(url) {
  const parsed = typeof url === 'string' ? new internal.URL(url) : url;
  if (!(parsed instanceof internal.URL)) {
    const error = new TypeError('The "path" argument must be of type string or an instance of URL');
    error.code = 'ERR_INVALID_ARG_TYPE';
    throw error;
  }
  if (parsed.protocol !== 'file:') {
    const error = new TypeError('The URL must be of scheme file');
    error.code = 'ERR_INVALID_URL_SCHEME';
    throw error;
  }
  return internal.fromFileUrl(parsed);
}

const format = (url) => String(url instanceof internal.URL ? url.href : url);

internal.nodeUrlModule = internal.nodeModule({
  URL: internal.URL, URLSearchParams: internal.URLSearchParams, fileURLToPath, format,
  pathToFileURL: internal.pathModule.toFileUrl,
});
