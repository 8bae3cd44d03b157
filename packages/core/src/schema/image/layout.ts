// Where things stand in an image, as packages/core/assembly/image.ts reads it.

/** Kinds of values, as sets of bits. */
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
export const NODE = {
  allowed: 0,
  unsure: 4,
  judged: 8,
  allOf: 12,
  anyOf: 16,
  oneOf: 20,
  not: 24,
  if: 28,
  ifTrue: 32,
  ifFalse: 36,
  inPlace: 40,
  enum: 44,
  const: 48,
  minLength: 52,
  maxLength: 56,
  multipleOf: 60,
  minimum: 64,
  maximum: 72,
  exclusiveMinimum: 80,
  exclusiveMaximum: 88,
  items: 96,
  prefixItems: 100,
  minItems: 104,
  maxItems: 108,
  properties: 112,
  additionalProperties: 116,
  propertyNames: 120,
  minProperties: 124,
  maxProperties: 128,
} as const;
export const NODE_SIZE = 136;

/** In `judged`: that a node has a type, or is unsure. */
export const TYPED = 128;

export const ROOT = 4;
export const HEADER_SIZE = 8;
/** The counts in front of a list of values or properties. */
export const LIST_HEADER_SIZE = 8;
export const PROPERTY_SIZE = 32;
export const VALUE_SIZE = 16;
