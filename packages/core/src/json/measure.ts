/** Why a value is over a limit; `actual` is the least that was seen before measuring stopped. */
export interface Excess {
  readonly limit: "depth" | "size";
  readonly actual: number;
}

/**
 * Measures a value in memory without recursion, following own enumerable keys.
 *
 * Depth counts as for JSON text: a scalar or an empty container is 1, `{"a":1}` is 2. Size is the
 * least number of bytes that its JSON text has: one for every value and every character of a string
 * or a key. Both stop at their limit, so that cycles and values that share their parts end too.
 * @returns the size where the value is within both limits.
 * @throws what a getter or a proxy in the value throws.
 */
export function measureValue(value: unknown, maxDepth: number, maxSize: number): Excess | number {
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  let size = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: current, depth } = next;
    if (depth > maxDepth) return { limit: "depth", actual: depth };
    size += 1;
    if (typeof current === "string") size += current.length;
    else if (typeof current === "object" && current !== null) {
      if (Array.isArray(current)) {
        size += current.length;
        if (size <= maxSize)
          for (const item of current) pending.push({ value: item, depth: depth + 1 });
      } else {
        for (const key of Object.keys(current)) {
          size += key.length;
          if (size > maxSize) break;
          const member = (current as Record<string, unknown>)[key];
          pending.push({ value: member, depth: depth + 1 });
        }
      }
    }
    if (size > maxSize) return { limit: "size", actual: size };
  }
  return size;
}

/** Whether a measured value is over a limit. */
export function isExcess(measured: Excess | number): measured is Excess {
  return typeof measured !== "number";
}
