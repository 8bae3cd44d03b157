import fc from "fast-check";

/** A proxy whose every trap throws an error. */
function hostileProxy(message: unknown = "trap"): object {
  const fail = (): never => {
    throw Object.assign(new Error(), { message });
  };
  return new Proxy(
    {},
    { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail },
  );
}

function cycle(): object {
  const self: Record<string, unknown> = { jsonrpc: "2.0" };
  self["params"] = self;
  return self;
}

/** Objects without an end: every member is another such object. */
function endless(): object {
  return new Proxy(
    {},
    {
      get: (_, key) => (key === "toJSON" ? undefined : endless()),
      ownKeys: () => ["a", "b"],
      getOwnPropertyDescriptor: () => ({ configurable: true, enumerable: true }),
    },
  );
}

/** Values that a careless validator throws on. */
export const HOSTILE: readonly (readonly [string, () => unknown])[] = [
  ["a proxy that throws", () => hostileProxy()],
  ["a proxy that throws an error whose message is not text", () => hostileProxy(Symbol("x"))],
  ["an endless proxy", endless],
  ["a cycle", cycle],
  [
    "a getter that throws",
    () => ({
      get method() {
        throw new Error("get");
      },
    }),
  ],
  [
    "an error whose message throws",
    () => ({
      toJSON() {
        throw hostileProxy();
      },
    }),
  ],
  ["a bigint", () => 1n],
  ["a bigint inside", () => ({ jsonrpc: "2.0", id: 1n })],
  ["a symbol", () => Symbol("x")],
  ["a function", () => () => 1],
  ["no prototype", () => Object.assign(Object.create(null), { jsonrpc: "2.0", id: 1 })],
  ["a frozen object", () => Object.freeze({ jsonrpc: "2.0", id: 1, method: "x" })],
  ["undefined", () => undefined],
  ["a lone surrogate", () => "\ud800"],
];

/** Makes any value that a program can hold. Some of these throw if they are read. */
export const anything: fc.Arbitrary<() => unknown> = fc.oneof(
  fc.constantFrom(
    ...HOSTILE.filter(([name]) => name !== "an endless proxy").map(([, make]) => make),
  ),
  fc
    .anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    })
    .map((value) => () => value),
);
