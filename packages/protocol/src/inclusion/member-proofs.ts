import type { JsonObject } from "@touchstone/core/advanced";
import type { LinkedSchemas } from "./linked-schemas.ts";
import { acceptsEverything, objectOrEmpty, type SchemaParts } from "./schema-parts.ts";
import type { TextProofs } from "./text-proofs.ts";

/** The claims about values that a proof about members is based on. */
export interface MemberClaims {
  /**
   * Returns whether each value that satisfies all of the schemas satisfies another one.
   * @param below the schemas that a schema may apply to the member
   */
  readonly isWithin: (
    schemas: readonly unknown[],
    wanted: unknown,
    below: (schema: JsonObject) => readonly unknown[],
  ) => boolean;
  /** {@link Array.some} for claims of which only one has to hold. */
  readonly some: <T>(list: readonly T[], holds: (item: T, at: number) => boolean) => boolean;
}

/** Proofs about the members of objects that satisfy some schemas. */
export class MemberProofs {
  readonly #schemas: LinkedSchemas;
  readonly #texts: TextProofs;
  readonly #claims: MemberClaims;

  constructor(schemas: LinkedSchemas, texts: TextProofs, claims: MemberClaims) {
    this.#schemas = schemas;
    this.#texts = texts;
    this.#claims = claims;
  }

  /** Returns whether the member with a given name, if there is one, satisfies a schema. */
  isNamedWithin(parts: SchemaParts, name: string, schema: unknown): boolean {
    const below = this.#schemas.member(parts, name);
    return this.#claims.isWithin(below, schema, (one) => this.#schemas.memberOf(one, name));
  }

  /** Returns whether the members whose names match a pattern satisfy a schema. */
  arePatternMembersWithin(parts: SchemaParts, source: string, schema: unknown): boolean {
    const names = new Set(
      parts.flatMap(({ properties }) => Object.keys(objectOrEmpty(properties))),
    );
    for (const name of names) {
      if (this.#schemas.matches(source, name) === false) continue;
      if (!this.isNamedWithin(parts, name, schema)) return false;
    }
    return this.#claims.some(parts, (part) => {
      const { patternProperties } = part;
      const same = objectOrEmpty(patternProperties)[source];
      if (same !== undefined && this.#claims.isWithin([same], schema, membersOf)) return true;
      return this.#areAllOthersWithin(part, schema, (other) =>
        this.#texts.hasNone([], { matched: [source, other] }),
      );
    });
  }

  /**
   * Returns whether all members that a part does not name satisfy a schema.
   * @param isExempt whether names that match a pattern may have any value
   */
  #areAllOthersWithin(
    part: JsonObject,
    schema: unknown,
    isExempt: (source: string) => boolean,
  ): boolean {
    const { additionalProperties: others, patternProperties } = part;
    if (others === undefined || !this.#claims.isWithin([others], schema, membersOf)) return false;
    return Object.entries(objectOrEmpty(patternProperties)).every(
      ([source, below]) => isExempt(source) || this.#claims.isWithin([below], schema, membersOf),
    );
  }

  /** Returns whether all members that a schema does not describe, by a name or a pattern, satisfy another schema. */
  areOthersWithin(parts: SchemaParts, schema: unknown, wanted: JsonObject): boolean {
    return this.#areRestWithin(parts, schema, [wanted]);
  }

  /** The same for members that no part of a schema that always applies evaluates. */
  areUnevaluatedWithin(parts: SchemaParts, schema: unknown, wanted: JsonObject): boolean {
    const { unevaluatedProperties: _, ...others } = wanted;
    const always = this.#schemas.partsOf([wanted]) ?? [];
    const evaluating = always.map((one) => (one === wanted ? others : one));
    const isAll = evaluating.some(
      (one) =>
        one["additionalProperties"] !== undefined || one["unevaluatedProperties"] !== undefined,
    );
    return isAll || this.#areRestWithin(parts, schema, evaluating);
  }

  /**
   * Returns whether a schema accepts all members that a part leaves to its `unevaluatedProperties`, except those that
   * it names elsewhere.
   */
  #areAllUnevaluatedWithin(
    parts: SchemaParts,
    part: JsonObject,
    schema: unknown,
    isLeft: (name: string) => boolean,
    isNamed: (source: string) => boolean,
  ): boolean {
    const { unevaluatedProperties: others, ...own } = part;
    if (others === undefined || !this.#claims.isWithin([others], schema, membersOf)) return false;
    const applying = this.#schemas.inPlace([part]).map((one) => (one === part ? own : one));
    return applying.every(
      ({ properties, patternProperties, additionalProperties, unevaluatedProperties }) =>
        (additionalProperties ?? unevaluatedProperties) === undefined &&
        Object.keys(objectOrEmpty(patternProperties)).every(isNamed) &&
        Object.keys(objectOrEmpty(properties)).every(
          (name) => !isLeft(name) || this.isNamedWithin(parts, name, schema),
        ),
    );
  }

  /** Returns whether all members that some schemas do not describe, by a name or a pattern, satisfy another schema. */
  #areRestWithin(parts: SchemaParts, schema: unknown, naming: SchemaParts): boolean {
    const named = new Set(
      naming.flatMap(({ properties }) => Object.keys(objectOrEmpty(properties))),
    );
    const sources = naming.flatMap((one) => Object.keys(objectOrEmpty(one["patternProperties"])));
    const names = parts.flatMap(({ properties }) => Object.keys(objectOrEmpty(properties)));
    const isLeft = (name: string): boolean =>
      !named.has(name) && !sources.some((source) => this.#schemas.matches(source, name) === true);
    // Names that match a pattern of the second schema do not count as other members.
    const isNamed = (source: string): boolean =>
      sources.includes(source) ||
      (sources.length > 0 && this.#texts.hasNone([], { matched: [source], missed: sources }));
    for (const name of new Set(names)) {
      if (isLeft(name) && !this.isNamedWithin(parts, name, schema)) return false;
    }
    return (
      acceptsEverything(schema) ||
      this.#claims.some(
        parts,
        (part) =>
          this.#areAllOthersWithin(part, schema, isNamed) ||
          this.#areAllUnevaluatedWithin(parts, part, schema, isLeft, isNamed),
      )
    );
  }

  /** Returns whether the names of all members satisfy a schema. */
  areNamesWithin(parts: SchemaParts, schema: unknown): boolean {
    const ofNames = parts.flatMap(({ propertyNames }) =>
      propertyNames === undefined ? [] : [propertyNames],
    );
    const isWithin = (schemas: readonly unknown[]): boolean =>
      this.#claims.isWithin(schemas, schema, () => []);
    if (this.#claims.some([0], () => isWithin([{ type: "string" }, ...ofNames]))) return true;
    return this.#claims.some(parts, ({ properties, patternProperties, additionalProperties }) => {
      if (additionalProperties !== false) return false;
      const names = Object.keys(objectOrEmpty(properties));
      const sources = Object.keys(objectOrEmpty(patternProperties));
      if (!sources.every((pattern) => isWithin([{ type: "string", pattern }, ...ofNames])))
        return false;
      return names.length === 0 || isWithin([{ enum: names }]);
    });
  }
}

/** Returns how many members a value can have. */
export function maxMembers(parts: SchemaParts): number {
  const counts = parts.map(({ properties, patternProperties, additionalProperties }) => {
    const isClosed = additionalProperties === false && patternProperties === undefined;
    return isClosed ? Object.keys(objectOrEmpty(properties)).length : Number.POSITIVE_INFINITY;
  });
  return Math.min(...counts);
}

/** Returns the schemas that a schema may apply to any member. */
function membersOf(schema: JsonObject): unknown[] {
  const { properties, patternProperties, additionalProperties, unevaluatedProperties } = schema;
  return [
    ...Object.values(objectOrEmpty(properties)),
    ...Object.values(objectOrEmpty(patternProperties)),
    additionalProperties,
    unevaluatedProperties,
  ];
}
