import type { Issue } from "@touchstone/core";
import { FIELDS, type Field } from "./fields.ts";

type Fields = typeof FIELDS;

/** The type of values that a field's schema allows. */
type ValueOf<Schema> = Schema extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Schema extends { readonly type: "string" }
    ? string
    : Schema extends { readonly type: "integer" | "number" }
      ? number
      : Schema extends { readonly type: "boolean" }
        ? boolean
        : Schema extends { readonly items: infer Item }
          ? readonly ValueOf<Item>[]
          : Schema extends { readonly properties: infer Members }
            ? { readonly [Name in keyof Members]: ValueOf<Members[Name]> }
            : Schema extends { readonly $ref: "#/components/schemas/Issue" }
              ? Issue
              : never;

/** The names of fields with a certain declaration. */
export type FieldNames<Declared> = {
  [Name in keyof Fields]: Fields[Name] extends Declared ? Name : never;
}[keyof Fields];

type Value<Name extends keyof Fields> = ValueOf<Fields[Name]["schema"]>;
type Always = FieldNames<{ readonly unset: "never" }>;
type Nullable = FieldNames<{ readonly unset: "null" }>;
type Absent = Exclude<keyof Fields, Always | Nullable>;

type AlwaysMembers = { readonly [Name in keyof Pick<Fields, Always>]: Value<Name> };
type NullableMembers = { readonly [Name in keyof Pick<Fields, Nullable>]: Value<Name> | null };
type AbsentMembers = { readonly [Name in keyof Pick<Fields, Absent>]?: Value<Name> };

/**
 * One line of evidence. `fields.ts` declares its fields: the original ones are `null` if they do not apply, so that
 * all records have them; later ones are absent.
 */
export interface ActivityRecord extends AlwaysMembers, NullableMembers, AbsentMembers {}

type FromLog = FieldNames<{ readonly from: "log" }>;
type Body = FieldNames<{ readonly from: "body" }>;
type Optional = Exclude<keyof Fields, FromLog | Body | "type" | "source">;
type GivenMembers = { readonly [Name in keyof Pick<Fields, "type" | "source">]: Value<Name> };
type OptionalMembers = {
  readonly [Name in keyof Pick<Fields, Optional>]?: Value<Name> | undefined;
};
type BodyMembers = { readonly [Name in keyof Pick<Fields, Body>]?: Uint8Array | undefined };

/** The input for a record; the log adds `id`, `time`, `prev_hash` and `hash`. Bodies are JSON text. */
export interface ActivityEntry extends GivenMembers, OptionalMembers, BodyMembers {}

export type ActivityType = Value<"type">;
export type ActivitySource = Value<"source">;
export type ActivityStatus = Value<"status">;
/** Which part of the traffic is checked. */
export type Direction = Value<"direction">;
/** What a check does with a failure: off checks nothing, warn records it, strict blocks the message. */
export type Mode = Value<"mode">;
/** What was done with a message that failed a check; else `allowed`. */
export type Decision = Value<"decision">;

export const ACTIVITY_TYPES: Fields["type"]["schema"]["enum"] = FIELDS.type.schema.enum;
export const ACTIVITY_SOURCES: Fields["source"]["schema"]["enum"] = FIELDS.source.schema.enum;
export const ACTIVITY_STATUSES: Fields["status"]["schema"]["enum"] = FIELDS.status.schema.enum;

/** The fields of a record with their declarations, in order. */
export const RECORD_FIELDS: readonly (readonly [name: keyof ActivityRecord, field: Field])[] =
  Object.entries(FIELDS) as [keyof ActivityRecord, Field][];

/** The statuses of calls that policy, a pin, narrow or a limit refused: neither a check nor the server failed. */
export const REFUSED_STATUSES = ["denied", "held", "out_of_bounds", "limited", "rejected"] as const;

/** The statuses of calls that did not reach their server, or whose result did not reach the client. */
export const STOPPED_STATUSES: ReadonlySet<ActivityRecord["status"]> = new Set([
  "blocked",
  ...REFUSED_STATUSES,
]);

/** The statuses of messages that were forwarded and did not fail. */
export const FORWARDED_STATUSES: ReadonlySet<ActivityRecord["status"]> = new Set([
  "success",
  "warning",
  "repaired",
] as const);

/** The fields with contents of a client or server, kept if the store keeps bodies. */
export const BODY_FIELDS: readonly Body[] = RECORD_FIELDS.flatMap(([name, { from }]) =>
  from === "body" ? [name as Body] : [],
);

type Filtered = FieldNames<{ readonly filter: object }>;
export type FieldFilterName = Fields[Filtered]["filter"]["name"];

/** The values of filters by fields. A list matches by any of its values. */
export type FieldFilterScope = {
  readonly [Name in Filtered as Fields[Name]["filter"]["scope"]]?: Fields[Name]["schema"] extends {
    readonly enum: readonly (infer Allowed)[];
  }
    ? readonly Allowed[]
    : string;
};

/** A filter by a field. */
export interface FieldFilter {
  readonly name: FieldFilterName;
  readonly field: Filtered;
  readonly scope: Fields[Filtered]["filter"]["scope"];
  readonly option: string;
  readonly help?: string | undefined;
  /** The allowed values, as a comma list; absent if any text is allowed. */
  readonly values?: readonly string[] | undefined;
}

/** The filters by fields, in the order of the fields. */
export const FIELD_FILTERS: readonly FieldFilter[] = RECORD_FIELDS.flatMap(
  ([field, { filter, schema }]) =>
    filter === undefined ? [] : [{ field, ...filter, values: schema.enum } as FieldFilter],
);

/** Returns a field's label for people. */
export function fieldLabel(name: string, { label }: Pick<Field, "label">): string {
  return label ?? name.replaceAll("_", " ");
}

/** The log to which a relay writes its records. */
export interface ActivityLog {
  /**
   * Writes the entries in order, in one transaction, as the next links of this process's chain. Concurrent calls
   * share a transaction. Resolves when the entries are durable; rejects with an `ActivityError` if they could not be
   * kept, as does every call that shared the transaction.
   */
  append(entries: readonly ActivityEntry[]): Promise<readonly ActivityRecord[]>;
  close(): Promise<void>;
}
