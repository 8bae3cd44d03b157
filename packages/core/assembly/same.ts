/** Returns whether two spans are equal. Reads up to 7 bytes after each, which do not count. */
export function isSame(a: usize, b: usize, length: u32): bool {
  let at: usize = 0;
  let rest = length;
  while (rest >= 8) {
    if (load<u64>(a + at) !== load<u64>(b + at)) return false;
    at += 8;
    rest -= 8;
  }
  const differences = load<u64>(a + at) ^ load<u64>(b + at);
  return (differences & (((<u64>1) << ((<u64>rest) << 3)) - 1)) === 0;
}
