import { choice, list, map, type Shape, text, whole } from "./kinds.ts";

/** The largest limit of bytes. */
export const MAX_BYTES: number = 1024 * 1024 * 1024;

export const texts = (description?: string): Shape<readonly string[]> =>
  list(text(), description === undefined ? {} : { description }, "must be an array of strings");

export const textMap = (description?: string): Shape<Readonly<Record<string, string>>> =>
  map(
    text(),
    description === undefined ? {} : { description },
    "must be an object whose values are strings",
  );

/** A number from 1 on that has a standard. */
export const size = (maximum: number, standard: number, description: string): Shape<number> =>
  whole(1, maximum, { description, default: standard });

/** A number from 1 on; without it there is no limit. */
export const limit = (description: string): Shape<number> =>
  whole(1, Number.MAX_SAFE_INTEGER, { description });

export const oneOf = <const Values extends readonly string[]>(
  values: Values,
  standard: Values[number],
  description: string,
): Shape<Values[number]> => choice(values, { description, default: standard });
