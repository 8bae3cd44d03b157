import type { MemberDemand, ViolationPlan } from "./plan.ts";
import { arrayOrEmpty, type SchemaParts, sizeBounds } from "./schema-parts.ts";

/** Merges the demands of a plan that concern the same member or item. */
export function joinedDemands<Key>(
  demands: readonly MemberDemand<Key>[],
): ReadonlyMap<Key, MemberDemand<Key>> {
  const all = new Map<Key, MemberDemand<Key>>();
  for (const { key, must, fails } of demands) {
    const known = all.get(key);
    all.set(key, {
      key,
      must: [...(known?.must ?? []), ...must],
      fails: [...(known?.fails ?? []), ...fails],
    });
  }
  return all;
}

/** The shape of an array: its length, and which of its items are made one by one. */
export interface ArrayShape {
  readonly size: number;
  /** The items that are made one by one; all others are copies of the last one. */
  readonly indices: readonly number[];
  readonly demands: ReadonlyMap<number, MemberDemand<number>>;
  readonly isUnique: boolean;
}

/**
 * Returns the shape of an array that meets the demands of a plan; undefined if none can be made.
 * @param maxSize how long an array may be
 * @param maxMade how many items may be made one by one
 */
export function arrayShape(
  parts: SchemaParts,
  plan: ViolationPlan,
  { maxSize, maxMade }: { readonly maxSize: number; readonly maxMade: number },
): ArrayShape | undefined {
  const demands = new Map(joinedDemands(plan.items));
  const [least, most] = sizeBounds(parts, "minItems", "maxItems");
  let size = Math.max(least, ...[...demands.keys()].map((at) => at + 1));
  const wanted = parts.flatMap(({ contains, minContains = 1 }) =>
    contains === undefined ? [] : [{ contains, count: Number(minContains) }],
  );
  for (const { contains, count } of wanted) {
    let left = count;
    for (let at = 0; left > 0 && at < most && at < maxMade; at += 1) {
      if (demands.has(at)) continue;
      demands.set(at, { key: at, must: [contains], fails: [] });
      size = Math.max(size, at + 1);
      left -= 1;
    }
  }
  if (size > most || size > maxSize) return undefined;
  if (plan.outside.length > 0) {
    for (let at = 0; at < Math.min(size, maxMade); at += 1) {
      const { must = [], fails = [] } = demands.get(at) ?? {};
      demands.set(at, { key: at, must, fails: [...fails, ...plan.outside] });
    }
  }
  const isUnique = parts.some(({ uniqueItems }) => uniqueItems === true);
  if (isUnique && plan.hasTwins) return undefined;
  const places = Math.max(0, ...parts.map(({ prefixItems }) => arrayOrEmpty(prefixItems).length));
  const kept =
    plan.hasTwins || isUnique ? size : Math.min(size, places + 1 + Math.max(-1, ...demands.keys()));
  const indices = Array.from({ length: Math.max(kept, Math.min(size, 1)) }, (_, at) => at);
  return { size, indices, demands, isUnique };
}
