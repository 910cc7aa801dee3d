// Loops that take time in proportion to n, in a file of their own. In all these programs a step of a loop is a square root
// that waits for the one before it, which takes the same time wherever it is compiled into.
export function far(n) { let s = 0; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
export function farther(n) { let s = 1; for (let i = 0; i < n; i++) { s = Math.sqrt(s + i); } return s; }
