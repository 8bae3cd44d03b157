import { base, spend } from "./accept-state";
import {
  LIST_HEADER_SIZE,
  PROPERTY_HEAD,
  PROPERTY_LENGTH,
  PROPERTY_MASK,
  PROPERTY_NAME,
  PROPERTY_SIZE,
} from "./image";
import { isSame } from "./same";

/** Returns whether the key at `start`, with the quote after it, is the name of a property. */
export function isProperty(entry: usize, start: usize): bool {
  const mask = load<u64>(entry, PROPERTY_MASK);
  if ((load<u64>(start) & mask) !== load<u64>(entry, PROPERTY_HEAD)) return false;
  const length = load<u32>(entry, PROPERTY_LENGTH);
  return length <= 8 || isSame(base + <usize>load<u32>(entry, PROPERTY_NAME), start, length);
}

/** Returns the property of a list that has the key from `start` to the quote before `end`, or 0. */
export function findProperty(list: usize, start: usize, end: usize): usize {
  const length = <u32>(end - start);
  const last = list + LIST_HEADER_SIZE + <usize>load<u32>(list) * PROPERTY_SIZE;
  for (let entry = list + LIST_HEADER_SIZE; entry < last; entry += PROPERTY_SIZE) {
    spend(1);
    if (load<u32>(entry, PROPERTY_LENGTH) !== length) continue;
    if (isProperty(entry, start)) return entry;
    spend(<i32>(length >> 3));
  }
  return 0;
}
