# cases.sh: the programs of known weights, and what they show. Short phases need more samples: there each is a throw of
# the dice, where long ones are measured piece by piece.
# shellcheck shell=bash disable=SC2034
weight_cases=(
  '50/30/20: mix.mjs 1200 5000 3000 2000'
  '80/20: mix.mjs 1200 8000 2000'
  '95/5: mix.mjs 1200 19000 1000'
  'phases of 100 us: mix.mjs 4000 100 100'
  'phases of one interval: mix.mjs 4000 200 200'
  'phases of 1 ms: mix.mjs 1500 1000 1000'
  'phases of 7 ms: mix.mjs 1500 7000 7000'
  'phases of 100 us, 1 ms and 7 ms: mix.mjs 1500 100 1000 7000'
  'half in system calls: calls.mjs 1500'
)
