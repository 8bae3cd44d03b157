import { fileURLToPath } from "node:url";
import { compileDeclared } from "@touchstone/core/advanced";
import { type Frame, readFrame } from "@touchstone/protocol/advanced";
import fc from "fast-check";
import { expect } from "vitest";
import { eachOf, sample } from "../../../core/src/testing/sample.ts";
import type { Mode } from "../settings/validation.ts";
import { wrapped } from "../testing/wrapped.ts";

const SERVER = fileURLToPath(new URL("../testing/planned-server.mjs", import.meta.url));
const SCHEMA =
  '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}';
const oracle = compileDeclared({ text: SCHEMA });

const value = fc.constantFrom(
  ...['{"n":1}', '{"n":1.0}', '{"n":9007199254740993}', '{"n":1e400}', '{"\\u006e":3}'],
  ...['{"n":1.5}', '{"n":9007199254740993.5}', '{"n":"1"}', "{}", "[]", '{"n":1,"m":2}'],
);
const loose = fc.constantFrom(
  ...['"@NUMBER@"', "@NUMBER@.0", '"0@NUMBER@"', '" @NUMBER@"', '"0x@NUMBER@"'],
  ...["@NUMBER@.00000000000000000001", "[@NUMBER@]", "null", "777", '"@NUMBER@e0"'],
);
const result = (id: string, structured: string): string =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${structured}}}`;
const right = value.map((structured) => result("@ID@", structured));
const strange = fc.tuple(loose, value).map(([id, structured]) => result(id, structured));
const inside = right.map((text) => `{"jsonrpc":"2.0","method":"x/y","params":\r${text}\r}`);
const plan = fc.oneof(
  { weight: 4, arbitrary: right.map((text) => [text]) },
  { weight: 3, arbitrary: fc.tuple(strange, right).map((texts) => [...texts]) },
  { weight: 1, arbitrary: fc.tuple(right, right).map((texts) => [...texts]) },
  { weight: 1, arbitrary: fc.tuple(inside, right).map((texts) => [...texts]) },
  { weight: 1, arbitrary: right.map((text) => [`${text}\r`]) },
  { weight: 1, arbitrary: right.map((text) => ["noise", '{"jsonrpc":"2.0","id":@ID@,"res', text]) },
  { weight: 1, arbitrary: right.map((text) => [text.slice(0, -2)]) },
  {
    weight: 1,
    arbitrary: fc.constant(['{"jsonrpc":"2.0","id":@ID@,"error":{"code":1,"message":""}}']),
  },
  { weight: 1, arbitrary: fc.constant([]) },
);
const step = fc.record({
  id: fc.constantFrom("#", "#", "#", "#.0", '"#"', '"s#"', '"\\u0031#"'),
  args: value,
  plan,
  end: fc.constantFrom("\n", "\n", "\r\n"),
  hidden: fc.boolean(),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What the client sends of a step, ids made unique by its place. */
function stepText({ id, args, plan: texts, end, hidden }: Step, i: number): string {
  const own = id.replace("#", String(i + 10));
  const meta = `"_meta":{"plan":${JSON.stringify(texts)}}`;
  const call = `{"jsonrpc":"2.0","id":${own},"method":"tools/call","params":{"name":"work","arguments":${args},${meta}}}`;
  const other = `{"jsonrpc":"2.0","method":"x/y","params":\r${call.replace(`"id":${own}`, `"id":"h${i}"`)}\r}`;
  return hidden ? `${other}${end}${call}${end}` : `${call}${end}`;
}

/** Whether a result is one that its caller may see, or none of a tool's. */
function holds(frame: Frame): boolean {
  const { structuredContent } = frame.ranges;
  return (
    structuredContent === undefined || oracle.validateText(frame.text(structuredContent)).valid
  );
}

eachOf<Mode>(["strict", "warn"], 1)(
  "answers and records each call for any input, and forwards no invalid one in strict (%s)",
  async (mode) => {
    const steps = fc.array(step, { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 400 }), async (all, size) => {
        const client = wrapped([SERVER], { mode, env: { SCHEMA } });
        const clientInfo = { name: "c", version: "1" };
        const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
        client.send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
        await client.line(1);
        client.send({ jsonrpc: "2.0", id: 2, method: "tools/list" });
        await client.line(2);
        const bytes = Buffer.from(all.map(stepText).join(""));
        for (let at = 0; at < bytes.length; at += size) {
          client.input.write(bytes.subarray(at, at + size));
        }
        await client.close();

        const frames = client.received.lines.map((line) => readFrame(Buffer.from(line)));
        const answers = frames.filter(({ kind }) => kind === "response" || kind === "error");
        const asked = all.map((_, i) =>
          readFrame(Buffer.from(stepText({ ...(all[i] as Step), hidden: false }, i))),
        );
        for (const [i, { idKey }] of asked.entries()) {
          const own = answers.filter((answer) => answer.idKey === idKey);
          // What the server leaves open until its client has left stays open.
          if (all[i]?.plan.length === 0) expect(own.length).toBeLessThanOrEqual(1);
          else if (mode === "strict") expect(own).toHaveLength(1);
          else expect(own.length).toBeGreaterThanOrEqual(1);
        }
        const calls = await client.records();
        expect(calls.filter(({ type }) => type === "tool_call")).toHaveLength(all.length);
        const ran = client.log.lines.flatMap((line) => /^\[server\] (.+)$/.exec(line)?.[1] ?? []);
        expect(ran.length).toBeLessThanOrEqual(all.length);
        if (mode !== "strict") return;
        expect(answers.filter((answer) => !holds(answer)).map(({ bytes: b }) => String(b))).toEqual(
          [],
        );
        expect(ran.filter((args) => !oracle.validateText(args).valid)).toEqual([]);
      }),
      { numRuns: sample(4, 8) },
    );
  },
  60_000,
);
