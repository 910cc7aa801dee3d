// A headless Chromium, driven over its own pipe: open(url) gives a page that evaluates, clicks and types.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export async function open(url, { width = 1200, height = 800 } = {}) {
  const home = mkdtempSync(join(tmpdir(), 'fino-chromium.'));
  const browser = spawn('chromium', ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
    '--no-first-run', '--remote-debugging-pipe', `--user-data-dir=${home}`, `--window-size=${width},${height}`,
    'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: home } });
  const waiting = new Map(), errors = [];
  let last = 0, rest = '', session;
  const gone = new Promise((_, reject) => browser.once('exit', (code) => reject(new Error(`chromium ended: ${code}`))));
  gone.catch(() => {});

  function receive(message) {
    if (message.method === 'Runtime.exceptionThrown') errors.push(message.params.exceptionDetails.exception?.description);
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.error) call?.reject(new Error(message.error.message));
    else call?.resolve(message.result);
  }
  browser.stdio[4].setEncoding('utf8').on('data', (text) => {
    const parts = (rest + text).split('\0');
    rest = parts.pop();
    for (const part of parts) receive(JSON.parse(part));
  });
  function send(method, params = {}) {
    const id = ++last;
    browser.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
    return Promise.race([gone, new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))]);
  }

  const { targetInfos } = await send('Target.getTargets');
  const { targetId } = targetInfos.find(({ type }) => type === 'page');
  ({ sessionId: session } = await send('Target.attachToTarget', { targetId, flatten: true }));
  await Promise.all([send('Page.enable'), send('Runtime.enable')]);
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });

  const page = {
    errors, // what scripts threw and nobody caught
    // By way of another page, so that it loads even if only what follows its # changes; until READY is true in it.
    async goto(target, ready = 'true') {
      for (const url of ['about:blank', target]) {
        await send('Page.navigate', { url });
        const there = `location.href.startsWith(${JSON.stringify(url.split('#')[0])}) && document.readyState === 'complete' && (${url === target ? ready : true})`;
        for (let i = 0; !(await page.evaluate(there).catch(() => false)); i++) {
          if (i === 60) throw new Error(`${url} does not load`);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    },
    // The value of EXPRESSION in the page, as JSON can say it.
    async evaluate(expression) {
      const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async move(x, y) { await send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y }); },
    async click(x, y) {
      await page.move(x, y);
      for (const type of ['mousePressed', 'mouseReleased']) await send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    },
    async press(key) {
      for (const type of ['keyDown', 'keyUp']) await send('Input.dispatchKeyEvent', { type, key, code: key, text: type === 'keyDown' && key.length === 1 ? key : undefined });
    },
    async type(text) { await send('Input.insertText', { text }); },
    async screenshot(file) { writeFileSync(file, Buffer.from((await send('Page.captureScreenshot')).data, 'base64')); },
    async close() {
      browser.removeAllListeners('exit');
      const ended = new Promise((resolve) => browser.once('exit', resolve));
      await send('Browser.close').catch(() => {});
      await ended;
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await page.goto(url);
  return page;
}
