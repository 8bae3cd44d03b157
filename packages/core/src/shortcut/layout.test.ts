import { describe, expect, it } from "vitest";
import * as layout from "./layout.ts";

/** Constants that have different names in the two files. */
const NAMES: Readonly<Record<string, string>> = {
  IF_TRUE: "THEN",
  IF_FALSE: "ELSE",
  ADDITIONAL_PROPERTIES: "ADDITIONAL",
  VALUE_VALUE: "VALUE",
};

const upper = (name: string): string =>
  name.replace(/[a-z][A-Z]/g, ([a, b]) => `${a}_${b}`).toUpperCase();

// The constants of an AssemblyScript file can be loaded as TypeScript: only the names of their types do not exist here.
const assembly: Record<string, unknown> = {
  ...(await import(/* @vite-ignore */ new URL("../../assembly/image.ts", import.meta.url).href)),
};

describe("the layout of an image", () => {
  const {
    NODE_OFFSETS: NODE,
    KINDS,
    PROPERTY_OFFSETS: PROPERTY,
    VALUE_LAYOUT,
    ALL_KINDS,
    HEADER_SIZE,
    NODE_SIZE,
    ...rest
  } = layout;
  const { kinds, ...fields } = NODE;
  const prefixed = (prefix: string, offsets: object) =>
    Object.entries(offsets).map(([name, at]) => [`${prefix}_${upper(name)}`, at]);
  const written = [
    ...Object.entries({ ...fields, ...KINDS, ...rest }).map(([name, at]) => [upper(name), at]),
    ...prefixed("PROPERTY", PROPERTY),
    ...prefixed("VALUE", VALUE_LAYOUT),
    ["FRACTION", KINDS.number & ~KINDS.integer],
  ].map(([name, at]) => [NAMES[name] ?? name, at]);

  it("is the same for its writer and its reader", () => {
    expect(Object.fromEntries(written)).toEqual(assembly);
  });
});
