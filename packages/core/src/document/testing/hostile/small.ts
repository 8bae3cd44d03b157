import { type HostileCase, many, object, row } from "./case.ts";

const SMALL = 16_000;
/** Schemas of at most 16 KB, made of what costs most for its length. */
export const SMALL_CASES: readonly HostileCase[] = [
  row(
    "16 KB of anyOf",
    () => ({ anyOf: many(Math.floor(SMALL / 3), () => ({})) }),
    () => "1",
    /pass/,
  ),
  row(
    "16 KB of false",
    () => ({ anyOf: many(2_600, () => false) }),
    () => "1",
    /violation/,
  ),
  row(
    "16 KB of references to one another",
    () => ({
      $defs: object(400, (i) => ({ allOf: [{ $ref: `#/$defs/p${(i + 1) % 400}` }] })),
      $ref: "#/$defs/p0",
    }),
    () => "1",
    /uncompilable/,
  ),
  row(
    "16 KB of branches to one another",
    () => ({
      $defs: object(400, (i) => ({ anyOf: [{ $ref: `#/$defs/p${(i + 1) % 400}` }] })),
      $ref: "#/$defs/p0",
    }),
    () => "1",
    /budget/,
  ),
  row(
    "16 KB of references that share all",
    () => ({
      $defs: object(40, (i) => ({
        anyOf: many(10, (k) => (i + k < 39 ? { $ref: `#/$defs/p${i + k + 1}` } : {})),
      })),
      $ref: "#/$defs/p0",
    }),
    () => "1",
    /pass|violation|budget/,
  ),
  row(
    "16 KB of dynamic scopes",
    () => ({
      $id: "r",
      $defs: object(60, (i) => ({
        $id: `s${i}`,
        $dynamicAnchor: i % 2 === 0 ? "a" : `b${i}`,
        anyOf: many(6, (k) => ({ $ref: `s${(i * 5 + k * 7 + 1) % 60}` })),
        items: { $dynamicRef: "#a" },
      })),
      $ref: "s0",
    }),
    () => "[[]]",
    /budget|uncompilable/,
  ),
  row(
    "16 KB of unicode properties in patterns",
    () => ({
      properties: object(200, (i) => ({
        pattern: `${i}${["L", "Lu", "N", "P", "S", "Z", "M", "C"].map((p) => `\\p{${p}}*`).join("")}`,
      })),
    }),
    () => '{"p1":"1"}',
    /pass|violation|budget|uncompilable/,
  ),
];
