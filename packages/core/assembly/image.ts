// A schema as an image: offsets from its first byte, written by "src/shortcut". Offset 0 means a schema that accepts
// everything, or an absent part. Counts and offsets have 32 bits.

/** The image's root. */
export const ROOT_OFFSET: usize = 4;

// Kinds of values, as sets of bits.
export const NULL: u32 = 1;
export const BOOLEAN: u32 = 2;
export const INTEGER: u32 = 4;
export const FRACTION: u32 = 8;
export const NUMBER: u32 = INTEGER | FRACTION;
export const STRING: u32 = 16;
export const ARRAY: u32 = 32;
export const OBJECT: u32 = 64;

// A node. First sets of kinds, 8 bits each: the allowed kinds, those with keywords that an image cannot hold, and those
// with keywords that it holds; then flags.
export const UNSURE_SHIFT: u32 = 8;
export const JUDGED_SHIFT: u32 = 16;
/** Whether a node has keywords of its own for a value. */
export const OWN_FLAG: u32 = 1 << 24;
/** Whether a node applies others in place. */
export const IN_PLACE_FLAG: u32 = 1 << 25;
// Nodes, or lists of them: how many, then each.
export const ALL_OF: usize = 4;
export const ANY_OF: usize = 8;
export const ONE_OF: usize = 12;
export const NOT: usize = 16;
export const IF: usize = 20;
export const THEN: usize = 24;
export const ELSE: usize = 28;
/** A list of values: their number, 4 unused bytes, then each value. */
export const ENUM: usize = 32;
export const CONST: usize = 36;
export const MIN_LENGTH: usize = 40;
export const MAX_LENGTH: usize = 44;
/** 0 if the part is absent. */
export const MULTIPLE_OF: usize = 48;
// Doubles; infinite if they are absent.
export const MINIMUM: usize = 56;
export const MAXIMUM: usize = 64;
export const EXCLUSIVE_MINIMUM: usize = 72;
export const EXCLUSIVE_MAXIMUM: usize = 80;
export const ITEMS: usize = 88;
export const PREFIX_ITEMS: usize = 92;
export const MIN_ITEMS: usize = 96;
export const MAX_ITEMS: usize = 100;
/** A list of properties: how many, how many of them are required, then each. */
export const PROPERTIES: usize = 104;
export const ADDITIONAL: usize = 108;
export const PROPERTY_NAMES: usize = 112;
export const MIN_PROPERTIES: usize = 116;
export const MAX_PROPERTIES: usize = 120;

/** The counts in front of a list of values or properties. */
export const LIST_HEADER_SIZE: usize = 8;

// A property: the first eight bytes of its name with the quote behind it, the bits of these that
// count, where that stands and its length, the node of its value, and 1 if it is required.
export const PROPERTY_HEAD: usize = 0;
export const PROPERTY_MASK: usize = 8;
export const PROPERTY_NAME: usize = 16;
export const PROPERTY_LENGTH: usize = 20;
export const PROPERTY_NODE: usize = 24;
export const PROPERTY_REQUIRED: usize = 28;
export const PROPERTY_SIZE: usize = 32;

// A value of `enum`: its kind, for booleans and null their first byte, for strings where they stand
// with the quote behind them, and the length of that; for numbers the double.
export const VALUE_KIND: usize = 0;
export const VALUE_LENGTH: usize = 4;
export const VALUE: usize = 8;
export const VALUE_SIZE: usize = 16;
