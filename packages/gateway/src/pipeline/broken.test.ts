import { describe, expect, it } from "vitest";
import type { Mode } from "../settings/validation.ts";
import { ADD, all, bytesOf, call, Harness, modes, parse, structured } from "./testing/harness.ts";

const MODES: Mode[] = ["off", "warn", "strict"];

async function waiting(mode: Mode, ids: number[] = [1]): Promise<Harness> {
  const h = new Harness({ settings: all(mode) });
  await h.list([ADD]);
  for (const id of ids) await h.client(call(id, "add", '{"a":1}'));
  return h;
}

describe("noise that a server prints between messages", () => {
  const noise = [
    "Server started",
    "[info] ready",
    "42",
    '"ready"',
    "[1, 2]",
    "{",
    "  a: 1,",
    "[]x",
    '{"level":30,"msg":"started","time":1}',
    "\u001b[2Jcleared",
  ];
  it.each(noise)("is logged and dropped, and ends no request: %j", async (text) => {
    for (const mode of MODES) {
      const h = await waiting(mode);
      expect(await h.server(text)).toEqual({});
      expect(h.pipeline.pending).toBe(1);
      expect(h.activity.records).toEqual([]);
      expect(h.lines.at(-1)).toContain("server sent something that is not a JSON-RPC message");
      expect(h.lines.join("")).not.toContain("\u001b");
      const frame = h.read(structured(1, '{"sum":1}'));
      expect((await h.server(frame)).onward).toBe(frame.bytes);
    }
  });

  it("cannot flood the log", async () => {
    const h = await waiting("warn");
    for (let n = 0; n < 500; n += 1) {
      await h.server(`noise ${n}`);
      await h.server(`{"jsonrpc":"2.0","method":7,"n":${n}}`);
    }
    expect(h.lines.filter((line) => line.includes("not a JSON-RPC message")).length).toBeLessThan(
      50,
    );
  });
});

describe("a server response that is not JSON", () => {
  const table = MODES.flatMap((mode) =>
    [
      ["with its id", '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":', [1, 2], 1],
      ["with an id in other words", '{"id":10e-1,"result":nonsense}', [1, 2], 1],
      ["without id, one waits", '{"jsonrpc":"2.0","result":{', [7], 7],
      ["without id, two wait", '{"jsonrpc":"2.0","result":{', [1, 2], undefined],
      ["with half of an id", '{"jsonrpc":"2.0","id":1', [1, 12], undefined],
      ["a request of its own", '{"jsonrpc":"2.0","method":"ping"', [1], undefined],
      [
        "a request of its own, with an id",
        '{"jsonrpc":"2.0","id":1,"method":"ping"',
        [1],
        undefined,
      ],
      ["a batch", '[{"jsonrpc":"2.0","id":1', [1], 1],
      ["with its id last", '{"result":{"x":NaN},"jsonrpc":"2.0","id":2}', [1, 2], 2],
      [
        "with another object's id last",
        '{"jsonrpc":"2.0","result":[{"x":NaN,"id":2}',
        [1, 2],
        undefined,
      ],
      [
        "a request with its id last",
        '{"method":"ping","params":NaN,"jsonrpc":"2.0","id":1}',
        [1],
        undefined,
      ],
    ].map((row) => [mode, ...(row as [string, string, number[], number | undefined])] as const),
  );
  it.each(table)("in %s: %s", async (mode, _name, text, ids, answered) => {
    const h = await waiting(mode, ids);
    const { onward, back } = await h.server(text);
    expect(back).toBeUndefined();
    if (answered === undefined) expect(onward).toBeUndefined();
    else expect(parse(onward)).toMatchObject({ id: answered, error: { code: -32603 } });
    const calls = h.records("tool_call");
    expect(calls).toHaveLength(answered === undefined ? 0 : 1);
    expect(h.records("policy_decision")).toMatchObject(
      mode === "off" ? [] : [{ decision: "blocked", ...(calls[0] && { tool: "add" }) }],
    );
    expect(h.pipeline.pending).toBe(ids.length - calls.length);
  });

  it("is final: a later response with its id does not reach the client", async () => {
    const h = await waiting("warn");
    await h.server('{"jsonrpc":"2.0","id":1,"result":nonsense}');
    expect(await h.server(structured(1, '{"sum":1}'))).toEqual({});
    expect(h.records("tool_call")).toHaveLength(1);
  });

  it("is logged without its content", async () => {
    const h = await waiting("warn");
    await h.server('{"jsonrpc":"2.0","id":1,"result":{"token":"hunter2"');
    expect(h.lines.join("")).not.toContain("hunter2");
  });
});

describe("JSON from a server that is not a message", () => {
  it.each(MODES)("is checked like any other message in %s", async (mode) => {
    const h = await waiting(mode);
    const frame = h.read('{"jsonrpc":"2.0","id":1,"resutl":{}}');
    const { onward } = await h.server(frame);
    if (mode === "strict") {
      expect(parse(onward)).toMatchObject({ id: 1, error: { code: -32603 } });
      expect(h.pipeline.pending).toBe(0);
    } else {
      expect(onward).toBe(frame.bytes);
      // The frame did not answer the request, so the end of the conversation does.
      expect((await h.pipeline.end("gone")).map(parse)).toMatchObject([{ id: 1 }]);
    }
    expect(h.records("tool_call")).toHaveLength(1);
    expect(h.records("policy_decision").map(({ decision }) => decision)).toEqual(
      { off: [], warn: ["warning"], strict: ["blocked"] }[mode],
    );
  });
});

describe("a message over the size limit", () => {
  const cut = (head: string, tail = "") => ({ head: bytesOf(head), tail: bytesOf(tail), size: 99 });
  it.each([
    ["first", '{"id":2,"result":{"x', 'y"}}'],
    ["last", '{"result":{"x', 'y"},"jsonrpc":"2.0","id":2}\r'],
  ])(
    "from the server is answered with an error and recorded, with the id %s",
    async (_name, head, tail) => {
      const h = await waiting("off", [1, 2]);
      const { onward } = await h.pipeline.oversize("server", cut(head, tail), 50);
      expect(parse(onward)).toMatchObject({ id: 2, error: { code: -32603 } });
      expect(h.records("policy_decision")).toMatchObject([
        { outcome: "guard", guard: { guard: "maxBytes", limit: 50, actual: 99 }, tool: "add" },
      ]);
      expect(h.records("tool_call")).toMatchObject([{ status: "blocked", outcome: "guard" }]);
      expect(h.pipeline.pending).toBe(1);
    },
  );

  it("ends no request if its id is cut off or unknown", async () => {
    const h = await waiting("warn", [1]);
    const unclear = [
      ['{"id":1', "}"],
      ['{"id":9,"result":{"x', '"}}'],
      ['{"result":{"x', '"}}'],
      ['{"result":{"x', '"},"id":1}}'],
      ['{"jsonrpc":"2.0","id":1,"method":"notifications/progress"', "}}"],
    ] as const;
    for (const [head, tail] of unclear) {
      expect((await h.pipeline.oversize("server", cut(head, tail), 50)).onward).toBeUndefined();
    }
    expect(h.pipeline.pending).toBe(1);
    expect(h.records("policy_decision")).toHaveLength(unclear.length);
  });

  it("becomes an error for each request that the transport knows, with one decision", async () => {
    const h = await waiting("off", [1, 2, 3]);
    const { onward } = await h.pipeline.oversize("server", cut(""), 50, ["n1", "n3"]);
    expect(parse(onward)).toMatchObject([
      { id: 1, error: { message: expect.stringContaining("at least 99 bytes") } },
      { id: 3, error: {} },
    ]);
    expect(h.records("policy_decision")).toMatchObject([{ outcome: "guard" }]);
    expect(h.records("tool_call").map(({ status }) => status)).toEqual(["blocked", "blocked"]);
    expect(await h.pipeline.oversize("server", cut(""), 50, [])).toEqual({});
    expect(h.pipeline.pending).toBe(1);
  });

  it("is answered to the server if it is the server's request", async () => {
    const h = await waiting("warn", [1]);
    const head = '{"method":"sampling/createMessage","params":{"x';
    const { onward, back } = await h.pipeline.oversize("server", cut(head, '"},"id":1}'), 50);
    expect(onward).toBeUndefined();
    expect(back?.map(parse)).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    expect(h.pipeline.pending).toBe(1);
  });

  it("is answered to the client if it is the client's request, else to the waiting server", async () => {
    const h = new Harness({ settings: modes() });
    const over = (head: string, tail = "") => h.pipeline.oversize("client", cut(head, tail), 50);
    const request = await over('{"id":"a","method":"tools/call","params":{"x');
    expect(request.back?.map(parse)).toMatchObject([{ id: "a", error: { code: -32600 } }]);
    const last = await over('{"method":"tools/call","params":{"x', '"},"jsonrpc":"2.0","id":7}');
    expect(last.back?.map(parse)).toMatchObject([{ id: 7, error: { code: -32600 } }]);
    const unclear = await over('{"id":12');
    expect(unclear.back?.map(parse)).toMatchObject([{ id: null }]);
    const answer = await over('{"id":"s","result":{"x');
    expect(parse(answer.onward)).toMatchObject({ id: "s", error: {} });
    const answeredLast = await over('{"result":{"x', '"},"jsonrpc":"2.0","id":"s"}');
    expect(parse(answeredLast.onward)).toMatchObject({ id: "s", error: {} });
    expect(h.records("policy_decision")).toHaveLength(5);
  });

  it("is answered for each id at the start of a client's batch, and once for the rest", async () => {
    const h = new Harness({ settings: modes(), revision: "2025-03-26" });
    await h.list([ADD]);
    const items = [
      call(1, "add", '{"a":1}'),
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
      '{"jsonrpc":"2.0","id":"s","result":{}}',
      '{"jsonrpc":"2.0","id":"two","method":"ping"}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":"x',
    ];
    const { back, onward } = await h.pipeline.oversize("client", cut(`[${items.join()}`), 50);
    expect(back?.map(parse)).toMatchObject(
      [1, "two", 3, null].map((id) => ({ id, error: { code: -32600 } })),
    );
    expect(parse(onward)).toMatchObject({ id: "s", error: { code: -32600 } });
    expect(h.records("policy_decision")).toMatchObject([
      { outcome: "guard", guard: { actual: 99 } },
    ]);
    const rejected = { tool: "add", status: "rejected" };
    expect(h.records("tool_call")).toMatchObject([rejected, rejected]);
    expect(h.pipeline.pending).toBe(0);
  });

  it.each<[string, string, unknown[]]>([
    ["whole", '[{"id":1,"method":"ping"},{"id":"b","method":"ping"}]', [1, "b"]],
    ["of notifications", '[{"jsonrpc":"2.0","method":"notifications/initialized"}]', []],
    ["with an item that is none", '[{"id":1,"method":"ping"},1]', [1, null]],
    [
      "with an id that was left out",
      '[{"method":"ping","id":null},{"id":2,"method":"ping"}]',
      [null, 2],
    ],
    ["without an item", "[ ]", [null]],
    ["that broke off", '[{"id":1,"method":"ping"},{"id":2,"method":"p', [1, 2, null]],
    ["with a fault", '[{"id":1,"method":"ping","params":NaN},{"id":2,"method":"ping"}]', [1, 2]],
  ])("is answered for each request of a client's batch, %s", async (_name, text, ids) => {
    const h = new Harness({ settings: modes() });
    const ends = { ...cut("["), outline: bytesOf(text) };
    const { back = [], onward } = await h.pipeline.oversize("client", ends, 50);
    expect(back.map(parse).map(({ id }) => id)).toEqual(ids);
    expect(onward).toBeUndefined();
  });

  it("from the client is answered with the id in its outline, or at its end", async () => {
    const h = new Harness({ settings: modes() });
    for (const [outline, id] of [
      ['{"method":"ping","params":null,"id":5,"x":null}', 5],
      ['{"method":"ping","params":{', 7],
    ] as const) {
      const ends = cut('{"method":"ping","params":{"x', '"},"jsonrpc":"2.0","id":7}');
      const passage = await h.pipeline.oversize(
        "client",
        { ...ends, outline: bytesOf(outline) },
        50,
      );
      expect(passage.back?.map(parse)).toMatchObject([{ id, error: { code: -32600 } }]);
    }
  });

  it.each(["[", '[{"id":12', "[1,2", "[[]"])(
    "is answered once if it starts like a batch, %s, without an id",
    async (head) => {
      const h = new Harness({ settings: modes() });
      const { back, onward } = await h.pipeline.oversize("client", cut(head), 50);
      expect(back?.map(parse)).toMatchObject([{ id: null, error: { code: -32600 } }]);
      expect(onward).toBeUndefined();
    },
  );

  it("from the client ends none of the client's own requests, whose ids it may hold", async () => {
    const h = await waiting("warn", [1, 2]);
    const answers = `[${structured(1, "{}")},${structured(2, "{}")}]`;
    await h.pipeline.oversize("client", cut(answers), 50);
    await h.pipeline.oversize("client", cut(structured(1, "{}")), 50);
    expect(h.pipeline.pending).toBe(2);
    expect(h.records("tool_call")).toEqual([]);
  });

  it("leaves the record of a call, with the tool if it is readable", async () => {
    const h = new Harness({ settings: modes() });
    const head =
      '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"add","arguments":{"a":"';
    await h.pipeline.oversize("client", cut(head, '"}}}'), 50);
    expect(h.records("tool_call")).toMatchObject([
      { tool: "add", status: "rejected", decision: "blocked", outcome: "guard", bytes_in: 99 },
    ]);
    const [decision] = h.records("policy_decision");
    expect(decision?.request_id).toBe(h.records("tool_call")[0]?.request_id);
  });
});
