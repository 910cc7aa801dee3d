// eraser.mjs: talks to one ts_erase_cli --batch.
import { spawn } from 'node:child_process';

export class Eraser {
  #child;
  #chunks = [];
  #size = 0;
  #wake = null;
  #ended = false;

  constructor(program) {
    this.#child = spawn(program, ['--batch'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child.stdout.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      this.#wake?.();
    });
    this.#child.on('close', () => {
      this.#ended = true;
      this.#wake?.();
    });
    this.#child.stdin.on('error', () => {});
  }

  async #more() {
    if (this.#ended) throw new Error('the eraser ended');
    await new Promise((resolve) => (this.#wake = resolve));
    this.#wake = null;
  }

  #join() {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }

  async #line() {
    for (;;) {
      if (this.#size > 0) {
        const all = this.#join();
        const end = all.indexOf(10);
        if (end >= 0) {
          this.#chunks = [all.subarray(end + 1)];
          this.#size -= end + 1;
          return all.toString('latin1', 0, end);
        }
      }
      await this.#more();
    }
  }

  async #bytes(count) {
    while (this.#size < count) await this.#more();
    if (count === 0) return Buffer.alloc(0);
    const all = this.#join();
    this.#chunks = [all.subarray(count)];
    this.#size -= count;
    return all.subarray(0, count);
  }

  // Resolves to { code } or { error, line, column }.
  async erase(source, letters = '-') {
    const bytes = Buffer.isBuffer(source) ? source : Buffer.from(source);
    this.#child.stdin.write(`${letters} ${bytes.length}\n`);
    this.#child.stdin.write(bytes);
    const head = (await this.#line()).split(' ');
    const body = (await this.#bytes(Number(head.at(-1)))).toString();
    if (head[0] === 'ok') return { code: body };
    return { error: `${head[1]}:${head[2]}: ${body}`, line: Number(head[1]), column: Number(head[2]) };
  }

  close() {
    this.#child.stdin.end();
  }
}
