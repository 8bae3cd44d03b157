/** The calls of the agents in the screenshots, and their times: `hoursAgo` decreases, and the last visit is now. */

const city = (name, more = {}) => ["alice", "crm", "get_weather", { city: name, ...more }];
const nightly = (tool, args) => ["nightly", "crm", tool, args];

/** Returns the same calls, some of them more often on some visits. */
function day(seed) {
  const calls = [
    city("Oslo"),
    city("Bergen", { units: "celsius" }),
    city("Paris", { units: "fahrenheit" }),
    ["alice", "notes", "add_note", { title: "Trip to Oslo", text: "Pack a rain jacket" }],
    ["alice", "notes", "list_notes", {}],
    ["nightly", "notes", "add_note", { title: "Release 2.4", text: "Tag, build, announce" }],
    ["nightly", "notes", "read_note", { id: 1 }],
    nightly("lookup_order", { number: "A-1042" }),
    nightly("update_contact", { id: "7", email: "ada@example.com" }),
    ["nightly", "billing", "create_invoice", { customer: "acme", cents: 4_200 }],
  ];
  if (seed % 2 === 0) calls.push(city("Berlin"), ["nightly", "notes", "read_note", { id: "1" }]);
  if (seed % 3 === 0) calls.push(nightly("list_contacts", {}), city(undefined, { town: "Rome" }));
  const more = Array.from({ length: (seed * 7) % 5 }, (_, at) =>
    city(["Oslo", "Rome", "Kyiv"][at % 3]),
  );
  return [...calls, ...more];
}

const NOW = [
  ...day(6),
  // The call of the screenshot: several typical mistakes of models at once, and the agent's next attempt.
  city(5, { units: "kelvin", town: "Oslo" }),
  city("Oslo", { units: "celsius" }),
  nightly("update_contact", { id: "8", email: "grace@elsewhere.org" }),
  ["alice", "crm", "fail", {}],
  ["nightly", "notes", "read_note", { id: "1" }],
  ["nightly", "billing", "create_invoice", { customer: "acme", cents: 9_900 }],
];

const HOURS = [150, 126, 102, 78, 54, 30, 21, 17, 13, 9, 6, 4, 2, 1];

export const history = [
  ...HOURS.map((hoursAgo, at) => ({ hoursAgo, calls: day(at + 1), laterTerms: hoursAgo < 20 })),
  { hoursAgo: 0, calls: NOW, laterTerms: true },
];

const INVOICE = {
  name: "create_invoice",
  title: "Create invoice",
  description: "Creates an invoice for a customer.",
  inputSchema: {
    type: "object",
    properties: { customer: { type: "string" }, cents: { type: "integer" } },
    required: ["customer", "cents"],
  },
};
const REFUND = {
  name: "refund",
  title: "Refund",
  description: "Pays an invoice back.",
  inputSchema: {
    type: "object",
    properties: { invoice: { type: "string" } },
    required: ["invoice"],
  },
};

/** What the server `billing` declares at first. */
export const FIRST_TERMS = { tools: [INVOICE, REFUND] };
/** What it declares after a change, which nobody has approved. */
export const LATER_TERMS = {
  tools: [
    {
      ...INVOICE,
      description: "Creates an invoice for a customer, and sends it to the address on file.",
      inputSchema: {
        ...INVOICE.inputSchema,
        properties: {
          ...INVOICE.inputSchema.properties,
          currency: { enum: ["EUR", "USD"] },
        },
        required: ["customer", "cents", "currency"],
      },
    },
    REFUND,
  ],
};
