import type { Decimal } from "../../json/decimal.ts";
import type { Decimals } from "../../json/exact.ts";
import { joinPointer } from "../../json/pointer.ts";

/**
 * Exact numbers by the way that leads to them, one level for each reference token. A pointer as
 * text would have to be made, and hashed, for every number of a value; here the way is walked along
 * with the value, and ends at once where no exact number is further on.
 */
export interface ExactTree {
  /** The exact value of the number that stands here. */
  readonly exact?: Decimal;
  readonly below?: ReadonlyMap<string, ExactTree>;
}

interface Growing {
  exact?: Decimal;
  below?: Map<string, Growing>;
}

/** Makes a tree of the numbers; undefined where there are none. */
export function exactTree(decimals: Decimals | undefined): ExactTree | undefined {
  if (decimals === undefined || decimals.size === 0) return undefined;
  const root: Growing = {};
  for (const [pointer, exact] of decimals) {
    let at = root;
    for (const token of pointer.split("/").slice(1)) {
      const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
      at.below ??= new Map();
      const next: Growing = at.below.get(name) ?? {};
      at.below.set(name, next);
      at = next;
    }
    at.exact = exact;
  }
  return root;
}

/** The part of a tree that is behind one more token. */
export function exactBelow(
  tree: ExactTree | undefined,
  token: string | number,
): ExactTree | undefined {
  return tree?.below?.get(typeof token === "number" ? String(token) : token);
}

/** Where in the value a schema is applied: a link to the container, and the token from there. */
export class Place {
  readonly parent: Place | undefined;
  readonly token: string | number;
  readonly tree: ExactTree | undefined;
  private text: string | undefined;

  constructor(parent: Place | undefined, token: string | number, tree: ExactTree | undefined) {
    this.parent = parent;
    this.token = token;
    this.tree = tree;
  }

  /** The RFC 6901 pointer. Made when first asked for, from those of the containers. */
  get pointer(): string {
    const missing: Place[] = [];
    let at: Place = this;
    while (at.text === undefined && at.parent !== undefined) {
      missing.push(at);
      at = at.parent;
    }
    at.text ??= "";
    let text = at.text;
    for (let place = missing.pop(); place !== undefined; place = missing.pop()) {
      text = joinPointer(text, place.token);
      place.text = text;
    }
    return text;
  }
}
