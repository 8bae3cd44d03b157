import { memberAt, pointerTokens } from "../json/pointer.ts";
import { equalJson } from "../json/value.ts";
import type { Documents } from "./admitted.ts";
import { type SchemaError, SchemaFaultError } from "./fault.ts";
import { isJson, quotedExcerpt } from "./json.ts";
import { describePointer, faultPath, type Resource, type SchemaPlace } from "./place.ts";
import type { SchemaIndex } from "./schema-index.ts";
import { DEFAULT_BASE, decodeFragment } from "./uri.ts";

/** The target of a reference. */
export interface ReferenceTarget {
  readonly place: SchemaPlace;
  /** The resource and the name, if it was reached by a plain-name fragment. */
  readonly named?: { readonly resource: Resource; readonly anchor: string };
}

/** A reference as it is in a schema. */
interface Asked {
  readonly reference: string;
  readonly from: SchemaPlace;
  readonly keyword: string;
}

function unresolved({ reference, from, keyword }: Asked, text: string): SchemaError {
  const pointer = `${from.pointer}/${keyword}`;
  const message = `the reference ${quotedExcerpt(reference)} at ${describePointer(from, pointer)} ${text}`;
  return { code: "unresolved_reference", message, path: faultPath(from, pointer) };
}

function fault(asked: Asked, text: string): SchemaFaultError {
  return new SchemaFaultError(unresolved(asked, text));
}

const NOTHING =
  "leads to nothing inside the schema. References are never fetched: put the target under " +
  '"$defs" and refer to it there, or pass its document';

/** Resolves references inside the documents of an index, and adds documents that they lead to. */
export class Resolver {
  private readonly index: SchemaIndex;
  private readonly library: Documents;
  /** The target chosen from each list of places with the same name, and the list's length at that time. */
  private readonly chosen: Map<readonly unknown[], { of: number; choice: unknown }> = new Map();
  private readonly added: Set<string> = new Set();

  constructor(index: SchemaIndex, library: Documents) {
    this.index = index;
    this.library = library;
  }

  /**
   * Returns the target of a reference (2020-12 Core, section 8.2.3).
   * @throws SchemaFaultError if there is none, or not exactly one schema.
   */
  resolve(reference: string, from: SchemaPlace, keyword: string): ReferenceTarget {
    const asked = { reference, from, keyword };
    const resolved = this.index.uris.resolve(from.resource.uri, reference);
    if (resolved === undefined) throw fault(asked, "is not a URI reference");
    const { uri } = resolved;
    const resource = uri === from.resource.uri ? from.resource : this.resource(uri, asked);
    const fragment = decodeFragment(resolved.fragment);
    if (fragment === undefined) throw fault(asked, "has a malformed fragment");
    if (fragment === "") return { place: resource.root };
    if (fragment.startsWith("/")) return { place: this.pointed(fragment, resource, asked) };
    const places = resource.anchors.get(fragment) ?? [];
    const place = this.one(places, (found) => found.schema);
    if (place === "several") throw fault(asked, "leads to more than one schema");
    if (place === undefined) throw fault(asked, NOTHING);
    return { place, named: { resource, anchor: fragment } };
  }

  private resource(uri: string, asked: Asked): Resource {
    let found = this.index.resourcesAt(uri);
    if (found.length === 0) {
      this.add(uri);
      found = this.index.resourcesAt(uri);
    }
    if (found.length === 0) found = this.search(uri);
    const resource = this.one(found, (each) => each.root.schema);
    if (resource === "several") throw fault(asked, "leads to more than one schema");
    if (resource === undefined) {
      throw new SchemaFaultError({ ...unresolved(asked, NOTHING), isExternal: true });
    }
    return resource;
  }

  /**
   * Searches the passed documents for a URI that may be the name of one of them, or of a part of one.
   * @throws SchemaFaultError of the first of them that is not a schema, if no other has the name.
   */
  private search(uri: string): readonly Resource[] {
    let refused: unknown;
    for (const kept of this.library.naming(uri)) {
      try {
        this.library.document(kept);
      } catch (thrown) {
        if (!(thrown instanceof SchemaFaultError)) throw thrown;
        refused ??= thrown;
        continue;
      }
      this.add(kept);
      const found = this.index.resourcesAt(uri);
      if (found.length > 0) return found;
    }
    if (refused !== undefined) throw refused;
    return [];
  }

  private add(uri: string): void {
    if (this.added.has(uri)) return;
    this.added.add(uri);
    const document = this.library.document(uri);
    if (document === undefined) return;
    const name = uri.startsWith(DEFAULT_BASE) ? uri.slice(DEFAULT_BASE.length) : uri;
    this.index.add(document, name, uri);
  }

  private pointed(pointer: string, resource: Resource, asked: Asked): SchemaPlace {
    // The deepest schema on the path to the target determines the target's resource, and so its dialect.
    let place = resource.root;
    let tokens: string[] = [];
    let value: unknown = resource.root.schema;
    for (const token of pointerTokens(pointer)) {
      const next = memberAt(value, token);
      if (next === undefined) throw fault(asked, NOTHING);
      value = next.value;
      tokens.push(token);
      const known = this.index.placeOf(value);
      if (known === undefined) continue;
      place = known;
      tokens = [];
    }
    if (!isJson(value) && typeof value !== "boolean") {
      throw fault(
        asked,
        "leads to something that is not a schema: a schema is an object or a boolean",
      );
    }
    return tokens.length === 0 ? place : this.index.below(place, tokens, value);
  }

  /**
   * Returns the only item of a list, or one of several equal ones. The result is cached by the list's length, because
   * lists only grow.
   */
  private one<T>(found: readonly T[], schemaOf: (each: T) => unknown): T | "several" | undefined {
    const [first] = found;
    if (first === undefined || found.length === 1) return first;
    const known = this.chosen.get(found);
    if (known?.of === found.length) return known.choice as T | "several";
    const equal = found.every((other) => equalJson(schemaOf(first), schemaOf(other)));
    const choice = equal ? first : "several";
    this.chosen.set(found, { of: found.length, choice });
    return choice;
  }
}
