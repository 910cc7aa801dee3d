// Node's modules by both of their names, for import and for require(); one that isn't there is named with its importer.
import { equal, ok, throws } from './assert.mjs';
import * as exported from 'node:fs';
import fs from 'fs';
import { Buffer as Bytes } from 'node:buffer';
import { createRequire, isBuiltin } from 'node:module';
import os from 'node:os';
import path, { basename, join } from 'path';
import { performance as clock } from 'perf_hooks';
import process, { argv } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import finoProcess from 'fino:process';

const here = fileURLToPath(import.meta.url);
const require = createRequire(import.meta.url);
equal(require('path'), path);
equal(require('node:fs'), fs);
equal(exported.readFileSync, fs.readFileSync);
equal(require.resolve('fs'), 'fs');
equal(join('a', '..', 'b'), 'b');
equal(basename('/x/a.test.js', '.js'), 'a.test');
throws(() => join(1), /must be of type string/);
equal(pathToFileURL(here).href, import.meta.url);
equal(clock, performance);
equal(os.EOL, '\n');
ok(isBuiltin('node:path') && isBuiltin('path') && !isBuiltin('http2'));

equal(globalThis.process, process);
equal(argv[1], here);
equal(process.env, finoProcess.env);
process.exitCode = 0;
equal(finoProcess.exitCode, 0);
let said;
process.on('not-of-ours', (word) => { said = word; });
ok(process.emit('not-of-ours', 'word'));
equal(said, 'word');

const directory = fs.mkdtempSync(`${os.tmpdir()}/fino-test.`);
fs.mkdirSync(join(directory, 'a/b'), { recursive: true });
fs.writeFileSync(join(directory, 'a/text'), 'h\u00e9');
equal(fs.readFileSync(join(directory, 'a/text'), 'utf8'), 'h\u00e9');
equal(fs.readFileSync(join(directory, 'a/text')).toString('hex'), '68c3a9');
equal(fs.readdirSync(join(directory, 'a')).join(), 'b,text');
equal(fs.readdirSync(join(directory, 'a'), { withFileTypes: true }).map((entry) => entry.isDirectory()).join(), 'true,false');
equal(fs.statSync(join(directory, 'none'), { throwIfNoEntry: false }), undefined);
equal(fs.realpathSync(join(directory, 'a/../a/text')), join(fs.realpathSync(directory), 'a/text'));
throws(() => fs.readFileSync(join(directory, 'none')), /ENOENT/);
const failure = await new Promise((resolve) => { fs.readFile(join(directory, 'none'), resolve); });
equal(failure.code, 'ENOENT');
equal(await fs.promises.readFile(join(directory, 'a/text'), 'latin1'), 'h\u00c3\u00a9');
fs.unlinkSync(join(directory, 'a/text'));
fs.rmdirSync(join(directory, 'a/b'));
fs.rmdirSync(join(directory, 'a'));
fs.rmdirSync(directory);

equal(Bytes, globalThis.Buffer);
equal(Bytes.from('aGk=', 'base64').toString(), 'hi');
equal(Bytes.concat([Bytes.from([1, 255]), Bytes.alloc(2, 'x')]).toString('hex'), '01ff7878');

const missing = await import('node:http2').catch((error) => error);
equal(missing.code, 'ERR_UNKNOWN_BUILTIN_MODULE');
ok(missing.message.includes("'node:http2'") && missing.message.includes(here), missing.message);
