// Raw connections for tests of HTTP servers: what was sent, what came back, and that the connection was closed.
import { connect } from 'fino:net/tcp';

const decoder = new TextDecoder('latin1');
export const latin1 = (text) => Uint8Array.from(text, (c) => c.charCodeAt(0));

// exchange(port, pieces): sends them, one write each, and resolves with all that comes until the server closes.
export async function exchange(port, ...pieces) {
  const connection = await connect({ port });
  let out = '';
  const reading = (async () => {
    for await (const bytes of connection) out += decoder.decode(bytes);
  })().catch(() => {});
  for (const piece of pieces) {
    await connection.write(typeof piece === 'string' ? latin1(piece) : piece).catch(() => {});
    await new Promise((resolve) => { setTimeout(resolve, 1); });
  }
  await reading;
  connection.close();
  return out;
}

export const statuses = (text) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => Number(match[1]));
