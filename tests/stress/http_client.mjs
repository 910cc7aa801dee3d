// http_client.mjs PORT SECONDS SEED: sends mutated requests to a fino server (http_server.mjs) and the same bytes to Node's,
// and compares what the two understood. What fino answers with 2xx Node must have taken for the same request, at the
// same place; all else gets a status that refuses it, and a closed connection. Run by stress_http.sh.
import http from 'node:http';
import net from 'node:net';

const [port, seconds, seed] = process.argv.slice(2).map(Number);
const PARALLEL = 24;
const LEAST = 400; // cases, however slow the machine is
const REFUSALS = new Set([400, 408, 413, 414, 417, 431, 501, 505]);

let state = BigInt(seed);
function random(below) {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((state >> 33n) % BigInt(below));
}
const pick = (list) => list[random(list.length)];

// --- What is sent --------------------------------------------------------------------------------------------------

let serial = 0;
const target = () => `/${(serial++).toString(36)}${pick(['', '?a=b', '/%20', '?%0d%0aX:y', '/..//', '?' + 'q'.repeat(300)])}`;
const chunk = (text) => `${text.length.toString(16)}${pick(['', '', ';x', ';x="y z"'])}\r\n${text}\r\n`;
const inner = () => `GET /smuggled${serial++} HTTP/1.1\r\nHost: in\r\n\r\n`; // a body that would be a request
const body = () => pick(['', 'abcde', 'x'.repeat(random(3000)), inner(), '0\r\n\r\n', '\r\n\r\n']);
const host = () => pick(['Host: a\r\n', 'host:a:80\r\n', 'HOST: \t a \t\r\n']);
const extra = () => pick(['', '', 'X-A: b\r\n', 'Accept: */*\r\nCookie: a=b; c=d\r\n', 'X-B:\r\n', `X-C: ${'y'.repeat(random(900))}\r\n`,
  'X-D: 1\r\nX-D: 2\r\n', 'X-E: \xe9\xff\r\n']);

const good = [
  () => `GET ${target()} HTTP/1.1\r\n${host()}${extra()}\r\n`,
  () => `HEAD ${target()} HTTP/1.1\r\n${extra()}${host()}\r\n`,
  () => `DELETE ${target()} HTTP/1.1\r\n${host()}${extra()}\r\n`,
  () => { const text = body(); return `POST ${target()} HTTP/1.1\r\n${host()}${extra()}Content-Length: ${text.length}\r\n\r\n${text}`; },
  () => { const text = body(); return `PUT ${target()} HTTP/1.1\r\ncontent-length:${text.length}\r\n${host()}\r\n${text}`; },
  () => `POST ${target()} HTTP/1.1\r\n${host()}Transfer-Encoding: chunked\r\n\r\n` +
    Array.from({ length: random(4) }, () => chunk(body() || 'z')).join('') + `0\r\n${pick(['', 'X-T: u\r\n'])}\r\n`,
];

const replace = (from, to) => (text) => text.replace(from, to);
const insert = (what) => (text) => { const at = random(text.length + 1); return text.slice(0, at) + what() + text.slice(at); };
const fieldsEnd = /\r\n\r\n/;
const field = (lines) => replace(fieldsEnd, `\r\n${lines}\r\n\r\n`);
const dirt = () => pick(['\0', '\r', '\n', ' ', '\t', '\x0b', '\x0c', '\x7f', '\x80', '\xff', ':', ',', ';', '"', '0', '\r\n', '\r\n ', '\n\n']);

const mutations = [
  (text) => text,
  (text) => text,
  // Two lengths, of one kind and of both.
  field('Content-Length: 5'), field('Content-Length: 0'), field('Content-Length: 5\r\nContent-Length: 6'), field('Content-Length: 5, 5'),
  field('Content-Length: +5'), field('Content-Length: -0'), field('Content-Length: 0x5'), field('Content-Length: 5 5'),
  field('Content-Length:'), field('Content-Length: 18446744073709551616'), field('Transfer-Encoding: chunked'),
  field('Content-Length: 4\r\nTransfer-Encoding: chunked'), field('Transfer-Encoding: chunked\r\nContent-Length: 4'),
  // Codings that somebody could read as chunked, or not.
  field('Transfer-Encoding: xchunked'), field('Transfer-Encoding: identity'), field('Transfer-Encoding: chunked, identity'),
  field('Transfer-Encoding: gzip, chunked'), field('Transfer-Encoding: "chunked"'), field('Transfer-Encoding: \x0bchunked'),
  field('Transfer-Encoding:\r\n chunked'), field('Transfer-Encoding : chunked'), field(' Transfer-Encoding: chunked'),
  field('Transfer\0-Encoding: chunked'), field('Transfer-Encoding: chunked;x'), field('Transfer-Encoding: ,chunked'),
  field('X: y\rTransfer-Encoding: chunked'), field('X: y\nTransfer-Encoding: chunked'), field('Transfer_Encoding: chunked'),
  // Lines.
  replace('\r\n', '\n'), replace(/\r\n/g, '\n'), replace('\r\n', '\r'), replace(fieldsEnd, '\n\n'), replace(fieldsEnd, '\r\n\n'),
  replace(fieldsEnd, '\r\n \r\n\r\n'), replace(fieldsEnd, '\r\n\tfolded\r\n\r\n'), replace(': ', ' : '), replace(':', '\0:'), replace(': ', ':\0'),
  replace(/host.*\r\n/i, ''), replace(/(host.*\r\n)/i, '$1$1'), replace(/host.*\r\n/i, 'Host: a/b\r\n'), replace(/host.*\r\n/i, 'Host: a b\r\n'),
  // Chunks.
  replace(/\r\n\r\n([0-9a-f]+)/, '\r\n\r\n0x$1'), replace(/\r\n\r\n([0-9a-f]+)/, '\r\n\r\n-$1'), replace(/\r\n\r\n([0-9a-f]+)/, '\r\n\r\n$1 '),
  replace(/\r\n\r\n([0-9a-f]+)/, '\r\n\r\n1$1'), replace(/\r\n\r\n([0-9a-f]+)/, '\r\n\r\n10000000000000000$1'),
  replace(/\r\n\r\n([0-9a-f]+)/, '\r\n\r\n$1;a\nb'), replace(/0\r\n(?:X.*\r\n)?\r\n$/, '0\r\nX : y\r\n\r\n'), replace(/0\r\n\r\n$/, '0\r\n\n'),
  // The first line.
  replace('HTTP/1.1', 'HTTP/1.0'), replace('HTTP/1.1', 'HTTP/2.0'), replace('HTTP/1.1', 'http/1.1'), replace(' HTTP/1.1', ''),
  replace(' ', '  '), replace(' ', '\t'), replace(' /', ' '), replace(' /', ' x:/'), replace(/^/, '\r\n'), replace(/^/, ' '), replace(/^[A-Z]+/, '*'),
  // Sizes.
  field(`X: ${'y'.repeat(17000)}`), field('X: y\r\n'.repeat(120) + 'X: y'), replace(' /', ` /${'z'.repeat(17000)}`), field('X-Long: ' + 'y'.repeat(9000)),
  // Anything.
  insert(dirt), insert(dirt), insert(dirt), insert(() => String.fromCharCode(random(256))),
  (text) => { const at = random(text.length); return text.slice(0, at) + String.fromCharCode(random(256)) + text.slice(at + 1); },
  (text) => { const at = random(text.length); return text.slice(0, at) + text.slice(at + 1 + random(4)); },
  (text) => text.slice(0, random(text.length)),
  field('Connection: close'), field('Connection: keep-alive, x'), field('Expect: something'), field('Upgrade: h2c'),
];

// Some requests in a row, of which one or none is mutated.
function makeCase() {
  const requests = Array.from({ length: 1 + random(3) }, () => pick(good)());
  const at = random(requests.length);
  const before = requests[at];
  if (random(5) > 0) requests[at] = pick(mutations)(before);
  if (requests[at] !== before && random(4) === 0) requests[at] = pick(mutations)(requests[at]);
  return { text: requests.join(''), expected: requests[at] === before ? requests.length : undefined, ends: random(3) > 0, pieces: random(3) };
}

function cut(bytes, pieces) {
  if (pieces === 0) return [bytes];
  const list = [];
  for (let from = 0; from < bytes.length;) {
    const to = from + 1 + random(pieces === 1 ? 200 : bytes.length);
    list.push(bytes.subarray(from, to));
    from = to;
  }
  return list;
}

// --- What comes back: all that the server sends until it closes ------------------------------------------------------

const STUCK_MS = 60000;

function exchange(to, { text, ends, pieces }) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    const socket = net.connect({ port: to, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    const stuck = setTimeout(() => { socket.destroy(); reject(new Error(`the server does not close: ${JSON.stringify(text)}`)); }, STUCK_MS);
    const over = () => { clearTimeout(stuck); resolve(Buffer.concat(chunks).toString('latin1')); };
    socket.on('data', (bytes) => chunks.push(bytes));
    socket.on('end', () => socket.destroy());
    socket.on('error', () => {}); // a reset: what came before it counts
    socket.on('close', over);
    socket.on('connect', async () => {
      for (const piece of cut(Buffer.from(text, 'latin1'), pieces)) {
        if (socket.destroyed) return;
        socket.write(piece);
        if (pieces > 0) await new Promise(setImmediate);
      }
      if (ends && !socket.destroyed) socket.end();
    });
  });
}

// The answers: [{status, closes, seen}]. Those of 2xx have no body; one that refuses is the last.
function answersOf(out) {
  const answers = [];
  for (let rest = out; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const head = end < 0 ? rest : rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (!status || end < 0) throw new Error(`not an answer: ${JSON.stringify(rest.slice(0, 300))}`);
    const seen = /\r\nx-seen: (.*)/i.exec(head)?.[1];
    answers.push({ status, closes: /\r\nconnection: close/i.test(head), seen });
    if (status >= 300) break;
    rest = rest.slice(end + 4);
  }
  return answers;
}

// --- Node's server, which answers in the same way ------------------------------------------------------------------

const controls = http.createServer({ maxHeaderSize: 20000, headersTimeout: 2000, requestTimeout: 2000, keepAliveTimeout: 1500, connectionsCheckingInterval: 500 },
  (request, response) => {
    const chunks = [];
    request.on('data', (bytes) => chunks.push(bytes));
    request.on('end', () => {
      const fields = Object.entries(request.headersDistinct).map(([name, values]) => [name, values.join(name === 'cookie' ? '; ' : ', ')]);
      const own = request.headers.host || `127.0.0.1:${port}`;
      const url = request.url[0] === '/' ? `http://${own}${request.url}` : request.url === '*' ? `http://${own}` : request.url;
      const seen = JSON.stringify([request.method, url, fields.sort(), Buffer.concat(chunks).toString('latin1')]);
      response.writeHead(200, { 'content-length': 0, 'x-seen': Buffer.from(seen).toString('base64') }).end();
    });
  });
// Answers to what came before the error are still on their way then.
controls.on('clientError', (error, socket) => setTimeout(() => socket.destroy(), 20));
controls.on('checkContinue', (request, response) => controls.emit('request', request, response));
controls.maxHeadersCount = 0;
await new Promise((resolve) => { controls.listen(0, '127.0.0.1', resolve); });
const { port: controlPort } = controls.address();

// --- The comparison ------------------------------------------------------------------------------------------------

const counts = new Map();
const count = (what) => counts.set(what, (counts.get(what) ?? 0) + 1);
const decode = (seen) => Buffer.from(seen ?? '', 'base64').toString();
// Node's parser knows a fixed set of methods, and no version that is yet to come.
const isForeign = (text, seen) => /HTTP\/1\.[2-9]\r/.test(text) || !http.METHODS.includes(JSON.parse(decode(seen))[0]);

function check(one, ours, theirs) {
  const fail = (why) => {
    throw new Error(`${why}\nsent: ${JSON.stringify(one.text)}\nfino: ${JSON.stringify(ours.map((a) => [a.status, a.closes, decode(a.seen)]))}\n` +
      `Node: ${JSON.stringify(theirs.map((a) => decode(a.seen)))}`);
  };
  let foreign = false;
  ours.forEach((answer, i) => {
    count(answer.status);
    if (answer.status >= 300) {
      if (!REFUSALS.has(answer.status)) fail(`status ${answer.status}`);
      if (!answer.closes) fail(`status ${answer.status} without connection: close`);
      return;
    }
    if (answer.status !== 200) fail(`status ${answer.status}`);
    foreign ||= isForeign(one.text, answer.seen);
    if (foreign) return;
    if (i >= theirs.length) fail(`request ${i} is one for fino alone`);
    if (decode(answer.seen) !== decode(theirs[i].seen)) fail(`request ${i} is another for fino`);
  });
  const last = ours.at(-1);
  const refused = last !== undefined && last.status >= 300;
  if (one.expected !== undefined) {
    const late = refused && last.status === 408; // on a machine this slow it came too late
    if (!late && (refused || ours.length !== one.expected)) fail(`${one.expected} good requests`);
    count('good');
  }
  if (!refused && !last?.closes && theirs.length > ours.length) fail('requests are lost');
  if (!refused) count(ours.length === 0 ? 'nothing, closed' : 'all answered');
}

async function worker(until) {
  for (;;) {
    if (Date.now() > until && cases >= LEAST) return;
    cases++;
    const one = makeCase();
    const [ours, theirs] = await Promise.all([exchange(port, one), exchange(controlPort, { ...one, ends: true, pieces: 0 })]);
    check(one, answersOf(ours), answersOf(theirs).filter((answer) => answer.status === 200));
  }
}

let cases = 0;
await Promise.all(Array.from({ length: PARALLEL }, () => worker(Date.now() + seconds * 1000)));
for (const what of [200, 400, 'good', 'all answered']) if (!(counts.get(what) > cases / 20)) throw new Error(`hardly any ${what}: the test is no good`);
console.log(`${cases} cases: ${[...counts].map(([what, number]) => `${number} x ${what}`).sort().join(', ')}`);
process.exit(0);
