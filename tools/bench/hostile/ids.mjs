// Rows of `npm run bench:hostile`: ids, tokens and cursors that a client or a server chooses, and other members of a
// message that are read as one text or number.

/** U+FDFA takes three bytes, and becomes 18 characters if it is normalized. */
const LONG = "\ufdfa".repeat(5_000_000);
const DIGITS = "9".repeat(15_000_000);

const open = async (session) => {
  await session.open();
  await session.request("tools/list");
};
const SETTINGS = {
  "no setting": {},
  "strict checks": {
    ...{ input_validation: { mode: "strict" }, output_validation: { mode: "strict" } },
    protocol_validation: { mode: "strict" },
  },
};

/** A message that a client posts, and the status of its response. */
const MESSAGES = {
  "id of 15 MB": [`{"jsonrpc":"2.0","id":"${LONG}","method":"ping"}`, 400],
  "id of 15M digits": [`{"jsonrpc":"2.0","id":${DIGITS},"method":"ping"}`, 400],
  "params.taskId of 15 MB": [
    `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"${LONG}"}}`,
    400,
  ],
  "progressToken of 15 MB": [
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t0","_meta":{"progressToken":"${LONG}"}}}`,
    400,
  ],
  "cursor of 15 MB": [
    `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"${LONG}"}}`,
    400,
  ],
  "cancelled, with a requestId of 15 MB": [
    `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"${LONG}"}}`,
    400,
  ],
  "progress, with a token of 15 MB": [
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${LONG}","progress":1}}`,
    400,
  ],
  "progress of 15M digits": [
    `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":${DIGITS}}}`,
    202,
  ],
  "response, with an id of 15 MB": [`{"jsonrpc":"2.0","id":"${LONG}","result":{}}`, 400],
  "error, with a code of 15M digits": [
    `{"jsonrpc":"2.0","id":7,"error":{"code":${DIGITS},"message":"m"}}`,
    202,
  ],
  "method of 7M escapes": [`{"jsonrpc":"2.0","id":1,"method":"${'\\"'.repeat(7_000_000)}"}`, 200],
  "array of 15 MB that is cut off": [
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${"1,".repeat(7_500_000)}`,
    400,
  ],
  "objects of 15 MB with a bracket too many": [
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[${'{"a":1},'.repeat(1_800_000)}1]}}}`,
    400,
  ],
  "argument of 15M digits": [
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t0","arguments":{"a":1${"0".repeat(15_000_000)}}}}`,
    200,
  ],
  "version of 15 MB": [`{"jsonrpc":"${LONG}","id":1,"method":"ping"}`, 200],
  "batch of 100 messages with ids of 150 kB": [
    `[${Array(100)
      .fill(`{"jsonrpc":"2.0","id":"${LONG.slice(0, 50_000)}","method":"ping"}`)
      .join()}]`,
    200,
  ],
};
const messageRows = Object.entries(MESSAGES).flatMap(([what, [body, status]]) =>
  Object.entries(SETTINGS).map(([feature, touchstone]) => ({
    feature,
    what: `client: ${what}`,
    touchstone,
    statuses: [status, 200, 400],
    prepare: open,
    run: (session) => session.post(body),
  })),
);

/** Members of a result of `tools/call`, or lines that a server writes before it. */
const RESULTS = {
  "taskId of 15 MB": { result: `{"task":{"taskId":"${LONG}"}}` },
  "structured content with isError of 15 MB": { result: `{"isError":"${LONG}","content":[]}` },
  "nextCursor of 15 MB": { result: `{"nextCursor":"${LONG}","content":[]}` },
  "resultType of 15 MB": { result: `{"resultType":"${LONG}","content":[]}` },
  "request, with an id of 15 MB": { before: `{"jsonrpc":"2.0","id":"${LONG}","method":"ping"}` },
  "response, with an id of 15 MB": { before: `{"jsonrpc":"2.0","id":"${LONG}","result":{}}` },
  "error, with a code of 15M digits": {
    before: `{"jsonrpc":"2.0","id":77,"error":{"code":${DIGITS},"message":"m"}}`,
  },
  "content of 60 MB that is cut off": { result: `{"content":[${"1,".repeat(30_000_000)}` },
  "error, with a message of 15 MB": {
    before: `{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"${LONG}"}}`,
  },
  "progress, with a token of 15 MB": {
    before: `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"${LONG}","progress":1}}`,
  },
  "cancelled, with a requestId of 15 MB": {
    before: `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"${LONG}"}}`,
  },
};
const serverRows = Object.entries(RESULTS).flatMap(([what, { result, before }]) =>
  Object.entries(SETTINGS).map(([feature, touchstone]) => ({
    feature,
    what: `server: ${what}`,
    touchstone,
    results: {
      ...(result === undefined ? {} : { "tools/call": result }),
      ...(before === undefined ? {} : { before }),
    },
    prepare: open,
    run: (session) => session.call("t0", "{}"),
  })),
);

export const ROWS = [...messageRows, ...serverRows];
