import type { JsonObject } from "@touchstone/core/advanced";
import type { MemberClaims } from "./member-proofs.ts";
import { arrayOrEmpty, itemSchemas, type SchemaParts, sizeBounds } from "./schema-parts.ts";

/** Proves claims about the items of an array that satisfies some schemas. */
export class ItemProofs {
  readonly #claims: MemberClaims;

  constructor(claims: MemberClaims) {
    this.#claims = claims;
  }

  /** Returns whether the items at the places of `prefixItems` satisfy its schemas. */
  arePlacesWithin(parts: SchemaParts, schemas: readonly unknown[]): boolean {
    return schemas.every(
      (schema, at) =>
        at >= sizeBounds(parts, "", "maxItems")[1] ||
        this.#claims.isWithin(itemSchemas(parts, at), schema, itemsOf),
    );
  }

  /** Returns whether the items after those of `prefixItems` satisfy a schema. */
  areOthersWithin(parts: SchemaParts, schema: unknown, wanted: JsonObject): boolean {
    const from = arrayOrEmpty(wanted["prefixItems"]).length;
    const to = Math.max(from, ...parts.map(({ prefixItems }) => arrayOrEmpty(prefixItems).length));
    for (let at = from; at <= to && at < sizeBounds(parts, "", "maxItems")[1]; at += 1) {
      if (!this.#claims.isWithin(itemSchemas(parts, at), schema, itemsOf)) return false;
    }
    return true;
  }

  isContained(parts: SchemaParts, { contains, minContains = 1, maxContains }: JsonObject): boolean {
    const [least, most] = [Number(minContains), Number(maxContains ?? Number.POSITIVE_INFINITY)];
    const [fewest, largest] = sizeBounds(parts, "minItems", "maxItems");
    const isWithin = (one: unknown, other: unknown): boolean =>
      this.#claims.some([0], () => this.#claims.isWithin([one], other, itemsOf));
    const own = parts.filter((part) => part["contains"] !== undefined);
    const hasEnough =
      least <= 0 ||
      own.some(
        ({ contains: mine, minContains: count = 1 }) =>
          Number(count) >= least && isWithin(mine, contains),
      ) ||
      (fewest >= least &&
        this.#claims.some([0], () => this.areOthersWithin(parts, contains, { items: contains })));
    const hasNotTooMany =
      most === Number.POSITIVE_INFINITY ||
      largest <= most ||
      own.some(
        ({ contains: mine, maxContains: count }) =>
          typeof count === "number" && count <= most && isWithin(contains, mine),
      );
    return hasEnough && hasNotTooMany;
  }
}

/** Returns the schemas that a schema may apply to any item. */
function itemsOf({ prefixItems, items, contains, unevaluatedItems }: JsonObject): unknown[] {
  return [...arrayOrEmpty(prefixItems), items, contains, unevaluatedItems];
}
