import { describe, expect, it } from "vitest";
import { lintFor, lintTools, PROVIDERS, rewriteSchema } from "./index.ts";

const boom = (): never => {
  throw new Error("boom");
};
const handler = {
  get: boom,
  has: boom,
  ownKeys: boom,
  getOwnPropertyDescriptor: boom,
  getPrototypeOf: boom,
};
function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}
/** Returns an object whose members can be read this many times and then throw. */
function patient(times: number): object {
  let left = times;
  return {
    get type() {
      left -= 1;
      return left < 0 ? boom() : "object";
    },
  };
}
const HOSTILE: readonly (readonly [string, () => unknown])[] = [
  [
    "a getter that throws",
    () => ({
      get name() {
        return boom();
      },
      get type() {
        return boom();
      },
    }),
  ],
  ["a proxy that throws", () => new Proxy({}, handler)],
  ["a list that throws", () => new Proxy([], handler)],
  ["a revoked object", () => revoked({})],
  ["a revoked list", () => revoked([])],
  ["a list without a length", () => new Proxy([], { get: () => "x" })],
  ["what cannot be text", () => ({ toString: boom, toJSON: boom, name: { toString: boom } })],
  ["a null prototype", () => Object.create(null)],
  ...[1, 2, 3, 5, 8, 13, 40].map(
    (times) => [`a getter that gives ${times} times`, () => patient(times)] as const,
  ),
];

describe.each(HOSTILE)("%s", (_name, make) => {
  const good = { name: "good", description: "d", inputSchema: { type: "array" } };
  const inTools = (): readonly unknown[] => [
    make(),
    [make()],
    [{ name: "a", inputSchema: make() }],
    [{ name: make(), inputSchema: { type: "object", properties: { a: make() }, enum: [make()] } }],
  ];

  it("makes no linter throw", () => {
    for (const tools of inTools()) {
      expect(Array.isArray(lintTools(tools))).toBe(true);
      expect(Array.isArray(lintFor(tools, PROVIDERS))).toBe(true);
    }
    expect(lintTools([good], make() as object)).not.toEqual([]);
  });

  it("hides no fault of other tools", () => {
    const found = lintFor([make(), good], ["openai"]).filter(({ tool }) => tool === "good");
    expect(found).toContainEqual(expect.objectContaining({ index: 1, rule: "top-level" }));
  });

  it("makes no rewrite throw", () => {
    const schema = make() as Record<string, unknown>;
    expect(rewriteSchema(schema, PROVIDERS)).toHaveProperty("changes");
  });
});
