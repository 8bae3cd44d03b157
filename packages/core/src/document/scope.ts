import type { Place, Resource } from "./place.ts";

/**
 * What dynamic references lead to from here: for every dynamic anchor, its place in the outermost
 * resource that has it (2020-12 Core, section 7.1). Equal scopes are the same object.
 */
export interface Scope {
  readonly outermost: ReadonlyMap<string, Place>;
  readonly entered: Map<Resource, Scope>;
}

/** Makes scopes, and counts what they hold, since a hostile schema multiplies it. */
export class Scopes {
  readonly empty: Scope = { outermost: new Map(), entered: new Map() };
  private readonly known: Map<string, Scope> = new Map();
  private readonly numbers: Map<Place, number> = new Map();
  private left: number;
  private readonly refuse: () => Error;

  /** @param refuse makes what is thrown once all scopes hold more than `most` anchors. */
  constructor(most: number, refuse: () => Error) {
    this.left = most;
    this.refuse = refuse;
  }

  /** The scope inside a resource that is entered from `scope`. */
  enter(scope: Scope, resource: Resource): Scope {
    if (resource.dynamicAnchors.size === 0) return scope;
    const known = scope.entered.get(resource);
    if (known !== undefined) return known;
    const made = this.extend(scope, resource);
    scope.entered.set(resource, made);
    // Entering it again changes nothing.
    made.entered.set(resource, made);
    return made;
  }

  private extend(scope: Scope, resource: Resource): Scope {
    this.left -= scope.outermost.size + resource.dynamicAnchors.size;
    if (this.left < 0) throw this.refuse();
    const outermost = new Map(scope.outermost);
    for (const [anchor, place] of resource.dynamicAnchors) {
      if (!outermost.has(anchor)) outermost.set(anchor, place);
    }
    if (outermost.size === scope.outermost.size) return scope;
    // A place has one name in a scope, so that the places tell the names.
    const key = [...outermost.values()]
      .map((place) => this.number(place))
      .sort((a, b) => a - b)
      .join();
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const made: Scope = { outermost, entered: new Map() };
    this.known.set(key, made);
    return made;
  }

  private number(place: Place): number {
    const known = this.numbers.get(place);
    if (known !== undefined) return known;
    const next = this.numbers.size;
    this.numbers.set(place, next);
    return next;
  }
}
