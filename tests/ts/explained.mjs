// explained.mjs: where the eraser may differ from typescript and amaro, and why. Anything else is a failure.

const reasons = [
  [/^rejected: .*JSX is not supported/, 'JSX, which the eraser does not know yet'],
  [/^rejected: .*decorators are not supported/, 'decorators, which the eraser does not know yet'],
  [/^rejected: .*"using" declarations/, 'using declarations, which V8 10.2 can not run: the eraser says so'],
];

// WHY: how ours differs from theirs. Returns a reason or undefined.
export const explain = (why) => reasons.find(([pattern]) => pattern.test(why))?.[1];
