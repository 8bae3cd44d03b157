// Rows of `npm run bench:hostile`: lines, bodies and events of a server that are not one message, or that only parts
// of the gateway read as a whole.

const HEAD = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[';
const message = (id, content) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[${content}]}}`;
const NUMBERS = "1,".repeat(29_000_000);

/** Lines that a server sends instead of a response. */
const LINES = {
  "60 MB of numbers that are cut off": () => HEAD + NUMBERS,
  "the same, with its id at the end": () =>
    `{"result":{"content":[${NUMBERS}tru]},"jsonrpc":"2.0","id":$ID}`,
  "60 MB with a wrong word in every item": () => message("$ID", `${"tru,".repeat(14_000_000)}1`),
  "a text of 60 MB that is cut off": () => `${HEAD}"${"a".repeat(58_000_000)}`,
  "a text of 29M escapes that is cut off": () => `${HEAD}"${'\\"'.repeat(29_000_000)}`,
  "60 MB of short texts that are cut off": () => HEAD + '"a",'.repeat(14_500_000),
  "60 MB of objects that are cut off": () => HEAD + '{"a":1},'.repeat(7_200_000),
  "60 MB of open arrays": () => HEAD + "[".repeat(58_000_000),
  "60 MB of space before the fault": () => `${HEAD}${" ".repeat(58_000_000)}x`,
  "two messages of 30 MB": () => {
    const content = `${NUMBERS.slice(0, 28_000_000)}1`;
    return message("$ID", content) + message(2, content);
  },
  "1.5M messages": () => message("$ID", "").repeat(1_200_000),
  "1.5M beginnings of messages": () => '{"jsonrpc":"2.0","id":$ID,'.repeat(2_400_000),
  "60 MB after a text": () => `log ${message("$ID", `${NUMBERS}1`)}`,
  "60 MB of braces after a version": () => `"jsonrpc" ${"{ ".repeat(29_000_000)}`,
  "a batch of 1.5M responses that is cut off": () =>
    `[${`${message("$ID", "")},`.repeat(1_200_000)}`,
  "a batch of one response of 60 MB that is cut off": () => `[${HEAD}${NUMBERS}`,
};
/** Valid but large data. */
const VALID = {
  "60 MB of numbers": () => message("$ID", `${NUMBERS}1`),
  "60 MB of texts": () => message("$ID", `${'"a",'.repeat(14_500_000)}1`),
  "30M carriage returns": () => message("$ID", `1${",\r1".repeat(19_000_000)}`),
  "a batch of 1.5M responses": () => `[${Array(1_200_000).fill(message("$ID", "")).join()}]`,
};

const open = async (session) => {
  await session.open();
  await session.request("tools/list");
};
const STATUSES = [200, 400, 404, 502];
const row = (feature, what, more) => ({
  feature,
  what,
  statuses: STATUSES,
  prepare: open,
  run: (session) => session.call("t0", "{}"),
  ...more,
});

const all = Object.entries({ ...LINES, ...VALID });
const childRows = all.flatMap(([what, make]) =>
  ["2025-11-25", "2026-07-28"].map((version) =>
    row(`line of a server, ${version}`, what, { version, results: { line: make } }),
  ),
);
const EVENTS = {
  "one event of 10M lines": () => `${"data:\n".repeat(10_000_000)}\n`,
  "one event of 10M lines of another field": () => `data: {}\n${"x:{\n".repeat(10_000_000)}\n`,
  "5M empty events": () => "data: {}\n\n".repeat(5_000_000),
};
const bodyRows = all.flatMap(([what, make]) => [
  row("body of a server", what, { overHttp: true, results: { body: make } }),
  row("event of a server", what, {
    overHttp: true,
    results: { stream: () => `data: ${make()}\n\n` },
  }),
]);
const eventRows = Object.entries(EVENTS).map(([what, make]) =>
  row("event of a server", what, { overHttp: true, results: { stream: make } }),
);

export const ROWS = [...childRows, ...bodyRows, ...eventRows];
