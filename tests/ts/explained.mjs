// explained.mjs: where the eraser may differ from typescript and amaro, and why. Anything else is a failure.

const reasons = [
  [/does not parse: Unexpected character '@'/, 'decorators, which they leave and fino lowers: tests/e2e/test-ts-programs.sh runs those'],
  [/^rejected: .*decorators of parameters are legacy ones/, 'legacy decorators, which tsconfig.json must ask for'],
  [/^rejected: .*"using" declarations/, 'using declarations, which V8 10.2 can not run: the eraser says so'],
];

// WHY: how ours differs from theirs. Returns a reason or undefined.
export const explain = (why) => reasons.find(([pattern]) => pattern.test(why))?.[1];
