import { encodeUtf8 } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import type { Sender } from "../messages/message-table.ts";
import { readFrame } from "../read.ts";
import { ConversationRules } from "./conversation.ts";
import { RULES } from "./rules.ts";

type Message = Readonly<Record<string, unknown>>;
type Step = readonly [sender: Sender, message: Message];

const request = (id: unknown, method: string, params: object = {}): Message => ({
  id,
  method,
  params,
});
const notify = (method: string, params: object = {}): Message => ({ method, params });
const answer = (id: unknown, result: object = {}): Message => ({ id, result });

/** Returns the ids of the rules that the last step breaks. A question mark precedes rules that are only recommended. */
function broken(steps: readonly Step[], revision: string, whole = true): readonly string[] {
  const rules = new ConversationRules();
  let found: readonly string[] = [];
  for (const [sender, message] of steps) {
    const frame = readFrame(encodeUtf8(JSON.stringify({ jsonrpc: "2.0", ...message })));
    const answers = frame.method === undefined ? frame.idKey : undefined;
    const said = { sender, revision, answers, whole };
    const { errors, advice } = rules.judge(frame, said);
    found = [
      ...errors.map(({ keyword }) => `${keyword}`),
      ...advice.map(({ keyword }) => `?${keyword}`),
    ];
    rules.note(frame, said);
  }
  return found;
}

const handshake = (client: object, server: object): readonly Step[] => [
  ["client", request(0, "initialize", { capabilities: client })],
  ["server", answer(0, { capabilities: server })],
  ["client", notify("notifications/initialized")],
];
const call = (token?: unknown, more: object = {}): Step => [
  "client",
  request(1, "tools/call", {
    name: "t",
    ...(token === undefined ? {} : { _meta: { progressToken: token } }),
    ...more,
  }),
];
const progress = (progressToken: unknown, value: unknown): Step => [
  "server",
  notify("notifications/progress", { progressToken, progress: value }),
];
const modern = (id: unknown, capabilities: object, more: object = {}): Step => [
  "client",
  request(id, "tools/call", {
    name: "t",
    _meta: { "io.modelcontextprotocol/clientCapabilities": capabilities, ...more },
  }),
];
const asks = (method: string, params: object = {}): Step => [
  "server",
  request("q", method, params),
];
const LEGACY = "2025-11-25";
const MODERN = "2026-07-28";
const SKILLS = "io.modelcontextprotocol/skills";
const reading = (capabilities: object): readonly Step[] => [
  ["client", request(1, "server/discover")],
  ["server", answer(1, { capabilities })],
  ["client", request(2, "resources/directory/read", { uri: "skill://a" })],
];
const task = { task: { taskId: "1", status: "working" } };
const input = (method: string, params: object = {}): Step => [
  "server",
  answer(1, { resultType: "input_required", inputRequests: { a: { method, params } } }),
];

describe("rules across messages", () => {
  it.each<[string, string, readonly Step[], readonly string[]]>([
    ["progress under the token that was given", LEGACY, [call(7), progress(7, 1)], []],
    [
      "progress of a fraction that grows",
      LEGACY,
      [call("a"), progress("a", 0), progress("a", 0.5)],
      [],
    ],
    [
      "progress under no token that was given",
      LEGACY,
      [...handshake({}, {}), call(7), progress("x", 1)],
      ["progress-token"],
    ],
    [
      "progress where none was asked for",
      LEGACY,
      [...handshake({}, {}), call(), progress("x", 1)],
      ["progress-token"],
    ],
    ["progress under a text for a number", LEGACY, [call(7), progress("7", 1)], ["progress-token"]],
    ["progress under a number for a text", LEGACY, [call("7"), progress(7, 1)], ["progress-token"]],
    [
      "progress that stays",
      LEGACY,
      [call(7), progress(7, 1), progress(7, 1)],
      ["progress-increases"],
    ],
    [
      "progress that falls",
      MODERN,
      [call(7), progress(7, 2), progress(7, 1)],
      ["progress-increases"],
    ],
    [
      "progress after the answer",
      LEGACY,
      [call(7), ["server", answer(1)], progress(7, 1)],
      ["progress-ends"],
    ],
    [
      "progress of a task after its announcement",
      LEGACY,
      [call(7, { task: {} }), ["server", answer(1, task)], progress(7, 1)],
      [],
    ],
    [
      "progress of a client under a token that the server gave",
      LEGACY,
      [
        asks("sampling/createMessage", { _meta: { progressToken: 1 } }),
        ["client", notify("notifications/progress", { progressToken: 1, progress: 1 })],
      ],
      [],
    ],
    [
      "progress of a client under no token",
      LEGACY,
      [
        ...handshake({}, {}),
        ["client", notify("notifications/progress", { progressToken: 1, progress: 1 })],
      ],
      ["progress-token"],
    ],
    [
      "a token that is given once more",
      LEGACY,
      [call(7), progress(7, 5), ["server", answer(1)], call(7), progress(7, 1)],
      [],
    ],

    [
      "a request before initialize has its answer",
      LEGACY,
      [...handshake({ roots: {} }, {}).slice(0, 1), asks("roots/list")],
      ["?server-waits"],
    ],
    [
      "a list_changed before it",
      LEGACY,
      [
        ...handshake({}, {}).slice(0, 1),
        ["server", notify("notifications/resources/list_changed")],
      ],
      ["?server-waits"],
    ],
    ["a ping before it", LEGACY, [...handshake({}, {}).slice(0, 1), asks("ping")], []],
    [
      "a log message before it",
      LEGACY,
      [...handshake({}, {}).slice(0, 1), ["server", notify("notifications/message")]],
      [],
    ],
    [
      "a request before initialized",
      LEGACY,
      [...handshake({ roots: {} }, {}).slice(0, 2), asks("roots/list")],
      ["?server-waits"],
    ],
    [
      "a list_changed before initialized",
      LEGACY,
      [
        ...handshake({}, { tools: { listChanged: true } }).slice(0, 2),
        ["server", notify("notifications/tools/list_changed")],
      ],
      [],
    ],
    [
      "a client's request before the answer",
      LEGACY,
      [...handshake({}, {}).slice(0, 1), call()],
      ["?client-waits"],
    ],
    [
      "a client's ping before the answer",
      LEGACY,
      [...handshake({}, {}).slice(0, 1), ["client", request(1, "ping")]],
      [],
    ],
    ["requests without a handshake", LEGACY, [asks("roots/list"), call()], []],

    [
      "initialize canceled",
      LEGACY,
      [
        ...handshake({}, {}).slice(0, 1),
        ["client", notify("notifications/cancelled", { requestId: 0 })],
      ],
      ["initialize-goes-on"],
    ],
    [
      "a call canceled",
      LEGACY,
      [
        ...handshake({}, {}),
        call(),
        ["client", notify("notifications/cancelled", { requestId: 1 })],
      ],
      [],
    ],
    [
      "a call canceled by the server",
      MODERN,
      [modern(1, {}), ["server", notify("notifications/cancelled", { requestId: 1 })]],
      ["server-cancels-subscriptions"],
    ],
    [
      "a subscription canceled by the server",
      MODERN,
      [
        ["client", request(1, "subscriptions/listen")],
        ["server", notify("notifications/cancelled", { requestId: 1 })],
      ],
      [],
    ],

    ...["roots/list", "sampling/createMessage", "elicitation/create"].map(
      (method): [string, string, readonly Step[], readonly string[]] => [
        `${method} to a client without the capability`,
        LEGACY,
        [...handshake({}, {}), asks(method)],
        ["client-capability"],
      ],
    ),
    [
      "roots/list of 2025-03-26",
      "2025-03-26",
      [...handshake({}, {}), asks("roots/list")],
      ["?client-capability"],
    ],
    ...["2024-11-05", "2025-03-26"].flatMap(
      (revision): [string, string, readonly Step[], readonly string[]][] => [
        [
          `elicitation, which ${revision} lacks, to a client without the capability`,
          revision,
          [...handshake({}, {}), asks("elicitation/create")],
          ["elicitation-capability"],
        ],
        [
          `elicitation, which ${revision} lacks, to a client that has it`,
          revision,
          [...handshake({ elicitation: {} }, {}), asks("elicitation/create", { mode: "url" })],
          [],
        ],
      ],
    ),
    [
      "elicitation to a client that has it",
      LEGACY,
      [...handshake({ elicitation: {} }, {}), asks("elicitation/create")],
      [],
    ],
    [
      "a form to a client of forms",
      LEGACY,
      [
        ...handshake({ elicitation: { form: {} } }, {}),
        asks("elicitation/create", { mode: "form" }),
      ],
      [],
    ],
    [
      "a form to a client of URLs",
      LEGACY,
      [...handshake({ elicitation: { url: {} } }, {}), asks("elicitation/create")],
      ["client-capability"],
    ],
    [
      "a URL to a client of forms",
      LEGACY,
      [...handshake({ elicitation: {} }, {}), asks("elicitation/create", { mode: "url" })],
      ["client-capability"],
    ],
    [
      "a URL to a client of URLs",
      LEGACY,
      [...handshake({ elicitation: { url: {} } }, {}), asks("elicitation/create", { mode: "url" })],
      [],
    ],
    [
      "sampling with tools",
      LEGACY,
      [...handshake({ sampling: {} }, {}), asks("sampling/createMessage", { tools: [] })],
      ["client-capability"],
    ],
    [
      "sampling with tools to a client of tools",
      LEGACY,
      [
        ...handshake({ sampling: { tools: {} } }, {}),
        asks("sampling/createMessage", { tools: [] }),
      ],
      [],
    ],
    ["capabilities that are not an object", LEGACY, [...handshake([], {}), asks("roots/list")], []],

    ...["tools", "prompts", "resources"].map(
      (list): [string, string, readonly Step[], readonly string[]] => [
        `${list} list_changed from a server that declared none`,
        LEGACY,
        [
          ...handshake({}, { [list]: {} }),
          ["server", notify(`notifications/${list}/list_changed`)],
        ],
        [`${list}-list-changed`],
      ],
    ),
    [
      "list_changed that was declared",
      LEGACY,
      [
        ...handshake({}, { tools: { listChanged: true } }),
        ["server", notify("notifications/tools/list_changed")],
      ],
      [],
    ],
    [
      "a log message that was declared",
      LEGACY,
      [...handshake({}, { logging: {} }), ["server", notify("notifications/message")]],
      [],
    ],
    [
      "a log message from a server that declared none",
      "2024-11-05",
      [...handshake({}, {}), ["server", notify("notifications/message")]],
      ["logging"],
    ],
    [
      "an update from a server without subscriptions",
      LEGACY,
      [...handshake({}, { resources: {} }), ["server", notify("notifications/resources/updated")]],
      ["resource-updated"],
    ],
    [
      "prompts of a server that has none",
      LEGACY,
      [...handshake({}, {}), ["client", request(1, "prompts/list")]],
      ["server-capability"],
    ],
    [
      "prompts of a server that has them",
      LEGACY,
      [...handshake({}, { prompts: {} }), ["client", request(1, "prompts/list")]],
      [],
    ],
    [
      "completions in 2024-11-05",
      "2024-11-05",
      [...handshake({}, {}), ["client", request(1, "completion/complete")]],
      [],
    ],
    [
      "a client's roots that it did not declare to change",
      LEGACY,
      [...handshake({ roots: {} }, {}), ["client", notify("notifications/roots/list_changed")]],
      ["roots-list-changed"],
    ],
    [
      "what discover declares",
      MODERN,
      [
        ["client", request(1, "server/discover")],
        ["server", answer(1, { capabilities: {} })],
        modern(2, {}, { "io.modelcontextprotocol/logLevel": "info" }),
        ["server", notify("notifications/message")],
      ],
      ["logging"],
    ],
    [
      "a directory that is read, which is declared",
      MODERN,
      reading({ extensions: { [SKILLS]: { directoryRead: true } } }),
      [],
    ],
    [
      "a directory that is read, which is declared as false",
      MODERN,
      reading({ extensions: { [SKILLS]: { directoryRead: false } } }),
      ["directory-read"],
    ],
    [
      "a directory that is read, which is left out of its extension",
      MODERN,
      reading({ extensions: { [SKILLS]: {} } }),
      ["directory-read"],
    ],
    [
      "a directory that is read, which is left out with its extension",
      MODERN,
      reading({ resources: {} }),
      ["directory-read"],
    ],
    [
      "a directory of a server whose capabilities are unknown",
      MODERN,
      [["client", request(2, "resources/directory/read", { uri: "skill://a" })]],
      [],
    ],
    [
      "a directory in a revision for which the extension is not specified",
      LEGACY,
      [...handshake({}, {}), ["client", request(1, "resources/directory/read")]],
      [],
    ],
    [
      "a log message that a request asked for",
      MODERN,
      [
        modern(1, {}, { "io.modelcontextprotocol/logLevel": "info" }),
        ["server", notify("notifications/message")],
      ],
      [],
    ],
    [
      "a log message that none asked for",
      MODERN,
      [modern(1, {}), ["server", notify("notifications/message")]],
      ["log-asked"],
    ],

    ["a task that nobody asked for", LEGACY, [call(), ["server", answer(1, task)]], ["task-asked"]],
    [
      "a task that was asked for",
      LEGACY,
      [call(undefined, { task: {} }), ["server", answer(1, task)]],
      [],
    ],
    [
      "a result with a member of that name",
      LEGACY,
      [call(), ["server", answer(1, { ...task, content: [] })]],
      [],
    ],
    ["a task of a revision without tasks", "2025-06-18", [call(), ["server", answer(1, task)]], []],
    [
      "a task of an extension that was not declared",
      MODERN,
      [modern(1, {}), ["server", answer(1, { resultType: "task" })]],
      ["result-type"],
    ],
    [
      "a task of another extension",
      MODERN,
      [modern(1, { extensions: { "a/b": {} } }), ["server", answer(1, { resultType: "task" })]],
      ["result-type"],
    ],
    [
      "a task of an extension that was declared",
      MODERN,
      [
        modern(1, { extensions: { "io.modelcontextprotocol/tasks": {} } }),
        ["server", answer(1, { resultType: "task" })],
      ],
      [],
    ],
    [
      "a type of result that nobody knows",
      MODERN,
      [modern(1, {}), ["server", answer(1, { resultType: "zork" })]],
      ["result-type"],
    ],
    [
      "a type of result of an extension",
      MODERN,
      [modern(1, { extensions: { "a/b": {} } }), ["server", answer(1, { resultType: "zork" })]],
      [],
    ],
    [
      "input that the client can give",
      MODERN,
      [modern(1, { elicitation: {} }), input("elicitation/create")],
      [],
    ],
    [
      "input that the client cannot give",
      MODERN,
      [modern(1, { elicitation: {} }), input("roots/list")],
      ["input-capability"],
    ],
    [
      "a URL that the client cannot open",
      MODERN,
      [modern(1, { elicitation: {} }), input("elicitation/create", { mode: "url" })],
      ["input-capability"],
    ],
    [
      "sampling with tools that the client cannot use",
      MODERN,
      [modern(1, { sampling: {} }), input("sampling/createMessage", { tools: [] })],
      ["input-capability"],
    ],
  ])("%s, %s", (_, revision, steps, expected) => {
    expect(broken(steps, revision)).toEqual(expected);
  });

  const listen = (id: unknown, notifications: unknown): Step => [
    "client",
    request(id, "subscriptions/listen", { notifications }),
  ];
  const META_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
  const told = (method: string, id?: unknown): Step => [
    "server",
    notify(
      `notifications/${method}`,
      id === undefined ? {} : { _meta: { [META_SUBSCRIPTION]: id } },
    ),
  ];
  const acknowledged = (id: unknown): Step => told("subscriptions/acknowledged", id);
  const cancel = (requestId: unknown, sender: Sender = "client"): Step => [
    sender,
    notify("notifications/cancelled", { requestId }),
  ];
  const ofTask = (taskId: unknown) => ({
    _meta: { "io.modelcontextprotocol/related-task": { taskId } },
  });
  const fetch: Step = ["client", request(2, "tasks/result", { taskId: "t" })];
  const tools = { tools: { listChanged: true } };

  it.each<[string, string, readonly Step[], readonly string[]]>([
    ["cancels a request that waits", LEGACY, [...handshake({}, {}), call(), cancel(1)], []],
    [
      "cancels a request whose response has come meanwhile",
      LEGACY,
      [...handshake({}, {}), call(), ["server", answer(1)], cancel(1)],
      [],
    ],
    [
      "cancels as a client, perhaps before its request, what it has not asked",
      LEGACY,
      [...handshake({}, {}), call(), cancel(9)],
      [],
    ],
    [
      "cancels by another type",
      LEGACY,
      [
        ...handshake({ roots: {} }, {}),
        ["server", request(7, "roots/list", {})],
        cancel("7", "server"),
      ],
      ["cancels-known"],
    ],
    [
      "cancels what the other side has asked",
      LEGACY,
      [...handshake({ roots: {} }, {}), asks("roots/list"), call(), cancel("q")],
      [],
    ],
    [
      "cancels as a server what it has not asked",
      LEGACY,
      [...handshake({ roots: {} }, {}), asks("roots/list"), call(), cancel(1, "server")],
      ["cancels-known"],
    ],
    ["cancels in a conversation of which nothing was seen", MODERN, [cancel(1)], []],
    [
      "uses an id again as a server",
      LEGACY,
      [...handshake({ roots: {} }, {}), asks("roots/list"), asks("roots/list")],
      ["id-in-use"],
    ],
    [
      "uses an id again as a server once it was answered",
      LEGACY,
      [...handshake({ roots: {} }, {}), asks("roots/list"), ["client", answer("q")], asks("ping")],
      [],
    ],
    [
      "initializes twice",
      LEGACY,
      [...handshake({}, {}), ["client", request(5, "initialize", {})]],
      ["initialize-once"],
    ],
    [
      "initializes once more after an error",
      LEGACY,
      [
        ["client", request(0, "initialize", {})],
        ["server", { id: 0, error: { code: -32602, message: "no such revision" } }],
        ["client", request(1, "initialize", {})],
      ],
      [],
    ],
    ...(
      [
        ["an array without text", { content: [], structuredContent: [1] }, true],
        ["an array without content", { structuredContent: [] }, true],
        ["a number beside an image", { content: [{ type: "image" }], structuredContent: 5 }, true],
        ["null without text", { content: [], structuredContent: null }, true],
        [
          "an array of a result without type",
          { resultType: undefined, structuredContent: [] },
          true,
        ],
        ["content that is not a list", { content: { type: "text" }, structuredContent: [] }, true],
        [
          "an array with text",
          { content: [null, { type: "text" }], structuredContent: [1] },
          false,
        ],
        ["an object without text", { content: [], structuredContent: {} }, false],
        ["no structured content", { content: [] }, false],
        [
          "an array in a request for input",
          { resultType: "input_required", structuredContent: [] },
          false,
        ],
        ["long content", { content: [{ type: "x".repeat(16_384) }], structuredContent: [] }, false],
      ] as const
    ).map(([what, result, isNoted]): [string, string, readonly Step[], readonly string[]] => [
      `structured content: ${what}`,
      MODERN,
      [modern(1, {}), ["server", answer(1, { resultType: "complete", ...result })]],
      isNoted ? ["?structured-text"] : [],
    ]),
    [
      "an array without text before 2026-07-28",
      LEGACY,
      [call(), ["server", answer(1, { content: [], structuredContent: [] })]],
      [],
    ],
    [
      "an array without text of another request",
      MODERN,
      [
        ["client", request(1, "prompts/get")],
        ["server", answer(1, { resultType: "complete", structuredContent: [] })],
      ],
      [],
    ],
    [
      "a task's result that names the task",
      LEGACY,
      [fetch, ["server", answer(2, ofTask("t"))]],
      [],
    ],
    ["a task's result without the task", LEGACY, [fetch, ["server", answer(2)]], ["task-metadata"]],
    [
      "a task's result that names another task",
      LEGACY,
      [fetch, ["server", answer(2, ofTask("u"))]],
      ["task-metadata"],
    ],
    [
      "metadata beside the id of the task",
      LEGACY,
      [["client", request(2, "tasks/get", { taskId: "t", ...ofTask("t") })]],
      ["?task-metadata-spare"],
    ],
    [
      "a notification that was asked for",
      MODERN,
      [listen(3, { toolsListChanged: true }), acknowledged(3), told("tools/list_changed", 3)],
      [],
    ],
    [
      "a notification that its subscription did not ask for",
      MODERN,
      [
        listen(3, { toolsListChanged: true }),
        listen(4, { promptsListChanged: true }),
        acknowledged(3),
        told("prompts/list_changed", 3),
      ],
      ["subscription-filter"],
    ],
    [
      "a resource that is not subscribed to",
      MODERN,
      [listen(3, { resourceSubscriptions: [] }), acknowledged(3), told("resources/updated", 3)],
      ["subscription-filter"],
    ],
    [
      "a notification without a subscription",
      MODERN,
      [told("tools/list_changed")],
      ["subscription-filter"],
    ],
    [
      "a notification before the acknowledgment",
      MODERN,
      [listen(3, { toolsListChanged: true }), told("tools/list_changed", 3)],
      ["subscription-acknowledged"],
    ],
    [
      "a notification of an older revision, which has no filters",
      LEGACY,
      [...handshake({}, tools), told("tools/list_changed")],
      [],
    ],
  ])("%s (%s)", (_, revision, steps, expected) => {
    expect(broken(steps, revision)).toEqual(expected);
  });

  it("report nothing if earlier messages were not seen", () => {
    expect(broken([progress("x", 1)], LEGACY)).toEqual([]);
    expect(broken([...handshake({}, {}), progress("x", 1)], LEGACY, false)).toEqual([]);
    expect(broken([["server", notify("notifications/message")]], MODERN, false)).toEqual([]);
    expect(broken([["server", answer(5, task)]], LEGACY)).toEqual([]);
    expect(broken([call(1), progress("1", 1)], LEGACY, false)).toEqual(["progress-token"]);
    expect(broken([progress("x", 1)], "2020-01-01")).toEqual([]);
  });

  it("forget old messages, and report nothing about them", () => {
    const calls = Array.from(
      { length: 1_100 },
      (_, i): Step => ["client", request(i, "tools/call", { _meta: { progressToken: i } })],
    );
    expect(broken([...handshake({}, {}), ...calls, progress(3, 1)], LEGACY)).toEqual([]);
    expect(broken([...calls, progress(1_099, 1), progress(1_099, 1)], LEGACY)).toEqual([
      "progress-increases",
    ]);
  });

  it("still apply after many requests were answered", () => {
    const answered = Array.from({ length: 1_100 }, (_, i): Step[] => [
      ["client", request(i, "tools/call")],
      ["server", answer(i)],
    ]).flat();
    const log: Step = ["server", notify("notifications/message")];
    expect(broken([...answered, log], MODERN)).toEqual(["log-asked"]);
    const changed: Step = ["server", notify("notifications/tools/list_changed")];
    expect(broken([...answered, changed], MODERN)).toEqual(["subscription-filter"]);
    const cancelled = (requestId: number): Step => [
      "server",
      notify("notifications/cancelled", { requestId }),
    ];
    expect(broken([...answered, cancelled(5)], MODERN)).toEqual([]);
    expect(broken([...answered.slice(-100), cancelled(5)], MODERN)).toEqual(["cancels-known"]);
  });

  it("take content that is not JSON, behind keys that are too many to read, as one with text", () => {
    const rules = new ConversationRules();
    const [, sent] = modern(1, {});
    rules.note(readFrame(encodeUtf8(JSON.stringify({ jsonrpc: "2.0", ...sent }))), {
      ...{ sender: "client", revision: MODERN, answers: undefined, whole: true },
    });
    const keys = Array.from({ length: 20 }, (_, i) => `"${i}":1`).join();
    const text = `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":[{${keys}}],"content":[x]}}`;
    const frame = readFrame(encodeUtf8(text), { duplicates: true, keyLimits: { object: 9 } });
    expect(frame.scan.overKeys).toBeDefined();
    const said = { sender: "server", revision: MODERN, answers: frame.idKey, whole: true } as const;
    expect(rules.judge(frame, said).advice.map(({ keyword }) => keyword)).toEqual([]);
  });

  it("each name a section, and have distinct ids", () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
    for (const { section } of RULES) expect(section).not.toBe("");
  });
});
