/** Why a value is over a limit; `actual` is the least that was seen before measuring stopped. */
export interface Excess {
  readonly limit: "depth" | "size";
  readonly actual: number;
}

/** Limits up to this depth are walked to by recursion, which is quicker; others by a list. */
const RECURSION = 1000;
/** Given by a walk in place of a size. */
const TOO_DEEP = -1;

/**
 * Measures a value in memory, following own enumerable keys; how deep it nests costs no stack.
 *
 * Depth counts as for JSON text: a scalar or an empty container is 1, `{"a":1}` is 2. Size is the
 * least number of bytes that its JSON text has: one for every value and every character of a string
 * or a key. Both stop at their limit, so that cycles and values that share their parts end too.
 * @returns the size where the value is within both limits.
 * @throws what a getter or a proxy in the value throws.
 */
export function measureValue(value: unknown, maxDepth: number, maxSize: number): Excess | number {
  if (maxDepth < 1) return { limit: "depth", actual: 1 };
  let size = 1;
  if (typeof value === "string") size += value.length;
  else if (typeof value === "object" && value !== null) {
    size =
      maxDepth <= RECURSION
        ? walk(value, maxDepth - 1, size, maxSize)
        : walkFar(value, maxDepth - 1, size, maxSize);
  }
  if (size === TOO_DEEP) return { limit: "depth", actual: maxDepth + 1 };
  return size > maxSize ? { limit: "size", actual: size } : size;
}

/**
 * Adds to `size` what is inside a container, up to `levels` below it.
 * @returns the new size, soon after it is more than `maxSize`; or {@link TOO_DEEP}.
 */
function walk(container: object, levels: number, size: number, maxSize: number): number {
  let sum = size;
  // Scalars are measured here and not in a call of their own: that is what makes this quick.
  if (Array.isArray(container)) {
    const { length } = container;
    if (length > 0 && levels === 0) return TOO_DEEP;
    sum += length;
    for (let i = 0; i < length && sum <= maxSize; i++) {
      const item: unknown = container[i];
      sum += 1;
      if (typeof item === "string") sum += item.length;
      else if (typeof item === "object" && item !== null) {
        sum = walk(item, levels - 1, sum, maxSize);
        if (sum === TOO_DEEP) return TOO_DEEP;
      }
    }
    return sum;
  }
  // Quicker than a loop over names "in" the container, unless that only ever sees small objects.
  const keys = Object.keys(container);
  if (keys.length > 0 && levels === 0) return TOO_DEEP;
  for (let i = 0; i < keys.length && sum <= maxSize; i++) {
    const key = keys[i] as string;
    const member: unknown = (container as Record<string, unknown>)[key];
    sum += key.length + 1;
    if (typeof member === "string") sum += member.length;
    else if (typeof member === "object" && member !== null) {
      sum = walk(member, levels - 1, sum, maxSize);
      if (sum === TOO_DEEP) return TOO_DEEP;
    }
  }
  return sum;
}

/** {@link walk} without recursion. */
function walkFar(container: object, levels: number, size: number, maxSize: number): number {
  const pending = [{ container, levels }];
  let sum = size;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { container: current, levels: left } = next;
    const members: readonly unknown[] = Array.isArray(current) ? current : [];
    sum += members.length;
    const keys = Array.isArray(current) ? [] : Object.keys(current);
    const count = members.length + keys.length;
    if (count > 0 && left === 0) return TOO_DEEP;
    for (let i = 0; i < count && sum <= maxSize; i++) {
      const key = keys[i] ?? "";
      const member = Array.isArray(current)
        ? members[i]
        : (current as Record<string, unknown>)[key];
      sum += key.length + 1;
      if (typeof member === "string") sum += member.length;
      else if (typeof member === "object" && member !== null) {
        pending.push({ container: member, levels: left - 1 });
      }
    }
    if (sum > maxSize) return sum;
  }
  return sum;
}

/** Returns whether a measured value is over a limit. */
export function isExcess(measured: Excess | number): measured is Excess {
  return typeof measured !== "number";
}
