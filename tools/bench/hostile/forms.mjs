// Rows of `npm run bench:hostile`: forms of elicitations, and the responses to them.

const J = JSON.stringify;
const named = (count, make) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, make(i)]));
const form = (properties, more) => ({ type: "object", properties, ...more });
const levels = (depth) =>
  depth === 0 ? { type: "string" } : form({ a: levels(depth - 1) }, { required: ["a"] });

/** Forms that a server asks a user to fill in. The schema of a form may have 16,384 bytes. */
const FORMS = {
  "600 texts, 16 kB": form(named(600, () => ({ type: "string" }))),
  "300 formats and bounds, 16 kB": form(
    named(200, () => ({ type: "string", format: "email", minLength: 1, maxLength: 9 })),
  ),
  "250 patterns, 16 kB": form(named(250, () => ({ type: "string", pattern: "^(a|b|ab)*(c|d)+$" }))),
  "an enum of 1,500 names": form({
    a: { type: "string", enum: Array.from({ length: 1_500 }, (_, i) => `n${i}`) },
  }),
  "60 levels": levels(60),
  "200 references that double": form(
    { a: { $ref: "#/$defs/p0" } },
    {
      $defs: named(200, (i) => {
        const next = { $ref: `#/$defs/p${Math.min(i + 1, 199)}` };
        return i === 199 ? { type: "string" } : { anyOf: [next, next] };
      }),
    },
  ),
  "a text of 15 MB": form({ a: { type: "string", description: "d".repeat(15_000_000) } }),
  "500,000 properties, 12 MB": form(named(500_000, () => ({}))),
};
/** Responses of a client to a form. Content of more than 65,536 bytes is not checked. */
const CONTENTS = {
  "2,000 members, 60 kB": () => J(named(2_000, () => "a".repeat(20))),
  "a text of 60 kB": () => J({ p0: "ab".repeat(30_000), a: "ab".repeat(1) }),
  "a text of 15 MB": () => `{"p0":"${"a".repeat(15_000_000)}"}`,
  "1M numbers": () => `{"p0":[${Array(1e6).fill("1.5").join()}]}`,
};

const STRICT = {
  ...{ input_validation: { mode: "strict" }, output_validation: { mode: "strict" } },
  protocol_validation: { mode: "strict" },
};
const SETTINGS = { "no setting": {}, "strict checks": STRICT };
const open = async (session) => {
  await session.open();
  await session.request("tools/list");
};
const elicit = (schema, id) =>
  J({
    ...{ jsonrpc: "2.0", id, method: "elicitation/create" },
    params: { message: "m", requestedSchema: schema },
  });
const row = (feature, what, more) => ({
  feature,
  what,
  touchstone: SETTINGS[feature],
  capabilities: { elicitation: { form: {} } },
  statuses: [200, 202, 400],
  prepare: open,
  ...more,
});

const asked = Object.entries(FORMS).flatMap(([what, schema]) =>
  Object.keys(SETTINGS).map((feature) =>
    row(feature, `form of a server: ${what}`, {
      results: { before: () => elicit(schema, "q") },
      run: (session) => session.call("t0", "{}"),
    }),
  ),
);
const answered = Object.entries(FORMS)
  .slice(0, 6)
  .flatMap(([what, schema]) =>
    Object.entries(CONTENTS).map(([content, make]) =>
      row("strict checks", `content for a form of ${what}: ${content}`, {
        results: { before: () => elicit(schema, "q") },
        prepare: async (session) => {
          await open(session);
          await session.call("t0", "{}");
        },
        run: (session) =>
          session.post(
            `{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":${make()}}}`,
          ),
      }),
    ),
  );
/** In 2026-07-28 a result requests input, with up to 100 forms that are read. */
const inResult = [100, 1_000].flatMap((count) =>
  Object.entries(FORMS)
    .slice(0, 6)
    .map(([what, schema]) => {
      const params = { mode: "form", message: "m", requestedSchema: schema };
      const inputRequests = named(count, () => ({ method: "elicitation/create", params }));
      return row("strict checks", `${count} forms in a result: ${what}`, {
        version: "2026-07-28",
        results: { "tools/call": () => J({ resultType: "input_required", inputRequests }) },
        run: (session) => session.call("t0", "{}"),
      });
    }),
);

export const ROWS = [...asked, ...answered, ...inResult];
