import { buildExactTree } from "../json/exact-tree.ts";
import type { AdmittedDocument } from "./admitted.ts";
import { embeddedVocabulary, type FindMetaschema, identifierOf } from "./dialects.ts";
import { isJson, type Json, tooMany } from "./json.ts";
import { type DocumentPlace, RECURSIVE_ANCHOR, Resource, SchemaPlace } from "./place.ts";
import { decodeFragment, UriResolver } from "./uri.ts";
import { keywordOf, refHidesSiblings, subschemas, subschemaTokens } from "./vocabulary.ts";

/** Every schema of the documents in use, and the names that lead to them. */
export class SchemaIndex {
  readonly uris: UriResolver = new UriResolver();
  private readonly places: Map<Json, SchemaPlace> = new Map();
  private readonly resources: Map<string, Resource[]> = new Map();
  private readonly find: FindMetaschema;
  private readonly maxSubschemas: number;

  constructor(find: FindMetaschema, maxSubschemas: number) {
    this.find = find;
    this.maxSubschemas = maxSubschemas;
  }

  /**
   * Adds a document.
   * @param name `""` for the author's own, else its name in messages.
   * @param uri its address: the base of its root's identifier.
   * @throws SchemaFaultError
   */
  add(document: AdmittedDocument, name: string, uri: string): SchemaPlace {
    const kept: DocumentPlace = { name, root: document.schema };
    const exact = buildExactTree(document.decimals);
    const id = isJson(document.schema)
      ? identifierOf(document.schema, document.vocabulary)
      : undefined;
    const own = id === undefined ? uri : (this.uris.resolve(uri, id)?.uri ?? uri);
    const resource = new Resource(
      own,
      document.vocabulary,
      kept,
      (start) => new SchemaPlace(document.schema, start, exact, undefined),
    );
    this.register(own, resource);
    // A document's name for itself may differ from its address; both lead to it.
    if (own !== uri) this.register(uri, resource);
    if (isJson(document.schema)) this.walk(resource.root, resource);
    return resource.root;
  }

  /** The place of an object that is known to be a schema. */
  placeOf(schema: unknown): SchemaPlace | undefined {
    return isJson(schema) ? this.places.get(schema) : undefined;
  }

  /** The resources with that URI; more than one if it was given twice. */
  resourcesAt(uri: string): readonly Resource[] {
    return this.resources.get(uri) ?? [];
  }

  /** Returns the place of a value below a known one; adds an object that no keyword leads to. */
  below(parent: SchemaPlace, tokens: readonly string[], value: Json | boolean): SchemaPlace {
    const known = this.placeOf(value);
    if (known !== undefined) return known;
    const place = parent.below(tokens, value);
    if (isJson(value)) this.walk(place);
    return this.placeOf(value) ?? place;
  }

  /**
   * @param own the resource whose root is the start, if that resource exists already.
   */
  private walk(start: SchemaPlace, own?: Resource): void {
    const pending: SchemaPlace[] = [start];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (!isJson(next.schema) || this.places.has(next.schema)) continue;
      const place = this.enter(next, next.schema, next === start ? own : undefined);
      this.places.set(next.schema, place);
      if (this.places.size > this.maxSubschemas) throw tooMany(this.maxSubschemas);
      this.names(place, next.schema);
      const children = subschemas(next.schema, place.resource.vocabulary);
      // Added in reverse order: the loop takes places from the end of the list, so the first subschema comes next.
      for (let i = children.length - 1; i >= 0; i--) {
        const child = children[i];
        if (!isJson(child?.value)) continue;
        pending.push(place.below(subschemaTokens(next.schema, child), child.value));
      }
    }
  }

  /** The place itself or, if it starts a resource, that resource's root. */
  private enter(place: SchemaPlace, schema: Json, own: Resource | undefined): SchemaPlace {
    if (own !== undefined) return own.root;
    const around = place.resource;
    const path = (): string => place.pointer;
    const vocabulary = embeddedVocabulary(schema, around.vocabulary, path, this.find);
    const id = identifierOf(schema, vocabulary);
    // A fragment alone is a plain name.
    if (id === undefined || id.startsWith("#")) return place;
    const resolved = this.uris.resolve(around.uri, id);
    if (resolved === undefined) return place;
    const resource = new Resource(resolved.uri, vocabulary, around.document, (start) =>
      place.startOf(start),
    );
    this.register(resolved.uri, resource);
    return resource.root;
  }

  private register(uri: string, resource: Resource): void {
    const known = this.resources.get(uri);
    if (known === undefined) this.resources.set(uri, [resource]);
    else known.push(resource);
  }

  /** Notes the plain names of a schema (2020-12 Core, section 8.2.2; draft-07 Core, 8.2.3). */
  private names(place: SchemaPlace, schema: Json): void {
    const { resource } = place;
    const { vocabulary } = resource;
    const own = (keyword: string): unknown =>
      Object.hasOwn(schema, keyword) && keywordOf(vocabulary, keyword) !== undefined
        ? schema[keyword]
        : undefined;
    const anchor = own("$anchor");
    if (typeof anchor === "string") note(resource, anchor, place);
    const dynamic = own("$dynamicAnchor");
    if (typeof dynamic === "string" && dynamic !== "") {
      note(resource, dynamic, place);
      if (!resource.dynamicAnchors.has(dynamic)) resource.dynamicAnchors.set(dynamic, place);
    }
    if (own("$recursiveAnchor") === true && place === resource.root) {
      resource.dynamicAnchors.set(RECURSIVE_ANCHOR, place);
    }
    if (!refHidesSiblings(vocabulary)) return;
    const id = identifierOf(schema, vocabulary);
    const fragment = id === undefined ? "" : id.slice(id.indexOf("#") + 1 || id.length);
    const name = decodeFragment(fragment);
    if (name !== undefined && name !== "" && !name.startsWith("/")) note(resource, name, place);
  }
}

function note(resource: Resource, name: string, place: SchemaPlace): void {
  const known = resource.anchors.get(name);
  if (known === undefined) resource.anchors.set(name, [place]);
  else known.push(place);
}
