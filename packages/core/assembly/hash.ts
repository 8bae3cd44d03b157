import { readEscape, unescaped } from "./string";

const SEED: u64 = ((<u64>0x2545f491) << 32) | 0x4f6cdd1d;

/** Zero makes all keys collide: a test uses it to reach what otherwise only an attacker would. */
let multiplier: u64 = ((<u64>0x9e3779b9) << 32) | 0x7f4a7c15;

export function setMultiplier(value: u64): void {
  multiplier = value;
}

function mix(state: u64, block: u64): u64 {
  const product = (state ^ block) * multiplier;
  return product ^ (product >> 32);
}

/** Returns the hash of a key's bytes. Reads up to 7 bytes after it, which do not count. */
export function hashBytes(start: usize, length: usize): u32 {
  let state = SEED;
  let p = start;
  let rest = length;
  while (rest >= 8) {
    state = mix(state, load<u64>(p));
    p += 8;
    rest -= 8;
  }
  const tail = load<u64>(p) & (((<u64>1) << (rest << 3)) - 1);
  return <u32>mix(state, tail | ((<u64>rest) << 56));
}

let state: u64 = 0;
let block: u64 = 0;
let filled: u64 = 0;

function add(byte: u32): void {
  block |= (<u64>byte) << (filled << 3);
  if (++filled === 8) {
    state = mix(state, block);
    block = 0;
    filled = 0;
  }
}

function addCodePoint(code: u32): void {
  if (code < 0x80) {
    add(code);
    return;
  }
  if (code < 0x800) {
    add(0xc0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      add(0xe0 | (code >> 12));
    } else {
      add(0xf0 | (code >> 18));
      add(0x80 | ((code >> 12) & 0x3f));
    }
    add(0x80 | ((code >> 6) & 0x3f));
  }
  add(0x80 | (code & 0x3f));
}

/** Returns the hash of a key with escapes: that of the unescaped bytes. */
export function hashEscaped(start: usize, end: usize): u32 {
  state = SEED;
  block = 0;
  filled = 0;
  let p = start;
  while (p < end) {
    const byte = load<u8>(p);
    if (byte === 0x5c) {
      addCodePoint(readEscape(p));
      p += unescaped;
    } else {
      add(byte);
      p++;
    }
  }
  return <u32>mix(state, block | (filled << 56));
}
