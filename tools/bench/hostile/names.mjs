// Rows of `npm run bench:hostile`: names and values that a client or a server chooses, in every feature that compares or
// reads them.

const J = JSON.stringify;
/** A letter with a run of marks, which takes quadratic time to normalize. */
const marks = (count) => `a${"\u0301\u0323".repeat(count / 2)}`;
/** U+FDFA becomes 18 characters. */
const FDFA = "\ufdfa";

const TOOL = {
  name: "t0",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, url: {}, list: { type: "array" } },
  },
};
const ORDINARY = `{"tools":[${J(TOOL)}]}`;

const NARROW = {
  properties: { path: { within: ["/srv"] }, url: { hosts: ["docs.example", "*.docs.example"] } },
};
const FEATURES = {
  "no setting": {},
  "policy lists": { policy: { deny_tools: ["delete_*", "*drop*"], allow_tools: ["*"] } },
  narrow: { tools: { t0: { narrow: NARROW } } },
  "narrow advertised": { policy: { advertise: true }, tools: { t0: { narrow: NARROW } } },
  "pin strict": { pin: "strict", lock: "first_use" },
  limits: {
    limits: { calls_per_minute: 1_000 },
    tools: { t0: { limits: { calls_per_minute: 9 } } },
  },
  "strict checks": {
    ...{ input_validation: { mode: "strict" }, output_validation: { mode: "strict" } },
    protocol_validation: { mode: "strict" },
  },
  "repair all": { input_validation: { mode: "strict", repair: ["all"] } },
  "adapt names": { adapt: { names: { max: 64 } } },
  capability: { capability: "add" },
};

/** Names that are expensive to normalize, to fold, or to copy. */
const NAMES = {
  "40,000 combining marks, 80 kB": () => marks(40_000),
  "100,000 combining marks, 200 kB": () => marks(100_000),
  "1,000,000 combining marks, 2 MB": () => marks(1_000_000),
  "100,000 × U+FDFA, 300 kB": () => FDFA.repeat(100_000),
  "1,000,000 letters of ASCII": () => "A".repeat(1_000_000),
  "15,000,000 letters of ASCII": () => "A".repeat(15_000_000),
  "1,000 combining marks": () => marks(1_000),
};

const row = (feature, what, more) => ({
  feature,
  what,
  ...{ touchstone: FEATURES[feature], ordinary: ORDINARY },
  ...more,
});

const open = async (session) => {
  await session.open();
  await session.request("tools/list");
};
const called = (name, args) => `{"name":${J(name)},"arguments":${args}}`;
const call = (name, args) => ({
  prepare: open,
  run: (session) => session.request("tools/call", called(name(), args())),
});

const toolRows = Object.entries(NAMES).flatMap(([what, make]) =>
  Object.keys(FEATURES).map((feature) =>
    row(
      feature,
      `name of a called tool: ${what}`,
      call(make, () => "{}"),
    ),
  ),
);

const many = (count, name) =>
  `{"path":"/srv/a",${Array.from({ length: count }, (_, i) => `${J(name(i))}:1`).join()}}`;
const ARGUMENTS = {
  "one of 40,000 combining marks": () => many(1, () => marks(40_000)),
  "one of 1,000,000 combining marks": () => many(1, () => marks(1_000_000)),
  "one of 4.9 MB of ASCII": () => many(1, () => "A".repeat(4_900_000)),
  "9,900 of 150 × U+FDFA, 4.4 MB": () => many(9_900, (i) => FDFA.repeat(150) + i),
  "9,900 of 56 × U+FDFA": () => many(9_900, (i) => FDFA.repeat(54) + i),
  "9,900 of 1,000 combining marks": () => many(9_900, (i) => marks(400) + i),
  "9,900 of 400 letters of ASCII, 4 MB": () => many(9_900, (i) => "A".repeat(400) + i),
  "9,900 of 1,000 letters of ASCII, 10 MB": () => many(9_900, (i) => "A".repeat(1_000) + i),
};
const argumentRows = Object.entries(ARGUMENTS).flatMap(([what, make]) =>
  ["narrow", "strict checks", "repair all"].map((feature) =>
    row(
      feature,
      `names of arguments: ${what}`,
      call(() => "t0", make),
    ),
  ),
);

const fill = (count, item) => `[${Array(count).fill(J(item)).join()}]`;
const VALUES = {
  "hosts: a host of 65,000 combining marks": [
    "url",
    () => J(`http://${marks(65_000)}.docs.example/`),
  ],
  "hosts: 200 hosts of 5,000 combining marks": ["url", () => fill(200, `http://${marks(5_000)}/`)],
  "hosts: a host of 32,000 letters beyond ASCII": ["url", () => J(`http://${"é".repeat(32_000)}/`)],
  "hosts: 30,000 labels": ["url", () => J(`http://${"é.".repeat(30_000)}/`)],
  "hosts: 20,000 URLs": ["url", () => fill(20_000, "http://docs.example/")],
  "hosts: 20,000 hosts of 240 letters beyond ASCII": [
    "url",
    () => fill(20_000, `http://${"é.".repeat(113)}docs.example/`),
  ],
  "hosts: 1,500 URLs of 8,000 characters": [
    "url",
    () => fill(1_500, `http://docs.example/${"é".repeat(4_000)}`),
  ],
  "hosts: a URL of 15 MB": ["url", () => J(`http://docs.example/${"a".repeat(15_000_000)}`)],
  "within: a path of 16,000 parts": ["path", () => J(`/srv/${"é/".repeat(16_000)}`)],
  "within: 8,000 encoded parts": ["path", () => J(`/srv/${"%41/".repeat(8_000)}`)],
  "within: 32,000 lookalikes": ["path", () => J(`/srv/${"℀".repeat(32_000)}`)],
  "within: 100 paths of 16,000 parts": ["path", () => fill(100, `/srv/${"é/".repeat(16_000)}`)],
  "within: 160 paths of 32,000 lookalikes": ["path", () => fill(160, `/srv/${"℀".repeat(32_000)}`)],
  "within: a path of 15 MB": ["path", () => J(`/srv/${"a".repeat(15_000_000)}`)],
  "a text of 1 MB for a member without a keyword": ["list", () => fill(1, marks(500_000))],
};
const valueRows = Object.entries(VALUES).map(([what, [name, make]]) =>
  row(
    "narrow",
    what,
    call(
      () => "t0",
      () => `{${J(name)}:${make()}}`,
    ),
  ),
);

const listed = (names) =>
  `{"tools":[${names.map((name) => `{"name":${J(name)},"inputSchema":{"type":"object"}}`).join()}]}`;
const LISTS = {
  ...Object.fromEntries(
    Object.entries(NAMES).map(([what, make]) => [`a tool's name of ${what}`, () => [make()]]),
  ),
  "1,000 names of 1,000 × U+FDFA": () =>
    Array.from({ length: 1_000 }, (_, i) => FDFA.repeat(1_000) + i),
  "9,000 names of 54 × U+FDFA": () => Array.from({ length: 9_000 }, (_, i) => FDFA.repeat(54) + i),
  "9,000 names of 1,000 combining marks": () =>
    Array.from({ length: 9_000 }, (_, i) => marks(1_000) + i),
};
const listRows = Object.entries(LISTS).flatMap(([what, make]) =>
  ["no setting", "policy lists", "narrow advertised", "adapt names", "capability"].map((feature) =>
    row(feature, `list: ${what}`, {
      results: { "tools/list": () => listed(make()) },
      run: async (session) => {
        await session.open();
        return session.request("tools/list");
      },
    }),
  ),
);

const introduction = (name) =>
  `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},${J(name)}:1}`;
const memberRows = Object.entries(NAMES).map(([what, make]) =>
  row("pin strict", `member of an introduction: ${what}`, {
    results: { initialize: () => introduction(make()) },
    run: (session) => session.open(),
  }),
);

const message = (members) => `{"jsonrpc":"2.0","id":1,${members}}`;
const MESSAGES = {
  "method of 40,000 combining marks": () => message(`"method":${J(marks(40_000))}`),
  "method of 15 MB": () => message(`"method":"${"A".repeat(15_000_000)}"`),
  "method of 5,000,000 × U+FDFA": () => message(`"method":${J(FDFA.repeat(5_000_000))}`),
  "member of 15 MB": () => message(`"method":"ping","${"A".repeat(15_000_000)}":1`),
  "member of params of 15 MB of underscores": () =>
    message(`"method":"tools/call","params":{"name":"t0","${"_".repeat(15_000_000)}":1}`),
  "60,000 members of 200 characters": () =>
    message(
      `"method":"tools/call","params":{"name":"t0",${Array.from({ length: 60_000 }, (_, i) => `"${"_".repeat(200)}${i}":1`).join()}}`,
    ),
};
const underscored = "a_".repeat(100);
MESSAGES["60,000 members of 200 characters, half of them underscores"] = () =>
  message(
    `"method":"tools/call","params":{"name":"t0",${Array.from({ length: 60_000 }, (_, i) => `"${underscored}${i}":1`).join()}}`,
  );
const messageRows = Object.entries(MESSAGES).flatMap(([what, make]) =>
  ["policy lists", "narrow", "limits", "strict checks"].map((feature) =>
    row(feature, what, { prepare: open, run: (session) => session.post(make()) }),
  ),
);

const post = async (url, body) => {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body });
  return { status: response.status, text: await response.text() };
};
const get = async (url) => {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
};
const DOORS = {
  "POST …/validate": (url, args) => post(`${url}/servers/s/tools/t0/validate`, args),
  "POST /api/v1/check": (url, args) =>
    post(`${url}/api/v1/check`, `{"server":"s","tool":"t0","arguments":${args}}`),
};
/** The other names are longer than what these features read. */
const SMALL = Object.entries(ARGUMENTS).filter(([what]) => /40,000|FDFA/.test(what));
const doorRows = Object.entries(DOORS).flatMap(([door, ask]) =>
  SMALL.map(([what, make]) =>
    row("narrow", `${door}, names of arguments: ${what}`, {
      prepare: async (session, url) => {
        await open(session);
        // Loading code for the first request is not measured.
        await ask(url, "{}");
      },
      run: (_session, url) => ask(url, make()),
    }),
  ),
);

/** What the console requests after such calls: their records, sums and suggestions. */
const PAGES = ["activity?limit=100", "activity/rollout", "overview", "servers", "servers/s"];
const pageRows = PAGES.map((page) =>
  row("narrow", `GET /api/v1/${page} after calls with such names`, {
    prepare: async (session, url) => {
      await open(session);
      for (const make of [
        NAMES["40,000 combining marks, 80 kB"],
        NAMES["1,000,000 letters of ASCII"],
      ]) {
        await session.request("tools/call", called(make(), "{}"));
      }
      await session.request("tools/call", called("t0", ARGUMENTS["9,900 of 56 × U+FDFA"]()));
      // Loading code for the first request is not measured.
      await get(`${url}/api/v1/status`);
      await get(`${url}/api/v1/${page}`);
    },
    run: (_session, url) => get(`${url}/api/v1/${page}`),
  }),
);

/** Every row, in the form that `measureRow` takes. */
export const ROWS = [
  ...[...toolRows, ...argumentRows, ...valueRows, ...listRows, ...memberRows],
  ...[...messageRows, ...doorRows, ...pageRows],
];
