import { RULES } from "@touchstone/core";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { CheckKind, Ending, OperationFact } from "./facts.ts";
import { Packer } from "./pack.ts";
import { FAILURES, segment } from "./packed.ts";
import { unpack } from "./unpack.ts";

const BESIDE = { epoch: 5, alerts: [], cached: 7, dropped: 9 };

const text = (maxLength = 300): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength }),
    fc.string({ maxLength, unit: "grapheme" }),
    fc.string({ maxLength, unit: "binary" }),
  );
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const moment = fc.double({ noNaN: true });
const ending: fc.Arbitrary<Ending> = fc.record(
  {
    code: fc.oneof(fc.integer(), moment),
    message: text(2_048),
    toolError: fc.constant(true),
    failure: fc.constantFrom(...FAILURES),
  },
  { requiredKeys: [] },
);
const fact: fc.Arbitrary<OperationFact> = fc.record({
  server: text(),
  from: fc.constantFrom("client" as const, "server" as const),
  method: text(),
  target: maybe(text()),
  known: fc.boolean(),
  uri: maybe(text(1_000)),
  id: maybe(text()),
  revision: maybe(text()),
  session: maybe(text()),
  meta: maybe(text(8_192)),
  began: moment,
  ended: moment,
  ending,
  sent: maybe(moment),
  answered: maybe(moment),
  answer: maybe(ending),
  requestId: maybe(text()),
  decision: maybe(fc.constantFrom("allowed" as const, "warning" as const, "blocked" as const)),
  outcome: maybe(fc.constantFrom("pass" as const, "guard" as const)),
  direction: maybe(fc.constantFrom("input" as const, "output" as const)),
});
const kind: fc.Arbitrary<CheckKind> = fc.record({
  direction: fc.constantFrom("input" as const, "output" as const, "protocol" as const),
  mode: fc.constantFrom("warn" as const, "strict" as const),
  outcome: fc.constantFrom("pass" as const, "violation" as const, "guard" as const),
  rule: fc.constantFrom("none" as const, ...RULES),
  guard: maybe(fc.constantFrom("maxBytes" as const, "maxDepth" as const)),
});

const sameKind = (one: CheckKind, other: CheckKind): boolean =>
  (["direction", "mode", "outcome", "rule", "guard"] as const).every((k) => one[k] === other[k]);
const length = ({ id, requestId, uri, meta, ending, answer }: OperationFact): number =>
  [id, requestId, uri, meta, ending.message, answer?.message].join("").length;

it("what is read is what was written", () => {
  const facts = fc.array(fact, { maxLength: 5 });
  const checks = fc.array(fc.tuple(kind, moment), { maxLength: 20 });
  const durations = fc.array(
    fc.tuple(fc.constantFrom("append" as const, "compile" as const), moment),
  );
  fc.assert(
    fc.property(facts, checks, durations, (operations, checked, took) => {
      const packer = new Packer(segment());
      const written = operations.filter((operation) => {
        const fits = packer.fits(length(operation));
        if (fits) packer.operation(operation);
        return fits;
      });
      for (const [ended, milliseconds] of checked) packer.check(ended, milliseconds);
      for (const [of, milliseconds] of took) packer.duration(of, milliseconds);
      const batch = unpack(structuredClone(packer.packed(BESIDE)));

      expect(batch).toMatchObject(BESIDE);
      expect(batch.operations).toEqual(written);
      const alike = (one: CheckKind): unknown[] =>
        checked.filter(([other]) => sameKind(one, other)).map(([, milliseconds]) => milliseconds);
      expect(batch.checks.map(({ durations }) => durations)).toEqual(batch.checks.map(alike));
      expect(batch.checks.flatMap(({ durations }) => durations)).toHaveLength(checked.length);
      const lasted = (wanted: string): number[] =>
        took.filter(([of]) => of === wanted).map(([, milliseconds]) => milliseconds);
      expect([batch.appends, batch.compiles]).toEqual([lasted("append"), lasted("compile")]);
    }),
  );
});

it("takes a fact with the longest texts, and no more than it has room for", () => {
  const packer = new Packer(segment());
  const long = "\u{ffff}";
  const largest: OperationFact = {
    server: "srv",
    from: "client",
    method: "m",
    known: true,
    began: 1,
    ended: 2,
    id: long.repeat(256),
    uri: long.repeat(1_000),
    meta: long.repeat(8_192),
    ending: { message: long.repeat(2_048) },
    answer: { message: long.repeat(2_048) },
  };
  let written = 0;
  while (packer.fits(length(largest))) {
    packer.operation(largest);
    written += 1;
  }
  expect(written).toBe(1);
  expect(unpack(packer.packed(BESIDE)).operations).toEqual([largest]);
});
