import { z } from 'zod';
const schema = z.object({ name: z.string().min(2), tags: z.array(z.enum(['a', 'b'])), at: z.coerce.date(), n: z.union([z.number(), z.bigint()]) }).strict();
console.log(schema.parse({ name: 'abc', tags: ['a'], at: '2020-01-02T03:04:05Z', n: 3n }));
const result = schema.safeParse({ name: 'a', tags: ['c'], at: 'x', n: '', more: 1 });
console.log(JSON.stringify(result.error.issues), JSON.stringify(result.error.format()));
