import { type ExactTree, exactSubtree } from "../json/exact-tree.ts";
import { escapePointer } from "../json/pointer.ts";
import type { Json } from "./json.ts";
import { fragmentToken } from "./uri.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A document that contains schemas. */
export interface DocumentPlace {
  /** `""` for the author's own, else its URI. */
  readonly name: string;
  readonly root: Json | boolean;
}

/** The name, in a resource's dynamic anchors, of a root with `$recursiveAnchor`: no anchor is empty. */
export const RECURSIVE_ANCHOR = "";

/** A schema resource (2020-12 Core, section 4.3.5) and the names in it. */
export class Resource {
  readonly uri: string;
  readonly vocabulary: Vocabulary;
  readonly document: DocumentPlace;
  /** The place of the resource's root schema, which refers back to this resource. */
  readonly root: SchemaPlace;
  /** Plain-name fragments; more than one place if the name was given twice. */
  readonly anchors: Map<string, SchemaPlace[]> = new Map();
  /** `$dynamicAnchor`s, and under {@link RECURSIVE_ANCHOR} a root with `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, SchemaPlace> = new Map();

  /** @param rootIn makes the root. */
  constructor(
    uri: string,
    vocabulary: Vocabulary,
    document: DocumentPlace,
    rootIn: (resource: Resource) => SchemaPlace,
  ) {
    this.uri = uri;
    this.vocabulary = vocabulary;
    this.document = document;
    this.root = rootIn(this);
  }
}

/** The path to a place from one above it. */
interface Way {
  readonly from: SchemaPlace;
  readonly tokens: readonly string[];
}

/**
 * A schema and its place. The texts of places are made on first use, only for faults and issues: below a long name
 * there may be many places.
 */
export class SchemaPlace {
  readonly schema: Json | boolean;
  readonly resource: Resource;
  readonly exact: ExactTree | undefined;
  private readonly way: Way | undefined;
  private texts: { readonly pointer: string; readonly origin: string } | undefined;

  constructor(
    schema: Json | boolean,
    resource: Resource,
    exact: ExactTree | undefined,
    way: Way | undefined,
  ) {
    this.schema = schema;
    this.resource = resource;
    this.exact = exact;
    this.way = way;
  }

  /** The place that is reached by reference tokens, of which the first is a keyword. */
  below(tokens: readonly string[], schema: Json | boolean): SchemaPlace {
    let { exact } = this;
    if (exact !== undefined) for (const token of tokens) exact = exactSubtree(exact, token);
    return new SchemaPlace(schema, this.resource, exact, { from: this, tokens });
  }

  /** The same place as part of a resource that starts there. */
  startOf(resource: Resource): SchemaPlace {
    return new SchemaPlace(this.schema, resource, this.exact, this.way);
  }

  /** RFC 6901 pointer from the document's root. */
  get pointer(): string {
    return this.written().pointer;
  }

  /** The same as a URI fragment, after the document's name. */
  get origin(): string {
    return this.written().origin;
  }

  private written(): { readonly pointer: string; readonly origin: string } {
    if (this.texts !== undefined) return this.texts;
    const unwritten: Way[] = [];
    let at: SchemaPlace = this;
    while (at.texts === undefined && at.way !== undefined) {
      unwritten.push(at.way);
      at = at.way.from;
    }
    let { pointer, origin } = at.texts ?? {
      pointer: "",
      origin: `${this.resource.document.name}#`,
    };
    for (let way = unwritten.pop(); way !== undefined; way = unwritten.pop()) {
      way.from.texts ??= { pointer, origin };
      way.tokens.forEach((token, i) => {
        pointer += `/${escapePointer(token)}`;
        const encoded = fragmentToken(token);
        // The "$" of a keyword is not percent-encoded.
        origin += `/${i === 0 ? encoded.replaceAll("%24", "$") : encoded}`;
      });
    }
    this.texts = { pointer, origin };
    return this.texts;
  }
}

/** Returns how a message names a pointer in a document. */
export function describePointer({ resource }: SchemaPlace, pointer: string): string {
  const { name } = resource.document;
  return name === "" ? pointer : `${pointer} of the document ${name}`;
}

/** Returns the path of a fault: a pointer into the author's document; other documents count as its root. */
export function faultPath({ resource }: SchemaPlace, pointer: string): string {
  return resource.document.name === "" ? pointer : "";
}
