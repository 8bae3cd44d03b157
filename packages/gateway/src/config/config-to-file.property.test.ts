import fc from "fast-check";
import { expect, it } from "vitest";
import { sample } from "../../../core/src/testing/sample.ts";
import { configAsFile } from "./config-to-file.ts";
import { parseConfig } from "./load.ts";

const read = (text: string) => parseConfig(text, { file: "touchstone.json", env: {} });

/** Texts as a file holds them, with references, and with escaped signs that only look like references. */
const text = fc.oneof(
  fc.constantFrom(
    `$\${NAME}`,
    `$$\${NAME}`,
    `$$$\${`,
    `\${NO:-$}{NAME}`,
    "$",
    `x\${NO:-}y`,
    "天 é",
  ),
  fc.string({ unit: "grapheme", minLength: 1 }).filter((word) => !/\$\{|\0/.test(word)),
);
const filled = text.filter((word) => word.trim() !== "" && word !== `x\${NO:-}y`);
const few = { maxKeys: 3, noNullPrototype: true } as const;
const name = fc.oneof(
  fc.constantFrom("constructor", "a.b", "天"),
  fc.stringMatching(/^[a-z]{1,5}$/),
);
const choice = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
const some = <Fields>(fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> }) =>
  fc.record(fields, { requiredKeys: [] });

const bytes = fc.integer({ min: 1, max: 1024 ** 3 });
const mode = choice("off", "warn", "strict");
const treatment = choice("violation", "warning", "ignore");
const input = {
  mode,
  max_bytes: bytes,
  max_depth: fc.integer({ min: 1, max: 10_000 }),
  on_invalid_schema: choice("allow", "block"),
  on_unknown_schema: choice("allow", "block"),
  rules: some({ type: treatment, extra: treatment, "/a~1b/*": treatment, guard: treatment }),
};
const sections = {
  input_validation: some(input),
  output_validation: some({ ...input, missing_structured_content: choice("allow", "block") }),
  protocol_validation: some({ mode, max_bytes: bytes }),
};
const adapt = some({
  unusable_tools: choice("pass", "leave_out"),
  output_schema: choice("pass", "drop_unusable", "drop"),
  pages: choice("pass", "merge"),
  for: fc.oneof(
    fc.constant("auto"),
    fc.array(choice("auto", "cursor", "openai-strict"), { maxLength: 2 }),
  ),
  mirror_content: fc.boolean(),
  names: some({ max: choice(64, 128), prefix_length: fc.integer({ min: 0, max: 40 }) }),
  descriptions: some({ max: fc.integer({ min: 16, max: 5000 }), strip_hidden: fc.boolean() }),
});
const patterns = fc.array(choice("read_*", "a?", "*", "drop", `$\${NAME}`), { maxLength: 3 });
const policy = some({
  mode,
  allow_tools: patterns,
  deny_tools: patterns,
  read_only: fc.boolean(),
  advertise: fc.boolean(),
});
const callLimits = some({
  calls_per_minute: fc.integer({ min: 1, max: 100 }),
  result_bytes: fc.integer({ min: 1, max: 5 }),
});
const narrow = choice(
  { properties: { path: { within: ["/a"] } } },
  { enum: [`$\${NAME}`] },
  { hosts: { names: ["a.example"], schemes: ["https"] }, title: "x" },
);
const own = {
  ...sections,
  policy,
  adapt,
  limits: callLimits,
  capability: choice("pass", "add"),
  tools: fc.dictionary(name, some({ ...sections, narrow, limits: callLimits }), few),
};
const started = fc
  .tuple(
    fc.record({ command: filled.filter((command) => !/\s/.test(command.trim())) }),
    some({
      type: choice("stdio"),
      args: fc.array(text),
      env: fc.dictionary(name, text, few),
      cwd: filled,
      disabled: fc.boolean(),
      alwaysAllow: fc.boolean(),
      touchstone: some({ ...own, forward_authorization: choice(false) }),
    }),
  )
  .map(([needed, other]) => ({ ...needed, ...other }));
const reached = fc
  .tuple(
    fc.record({ url: choice(`https://a.example/mcp?q=$\${NAME}`, `http://[::1]:8/\${NO:-x}`) }),
    some({
      type: choice("http", "streamable-http"),
      headers: fc.dictionary(fc.stringMatching(/^x-[a-z]{1,4}$/), choice(`$\${A}`, "é", ""), few),
      disabled: fc.boolean(),
      touchstone: some({ ...own, forward_authorization: fc.boolean() }),
    }),
  )
  .map(([needed, other]) => ({ ...needed, ...other }));
const count = fc.integer({ min: 1, max: 1000 });
const file = some({
  mcpServers: fc.dictionary(name, fc.oneof(started, reached), few),
  ...sections,
  policy,
  adapt,
  capability: choice("pass", "add"),
  forward_authorization: fc.boolean(),
  activity: some({
    sync: choice("normal", "full"),
    store: choice(`postgres://u:$\${NAME}@h/d`, "postgresql://h"),
    bodies: fc.boolean(),
    body_max_bytes: bytes,
    on_write_failure: choice("refuse", "continue"),
    drift: fc.boolean(),
    retention_days: count,
    max_records: count,
    max_bytes: count,
  }),
  limits: some({
    request_bytes: bytes,
    upstream_frame_bytes: bytes,
    sessions: count,
    children: count,
    concurrent_calls: count,
    call_timeout: choice(0.5, 30),
    result_bytes: fc.integer({ min: 1, max: 5 }),
  }),
  http: some({ allow_execute: fc.boolean() }),
  listen: some({
    address: choice("127.0.0.1:0", "[::1]:7411", "localhost:65535"),
    allowed_hosts: fc.array(choice("a.example", "[::1]:8")),
    allowed_origins: fc.array(choice("https://a.example")),
    allowed_headers: fc.array(choice("x-request-id")),
    idle_timeout: choice(1, 600),
  }),
  auth: some({
    api_key: choice("key", `$\${KEY}`),
    admin_key: choice("admin"),
    keys: fc.uniqueArray(
      fc
        .tuple(
          fc.record({ name: choice("alice", "bob", "天"), key: fc.stringMatching(/^[a-z]{16}$/) }),
          some({
            role: choice("caller", "viewer", "admin"),
            servers: fc.array(name, { maxLength: 2 }),
            tools: patterns,
            read_only: fc.boolean(),
            limits: callLimits,
          }),
        )
        .map(([needed, other]) => ({ ...needed, ...other })),
      { maxLength: 3, selector: ({ name }) => name },
    ),
  }),
  telemetry: some({
    metrics: fc.boolean(),
    otlp: fc.boolean(),
    records: fc.constantFrom(false, true, "bodies"),
  }),
  alerts: fc.array(
    fc
      .tuple(
        fc.record({ when: choice("blocked", "server_failed", "call_error", "schema_change") }),
        some({ server: name, min_interval: choice(0.5, 60) }),
        fc.oneof(
          fc.record({
            command: fc.tuple(choice("notify", `$\${NAME}`), text).map((words) => words),
          }),
          fc.record({
            webhook: some({
              secret: choice("key", `$\${KEY}`),
              format: choice("json", "slack"),
            }).map((more) => ({ url: "https://a.example/in", ...more })),
          }),
        ),
      )
      .map((parts) => Object.assign({}, ...parts)),
    { maxLength: 3 },
  ),
  logging: some({ format: choice("text", "json"), level: choice("debug", "error") }),
});

it("a configuration written as a file reads back as the same configuration", () => {
  fc.assert(
    fc.property(file, (given) => {
      const config = read(JSON.stringify(given));
      const again = read(JSON.stringify(configAsFile(config)));
      // The file has the values, not the references to them.
      const servers = config.servers.map((server) => ({ ...server, written: undefined }));
      expect(again).toEqual({ ...config, servers, ignoredKeys: [] });
      expect(configAsFile(again)).toEqual(configAsFile(config));
    }),
    { numRuns: sample(75, 300) },
  );
});

it("the file has the command line's values at every level", () => {
  const tools = { t: { input_validation: { mode: "off" } } };
  const servers = { a: { command: "a", touchstone: { tools } } };
  const typed = { mode: "strict", maxBytes: 7, listen: "[::1]:1" } as const;
  const text = JSON.stringify({ mcpServers: servers });
  const config = parseConfig(text, { file: "touchstone.json", env: {}, overrides: typed });
  expect(read(JSON.stringify(configAsFile(config)))).toEqual(config);
  expect(configAsFile(config)).toMatchObject({
    listen: { address: "[::1]:1" },
    mcpServers: { a: { touchstone: { tools: { t: { input_validation: { mode: "strict" } } } } } },
  });
});
