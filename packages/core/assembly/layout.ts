// The memory of the scanner, from its first byte on. The text is last, so that only it grows.

/** The result of a check or of locating: up to six numbers of 32 bits. */
export const RESULT: usize = 0;

/** One frame of 16 bytes for each open container of a check: see "keys.ts". */
export const STACK: usize = 0x400;
export const MAX_LEVELS: i32 = 1024;

/** The planned members that were located: three numbers of 32 bits each. */
export const FOUND: usize = 0x4400;
export const MAX_PLANNED: i32 = 256;

/** One frame of 32 bytes for each open object in which members are planned: see "planned.ts". */
export const PLAN_STACK: usize = 0x5000;
export const MAX_PLAN_LEVELS: i32 = 64;

/** Plans, which the caller writes: see "planned.ts". */
export const PLANS: usize = 0x5800;
export const PLANS_END: usize = 0x8000;

/** The keys of the open objects, in columns of 32 bits each. */
export const MAX_KEYS: u32 = 0x40000;
export const HASHES: usize = 0x8000;
export const STARTS: usize = HASHES + 0x100000;
export const LENGTHS: usize = STARTS + 0x100000;

/** Slots of the hash tables of open objects, 32 bits each. */
export const TABLES: usize = LENGTHS + 0x100000;
export const TABLES_END: usize = TABLES + 0x400000;

/** Images of schemas, which the caller writes: see "image.ts". */
export const IMAGES: usize = TABLES_END;
export const IMAGES_END: usize = IMAGES + 0x40000;

/** The text. After it come 64 zeros; every reader stops there. */
export const TEXT: usize = IMAGES_END;
