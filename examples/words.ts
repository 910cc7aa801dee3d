// Which words follow one another in a text, and what does a text look like that is made from that?
// Something to profile: fino run --profile examples/words.ts

interface Follower {
  word: string;
  count: number;
}

type Chain = Map<string, Follower[]>;

function random(seed: number): () => number {
  let state = seed;
  return (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function syllables(next: () => number): string {
  let word = '';
  for (let n = 1 + Math.floor(next() * 3); n > 0; n--) {
    word += 'bdfgklmnprst'[Math.floor(next() * 12)]! + 'aeiou'[Math.floor(next() * 5)]!;
  }
  return word;
}

function makeText(words: number, next: () => number): string {
  const vocabulary: string[] = Array.from({ length: 2000 }, () => syllables(next));
  const text: string[] = [];
  for (let i = 0; i < words; i++) text.push(vocabulary[Math.floor(next() ** 3 * vocabulary.length)]!);
  return text.join(' ');
}

function tokenize(text: string): string[] {
  return text.match(/[a-z]+/g) as string[];
}

function follow(chain: Chain, word: string, next: string): void {
  let followers = chain.get(word);
  if (followers === undefined) chain.set(word, (followers = []));
  const known = followers.find((follower) => follower.word === next);
  if (known !== undefined) known.count++;
  else followers.push({ word: next, count: 1 });
}

function learn(words: string[]): Chain {
  const chain: Chain = new Map();
  for (let i = 1; i < words.length; i++) follow(chain, words[i - 1]!, words[i]!);
  for (const followers of chain.values()) followers.sort((a, b) => b.count - a.count);
  return chain;
}

function speak<T extends Follower>(chain: Map<string, T[]>, first: string, length: number, next: () => number): string {
  const spoken = [first];
  for (let word = first; spoken.length < length; spoken.push(word)) {
    const followers = chain.get(word)!;
    word = followers[Math.floor(next() ** 2 * followers.length)]!.word;
  }
  return spoken.join(' ');
}

const next = random(42);
const words = tokenize(makeText(400_000, next));
const chain = learn(words);
const copy: Chain = new Map(JSON.parse(JSON.stringify([...chain])) as [string, Follower[]][]);
console.log(`${words.length} words, ${chain.size} of them different; ${speak(copy, words[0]!, 12, next)} ...`);
