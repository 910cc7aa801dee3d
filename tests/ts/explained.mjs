// explained.mjs: where the eraser may differ from typescript and amaro, and why. Anything else is a failure.

const reasons = [
  [/does not parse: Unexpected character '@'/, 'decorators, which they leave and fino lowers: tests/e2e/test-ts-programs.sh runs those'],
  [/^rejected: .*decorators of parameters are legacy ones/, 'decorators of parameters, which amaro leaves: no JavaScript'],
  [/^rejected: .*a namespace can't export a list/, 'export { } inside a namespace: TypeScript error 1194, and not JavaScript: the eraser says so'],
  [/theirs ".*export as namespace/, 'export as namespace, which amaro leaves: no JavaScript'],
];

// WHY: how ours differs from theirs. Returns a reason or undefined.
export const explain = (why) => reasons.find(([pattern]) => pattern.test(why))?.[1];
