// What fino:process tells, by named exports and by the default one.
import process, * as exported from 'fino:process';
import { equal, ok, throws } from './assert.mjs';

for (const name of Object.keys(exported)) {
  if (name !== 'default') equal(process[name], exported[name], name);
}
ok(Array.isArray(process.args));
ok(process.pid > 0 && process.ppid > 0 && process.pid !== process.ppid);
ok(process.execPath.startsWith('/'));
ok(process.scriptPath.endsWith('test-process-information.mjs'));
equal(process.platform, 'linux');
ok(process.version.length > 0);
equal(process.versions.fino, process.version);
ok(/^\d+\.\d+/.test(process.versions.v8));
const { rss, heapTotal, heapUsed } = process.memoryUsage();
ok(rss > heapTotal && heapTotal >= heapUsed && heapUsed > 0);
const cpu = process.cpuUsage();
for (const end = performance.now() + 30; performance.now() < end;);
const spent = process.cpuUsage(cpu);
ok(spent.user + spent.system > 5000);
ok(process.threadCpuUsage().user > 5000);
throws(() => process.cpuUsage({}), TypeError);
ok(process.uptime() > 0.02);
const [seconds, rest] = process.hrtime(process.hrtime());
ok(seconds === 0 && rest >= 0 && rest < 1e9);
equal(typeof process.hrtime.bigint(), 'bigint');
const directory = process.cwd();
process.chdir('/');
equal(process.cwd(), '/');
process.chdir(directory);
throws(() => process.chdir('/no/such/directory'), Error);
throws(() => process.chdir(5), TypeError);
throws(() => process.kill('x'), TypeError);
throws(() => process.kill(process.pid, 'SIGNONE'), TypeError);
equal(process.kill(process.pid, 0), true);
equal(process.stdout.fd, 1);
equal(typeof process.stdout.isTTY, 'boolean');
throws(() => process.stdout.write(5), TypeError);
equal(process.stdout.write(new Uint8Array([111, 107, 10])), true);
