import fc from "fast-check";

/** A JSON text in parts, so that a test knows by construction what a scan of it must find. */
export type JsonNode =
  | { readonly kind: "scalar"; readonly text: string; readonly number: boolean }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "object"; readonly members: readonly JsonNodeMember[] };

export interface JsonNodeMember {
  /** The key as written in the text, with its quotes. */
  readonly key: string;
  readonly value: JsonNode;
}

/** Keys from a few names, in several spellings, so that duplicates occur. */
const key = fc.oneof(
  fc.constantFrom('"a"', '"\\u0061"', '"b"', '"id"', '"\\u0069d"', '"params"', '"name"', '""'),
  fc.constantFrom('"a/b"', '"a~b"', '"é"', '"\\u00e9"', '"\\ud800"', '"__proto__"', '"😀"'),
  fc.string({ unit: "binary", maxLength: 6 }).map((text) => JSON.stringify(text)),
);

const number = fc.oneof(
  fc.constantFrom("0", "-0", "1.0", "0.1", "1e2", "9007199254740993", "1e400", "1e-400", "5e-324"),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(fc.bigInt(), fc.nat(400)).map(([digits, exponent]) => `${digits}E-${exponent}`),
);

const scalar: fc.Arbitrary<JsonNode> = fc.oneof(
  number.map((text) => ({ kind: "scalar" as const, text, number: true })),
  fc
    .oneof(
      fc.constantFrom("true", "false", "null", '"\\ud83d\\ude00\\n\\/"', '"}],:"', '"\\\\"'),
      fc.string({ unit: "binary", maxLength: 40 }).map((text) => JSON.stringify(text)),
    )
    .map((text) => ({ kind: "scalar" as const, text, number: false })),
);

const flatObject = fc
  .array(fc.record({ key, value: scalar }), { maxLength: 40, size: "max" })
  .map((members): JsonNode => ({ kind: "object", members }));

/** Any JSON text, as a tree of some tens of nodes in which duplicate keys occur. */
export const jsonNode: fc.Arbitrary<JsonNode> = fc.letrec<{ node: JsonNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: flatObject },
    {
      weight: 2,
      arbitrary: fc
        .array(tie("node"), { maxLength: 3, size: "max" })
        .map((items): JsonNode => ({ kind: "array", items })),
    },
    {
      weight: 4,
      arbitrary: fc
        .array(fc.record({ key, value: tie("node") }), { maxLength: 4, size: "max" })
        .map((members): JsonNode => ({ kind: "object", members })),
    },
  ),
})).node;

const SPACES = ["", " ", "\n", "\t\r\n  ", ""];

/** The text of a tree, with white space between tokens that `seed` chooses; 0 means none. */
export function jsonNodeText(node: JsonNode, seed: number = 0): string {
  let state = seed;
  const space = (): string => {
    if (seed === 0) return "";
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return SPACES[(state >>> 16) % SPACES.length] as string;
  };
  const write = (part: JsonNode): string => {
    if (part.kind === "scalar") return part.text;
    if (part.kind === "array") {
      const items = part.items.map((item) => space() + write(item) + space());
      return `[${items.length === 0 ? space() : items.join(",")}]`;
    }
    const members = part.members.map(
      (member) => `${space()}${member.key}${space()}:${space()}${write(member.value)}${space()}`,
    );
    return `{${members.length === 0 ? space() : members.join(",")}}`;
  };
  return space() + write(node) + space();
}
