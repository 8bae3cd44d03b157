import { isObject } from "@touchstone/core/advanced";
import { camelCase } from "@touchstone/util/schema";
import {
  SCHEMA,
  type SectionName,
  type Sections,
  type SettingsOf,
  type WrittenValue,
} from "./schema.ts";

/** A part of the schema with its references resolved. */
export interface SchemaPart {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly enum?: readonly (string | boolean)[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly patternErrorMessage?: string;
  readonly writeOnly?: boolean;
  readonly properties?: Readonly<Record<string, SchemaPart>>;
  /** Schemas by patterns of names; no name matches several. */
  readonly patternProperties?: Readonly<Record<string, SchemaPart>>;
  readonly additionalProperties?: SchemaPart | boolean;
  readonly items?: SchemaPart;
  /** The words of a command line: a list, because one string could be meant as several words. */
  readonly words?: true;
  /** A list of objects that may be written as one object. */
  readonly single?: true;
}

/** Returns whether a part is a list of strings that may be written as one string. */
export function acceptsSingleString({ type, items, words }: SchemaPart): boolean {
  const isOfTexts = items?.type === "string" || items?.enum !== undefined;
  return type === "array" && isOfTexts && words !== true;
}

/** Returns whether a part is a list of objects that may be written as one object. */
export function acceptsSingleObject({ type, single }: SchemaPart): boolean {
  return type === "array" && single === true;
}

function resolved(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { $ref, ...own } = value;
  const name = typeof $ref === "string" ? $ref.replace("#/$defs/", "") : undefined;
  const target = name === undefined ? {} : SCHEMA.$defs[name as keyof typeof SCHEMA.$defs];
  return Object.fromEntries(
    Object.entries({ ...target, ...own })
      .filter(([key]) => key !== "$defs")
      .map(([key, inside]) => [key, resolved(inside)]),
  );
}

/** The schema of a whole file. */
export const FILE_SCHEMA: SchemaPart = resolved(SCHEMA) as SchemaPart;

type Path = readonly (string | number)[];

/** Returns the part of the schema for a path of the file; undefined if there is none. */
export function schemaPartAt(path: Path): SchemaPart | undefined {
  let part: SchemaPart | undefined = FILE_SCHEMA;
  for (const step of path) part = part && schemaPartBelow(part, step);
  return part;
}

/** Returns the part of the schema for a member or an item; undefined if there is none. */
export function schemaPartBelow(part: SchemaPart, step: string | number): SchemaPart | undefined {
  if (typeof step === "number") return part.items;
  const { properties = {}, patternProperties = {}, additionalProperties } = part;
  if (Object.hasOwn(properties, step)) return properties[step];
  const pattern = Object.keys(patternProperties).find((each) => new RegExp(each, "u").test(step));
  if (pattern !== undefined) return patternProperties[pattern];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** The schema of a server's entry. */
export const SERVER_SCHEMA: SchemaPart = schemaPartAt(["mcpServers", ""]) ?? {};

/**
 * Returns whether the value at a path of the file may be a secret. Also true for a text where an object with a secret
 * in it is expected: an operator may write the secret one level too high.
 */
export function isSecretAt(path: Path): boolean {
  let part: SchemaPart | undefined = FILE_SCHEMA;
  let isSecret = false;
  for (const step of path) {
    part = part && schemaPartBelow(part, step);
    isSecret = part?.writeOnly ?? isSecret;
  }
  return isSecret || (part !== undefined && holdsSecret(part));
}

function holdsSecret({
  writeOnly,
  properties = {},
  additionalProperties,
  items,
}: SchemaPart): boolean {
  const inside = [...Object.values(properties), additionalProperties, items];
  return writeOnly ?? inside.some((part) => typeof part === "object" && holdsSecret(part));
}

/** Returns the allowed keys of the object at a path of the file; empty if any key is allowed. */
export function knownKeys(path: Path): readonly string[] {
  return Object.keys(schemaPartAt(path)?.properties ?? {});
}

/** Returns the values that a section sets, by the program's names. */
export function ownSettings<Name extends SectionName>(
  written: WrittenValue<Sections[Name]> | undefined,
): Partial<SettingsOf<Name>> {
  const set = Object.entries(written ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([key, value]) => [camelCase(key), value])) as Partial<
    SettingsOf<Name>
  >;
}

/** Returns the values that a section sets, and defaults for the rest. */
export function settingsOf<Name extends SectionName>(
  name: Name,
  written?: WrittenValue<Sections[Name]>,
): SettingsOf<Name> {
  const standard = Object.entries(schemaPartAt([name])?.properties ?? {})
    .filter(([, part]) => part.default !== undefined)
    .map(([key, part]) => [camelCase(key), part.default]);
  return { ...Object.fromEntries(standard), ...ownSettings<Name>(written) } as SettingsOf<Name>;
}

/** Returns a section with all of the settings: {@link settingsOf} returns the same settings for it. */
export function sectionOf<Name extends SectionName>(
  name: Name,
  settings: SettingsOf<Name>,
): WrittenValue<Sections[Name]> {
  const values = settings as Readonly<Record<string, unknown>>;
  const keys = knownKeys([name]).map((key) => [key, values[camelCase(key)]]);
  return Object.fromEntries(keys.filter(([, value]) => value !== undefined)) as WrittenValue<
    Sections[Name]
  >;
}

/** The default limits. */
export const DEFAULT_LIMITS: SettingsOf<"limits"> = settingsOf("limits");
