// Compiling WebAssembly on V8's own threads keeps the loop alive until its promise settles.
import { equal } from './assert.mjs';

const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 7, 7, 1, 3, 97, 100,
  100, 0, 0, 10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11]);
const module = await WebAssembly.compile(bytes);
equal((await WebAssembly.instantiate(module)).exports.add(2, 3), 5);
const broken = await WebAssembly.compile(bytes.subarray(0, 20)).catch((error) => error);
equal(broken instanceof WebAssembly.CompileError, true);
equal(structuredClone(module) instanceof WebAssembly.Module, true);
