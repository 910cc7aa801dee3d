#!/usr/bin/env bash
# What was thrown need not be an Error; causes, aggregates and rejections are told in full.
source "$(dirname "$0")/lib.sh"
fino=${FINO:-$fino}

uncaught() { # uncaught CODE TEXT...
  printf '%s\n' "$1" > script.mjs
  expect_status 1 timeout 20 "$fino" run script.mjs
  shift
  for text; do expect_text err "$text"; done
}
uncaught 'throw 42' 'Uncaught 42'
uncaught 'throw undefined' 'Uncaught undefined'
uncaught 'throw Symbol("s")' 'Uncaught Symbol(s)'
uncaught 'throw { a: 1 }' 'a: 1'
uncaught 'throw Object.create(null)' 'Uncaught'
uncaught 'throw new Proxy({}, { get() { throw 1 } })' 'Uncaught'
uncaught 'const e = new Error("x"); Object.defineProperty(e, "stack", { get() { throw 1 } }); throw e' 'Uncaught'
uncaught 'throw new Error("outer", { cause: new RangeError("inner") })' 'outer' 'RangeError: inner'
uncaught 'throw new AggregateError([new Error("one"), new TypeError("two")], "many")' 'many' 'Error: one' 'TypeError: two'
uncaught 'Promise.reject(new Error("left alone"))' 'Uncaught (in promise) Error: left alone' 'script.mjs:1:16'
uncaught 'Promise.reject(7)' '(in promise) 7'
uncaught 'await Promise.reject(new Error("at top level"))' 'Uncaught Error: at top level'
uncaught 'class MyError extends Error { name = "MyError" } setTimeout(() => { throw new MyError("late") })' 'MyError: late'
