// biome-ignore lint/suspicious/noImportCycles: schemas stand in schemas, and references to functions would be kept in the memory that is laid out by hand
import { judge } from "./accept";
import { at, listed, skip, unsure } from "./accept-state";
import { keysRead, recountKeys } from "./accept-unread";
import { ALL_OF, ANY_OF, ELSE, IF, NOT, ONE_OF, THEN } from "./image";

/** Checks a value by one of several schemas; its keys count once. */
function judgeAgain(node: usize, p: usize, keysBefore: i32): usize {
  recountKeys(keysBefore);
  return judge(node, p);
}

/** Returns the address after the value at `p` if all schemas that a node applies to it accept it, or 0. */
export function judgeInPlace(node: usize, p: usize): usize {
  const before = keysRead;
  let whole = before;
  let end: usize = 0;
  const all = at(node, ALL_OF);
  if (all !== 0) {
    const count = load<u32>(all);
    for (let i: u32 = 0; i < count; i++) {
      end = judgeAgain(listed(all, i), p, before);
      if (end === 0) return 0;
      whole = keysRead;
    }
  }
  const any = at(node, ANY_OF);
  if (any !== 0) {
    const count = load<u32>(any);
    let matched: usize = 0;
    for (let i: u32 = 0; i < count && matched === 0; i++) {
      matched = judgeAgain(listed(any, i), p, before);
      if (unsure) return 0;
    }
    if (matched === 0) return 0;
    end = matched;
    whole = keysRead;
  }
  const one = at(node, ONE_OF);
  if (one !== 0) {
    const count = load<u32>(one);
    let matched: usize = 0;
    for (let i: u32 = 0; i < count; i++) {
      const next = judgeAgain(listed(one, i), p, before);
      if (unsure || (next !== 0 && matched !== 0)) return 0;
      if (next !== 0) {
        matched = next;
        whole = keysRead;
      }
    }
    if (matched === 0) return 0;
    end = matched;
  }
  const not = at(node, NOT);
  if (not !== 0 && (judge(not, p) !== 0 || unsure)) return 0;
  const condition = at(node, IF);
  if (condition !== 0) {
    const met = judge(condition, p) !== 0;
    if (unsure) return 0;
    end = judgeAgain(at(node, met ? THEN : ELSE), p, before);
    if (end === 0) return 0;
    whole = keysRead;
  }
  if (end === 0) {
    recountKeys(before);
    return skip(p);
  }
  recountKeys(whole);
  return end;
}
