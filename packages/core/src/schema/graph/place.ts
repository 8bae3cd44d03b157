import { escapePointer } from "../../json/pointer.ts";
import type { ExactTree } from "./exact.ts";
import type { Json } from "./json.ts";
import { fragmentToken } from "./uri.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A document in which schemas stand. */
export interface DocumentPlace {
  /** `""` for the author's own, else its URI. */
  readonly name: string;
  readonly root: Json | boolean;
}

/** A schema resource (2020-12 Core, section 4.3.5) and the names in it. */
export interface Resource {
  readonly uri: string;
  readonly vocabulary: Vocabulary;
  readonly document: DocumentPlace;
  readonly root: Place;
  /** Plain-name fragments; more than one place where the name was given twice. */
  readonly anchors: Map<string, Place[]>;
  /** `$dynamicAnchor`s, and under {@link RECURSIVE} a root with `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, Place>;
}

/** A schema and where it stands. */
export interface Place {
  readonly schema: Json | boolean;
  readonly resource: Resource;
  /** RFC 6901 pointer from the document's root. */
  readonly pointer: string;
  /** The same as a URI fragment, behind the document's name. */
  readonly origin: string;
  readonly exact: ExactTree | undefined;
}

/** The name, in a resource's dynamic anchors, of a root with `$recursiveAnchor`: no anchor is empty. */
export const RECURSIVE = "";

/** The place below another by reference tokens; `resource` is given where it starts one. */
export function placeBelow(
  parent: Pick<Place, "resource" | "pointer" | "origin" | "exact">,
  tokens: readonly string[],
  schema: Json | boolean,
): Place {
  let { pointer, origin, exact } = parent;
  tokens.forEach((token, i) => {
    pointer += `/${escapePointer(token)}`;
    // The first is a keyword, whose "$" stands as it is written.
    const encoded = fragmentToken(token);
    origin += `/${i === 0 ? encoded.replaceAll("%24", "$") : encoded}`;
    exact = exact?.below.get(token);
  });
  return { schema, resource: parent.resource, pointer, origin, exact };
}

/** How a message names a pointer in a document. */
export function whereIs(place: Pick<Place, "resource">, pointer: string): string {
  const { name } = place.resource.document;
  return name === "" ? pointer : `${pointer} of the document ${name}`;
}

/** The path of a fault: a pointer into the author's document, whose root stands for the others. */
export function faultPath(place: Pick<Place, "resource">, pointer: string): string {
  return place.resource.document.name === "" ? pointer : "";
}
