/** Why a value exceeds a limit. `actual` is a lower bound: measuring stops early. */
export interface LimitExcess {
  readonly limit: "depth" | "size";
  readonly actual: number;
}

/** Up to this limit, values are walked recursively, which is faster. Beyond it, a list is used. */
const RECURSION = 1000;
/** Returned by a walk instead of a size. */
const TOO_DEEP = -1;

/**
 * Measures a value in memory by its own enumerable keys. Deep nesting does not use up the stack.
 *
 * Depth counts as for JSON text: a scalar or an empty container is 1, `{"a":1}` is 2. Size is a lower bound for the
 * bytes of its JSON text: one for every value and every character of a string or a key. Both stop at their limit, so
 * values with cycles or shared parts end too.
 * @returns the size if the value is within both limits.
 * @throws whatever a getter or a proxy in the value throws.
 */
export function measureValue(
  value: unknown,
  maxDepth: number,
  maxSize: number,
): LimitExcess | number {
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
 * Adds the contents of a container to `size`, up to `levels` below it.
 * @returns the new size, soon after it exceeds `maxSize`; or {@link TOO_DEEP}.
 */
function walk(container: object, levels: number, size: number, maxSize: number): number {
  let sum = size;
  // Scalars are measured inline and not in a separate call. This is what makes it fast.
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
  // Faster than a `for…in` loop over the container, unless that loop only ever sees small objects.
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

/** Does the same as {@link walk}, without recursion. */
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

/** Returns whether a measured value exceeds a limit. */
export function exceedsLimit(measured: LimitExcess | number): measured is LimitExcess {
  return typeof measured !== "number";
}
