// A Realm that is terminated while files are read, names looked up, connections made and timers set for it: nothing of
// that may come back to it.
import { Realm } from 'fino:realm';
import { rejects } from './assert.mjs';

const source = `import { realm } from 'fino:realm/self';
  import { DiskFileSystem } from 'fino:file';
  const files = new DiskFileSystem();
  const ignore = () => {};
  for (let i = 0; i < 20; i++) {
    files.readFile('/proc/self/maps').catch(ignore);
    setTimeout(ignore, i);
  }
  for (let i = 0; i < 3; i++) {
    fetch('http://localhost:1/').catch(ignore);
    fetch('http://127.0.0.1:1/').catch(ignore);
  }
  realm.port.postMessage('begun');
  setInterval(ignore, 1e9);`;

for (let i = 0; i < 60; i++) {
  const realm = Realm.fromSource(source);
  const ended = realm.run();
  await new Promise((resolve) => { realm.port.onmessage = resolve; });
  if (i % 3 === 1) await new Promise((resolve) => setTimeout(resolve, i % 5));
  realm.terminate();
  await rejects(ended, { code: 'ERR_REALM_TERMINATED' });
}
