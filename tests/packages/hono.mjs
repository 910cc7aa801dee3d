import { Hono } from 'hono';
const app = new Hono();
app.use('*', async (c, next) => { await next(); c.header('x-after', 'yes'); });
app.get('/users/:id{[0-9]+}', (c) => c.json({ id: c.req.param('id'), q: c.req.query('q') ?? null }));
app.post('/echo', async (c) => c.text((await c.req.text()).toUpperCase(), 201));
app.onError((error, c) => c.text(error.message, 500));
app.get('/fail', () => { throw new Error('failed'); });
for (const request of [new Request('http://h/users/12?q=a%20b'), new Request('http://h/users/x'), new Request('http://h/echo', { method: 'POST', body: 'text' }), new Request('http://h/fail')]) {
  const response = await app.fetch(request);
  console.log(response.status, response.headers.get('content-type'), response.headers.get('x-after'), await response.text());
}
