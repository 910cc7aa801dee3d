// Loops that take time in proportion to n, in a file of their own.
export const A = new Float64Array(1000).map((_, i) => i + 0.5);
export function far(n) { let s = 0; for (let i = 0; i < n; i++) { s += A[i] * 1.0000001; } return s; }
export function farther(n) { let s = 0; for (let i = 0; i < n; i++) { s += A[i] * 1.0000002; } return s + 1; }
