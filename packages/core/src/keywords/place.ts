import type { ExactTree } from "../json/exact-tree.ts";
import { joinPointer } from "../json/pointer.ts";

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
