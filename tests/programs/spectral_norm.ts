// The largest singular value of an infinite matrix: small functions that an optimising compiler inlines into one another.
function element(i: number, j: number): number {
  return 1 / (((i + j) * (i + j + 1)) / 2 + i + 1);
}

function multiply(v: Float64Array, out: Float64Array): void {
  for (let i = 0; i < v.length; i++) {
    let sum = 0;
    for (let j = 0; j < v.length; j++) sum += element(i, j) * v[j]!;
    out[i] = sum;
  }
}

function multiplyTransposed(v: Float64Array, out: Float64Array): void {
  for (let i = 0; i < v.length; i++) {
    let sum = 0;
    for (let j = 0; j < v.length; j++) sum += element(j, i) * v[j]!;
    out[i] = sum;
  }
}

function multiplyBoth(v: Float64Array, out: Float64Array, scratch: Float64Array): void {
  multiply(v, scratch);
  multiplyTransposed(scratch, out);
}

function spectralNorm(n: number): number {
  const u = new Float64Array(n).fill(1), v = new Float64Array(n), scratch = new Float64Array(n);
  for (let i = 0; i < 10; i++) {
    multiplyBoth(u, v, scratch);
    multiplyBoth(v, u, scratch);
  }
  let vBv = 0, vv = 0;
  for (let i = 0; i < n; i++) {
    vBv += u[i]! * v[i]!;
    vv += v[i]! ** 2;
  }
  return Math.sqrt(vBv / vv);
}

console.log(spectralNorm(5000).toFixed(9));
