// Offsets in an image, as packages/core/assembly/image.ts reads them.

/** Kinds of values, as bit sets. */
export const KINDS = {
  null: 1,
  boolean: 2,
  integer: 4,
  number: 12,
  string: 16,
  array: 32,
  object: 64,
} as const;
export const ALL_KINDS = 127;

/** Offsets in a node. */
export const NODE_OFFSETS = {
  kinds: 0,
  allOf: 4,
  anyOf: 8,
  oneOf: 12,
  not: 16,
  if: 20,
  ifTrue: 24,
  ifFalse: 28,
  enum: 32,
  const: 36,
  minLength: 40,
  maxLength: 44,
  multipleOf: 48,
  minimum: 56,
  maximum: 64,
  exclusiveMinimum: 72,
  exclusiveMaximum: 80,
  items: 88,
  prefixItems: 92,
  minItems: 96,
  maxItems: 100,
  properties: 104,
  additionalProperties: 108,
  propertyNames: 112,
  minProperties: 116,
  maxProperties: 120,
} as const;
export const NODE_SIZE = 128;

/** Bit positions of the other sets in `kinds`, above the set of allowed kinds; then flags. */
export const UNSURE_SHIFT = 8;
export const JUDGED_SHIFT = 16;
export const OWN_FLAG: number = 1 << 24;
export const IN_PLACE_FLAG: number = 1 << 25;

export const ROOT_OFFSET = 4;
export const HEADER_SIZE = 8;
/** The size of the counts before a list of values or properties. */
export const LIST_HEADER_SIZE = 8;

/** Offsets in an entry of the list of properties. */
export const PROPERTY_OFFSETS = {
  head: 0,
  mask: 8,
  name: 16,
  length: 20,
  node: 24,
  required: 28,
} as const;
export const PROPERTY_SIZE = 32;

/** Offsets in a value of `enum` or `const`. */
export const VALUE_LAYOUT = { kind: 0, length: 4, value: 8 } as const;
export const VALUE_SIZE = 16;
