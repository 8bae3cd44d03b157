/**
 * The tools. Each one is faulty in one way, which its description names.
 *
 * `call(args, rawArgs)` gives `{ text, structured?, isError? }`, where `structured` is the TEXT of
 * `structuredContent`: it is sent as it is, so that a tool can return what no serializer would.
 * Arguments are not checked against `inputSchema`: that is the server's other fault.
 */

const MAX_DEPTH = 100_000;
const MAX_BYTES = 128 * 1024 * 1024;
const EMPTY_REPORT = '{"report":""}';

const string = { type: "string" };
const object = (properties, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const whole = (minimum, maximum) => ({ type: "integer", minimum, maximum });

const isWhole = (value, { minimum, maximum }) =>
  Number.isInteger(value) && value >= minimum && value <= maximum;

const DEPTH = whole(2, MAX_DEPTH);
const BYTES = whole(EMPTY_REPORT.length, MAX_BYTES);

/** Sent byte for byte: a 19-digit integer, `1.0`, `1e2`, a key that occurs twice, unsorted keys. */
const ORDER =
  '{"zeta":1.0,"id":7256535639334584321,"alpha":{"b":2,"a":1e2},"id":7256535639334584321}';

export const TOOLS = [
  {
    name: "get_weather",
    title: "Get weather",
    description: "Weather of a city. Faulty: for Berlin the temperature is a string.",
    inputSchema: object({ city: string, units: { enum: ["celsius", "fahrenheit"] } }, ["city"]),
    outputSchema: object({ city: string, temperature: { type: "number" } }),
    call({ city, units }) {
      const temperature = city === "Berlin" ? "21" : units === "fahrenheit" ? 64.4 : 18;
      const structured = JSON.stringify({ city, temperature });
      return { text: structured, structured };
    },
  },
  {
    name: "lookup_order",
    title: "Look up order",
    description:
      "An order by number. Valid, but written so that reading and writing it again changes it: " +
      "a 19-digit id, 1.0, a duplicate key and unsorted keys.",
    inputSchema: object({ number: string }),
    outputSchema: object({
      zeta: { type: "number" },
      id: { type: "integer" },
      alpha: object({ a: { type: "number" }, b: { type: "integer" } }),
    }),
    call: () => ({ text: ORDER, structured: ORDER }),
  },
  {
    name: "list_contacts",
    title: "List contacts",
    description: "All contacts. Faulty: declares an output schema and returns only text.",
    inputSchema: object({}),
    outputSchema: object({ contacts: { type: "array", items: object({ name: string }) } }),
    call: () => ({ text: "Ada Lovelace, Alan Turing" }),
  },
  {
    name: "update_contact",
    title: "Update contact",
    description: "Changes a contact. Faulty: returns a field that its output schema forbids.",
    inputSchema: object({ id: string, email: { type: "string", format: "email" } }),
    outputSchema: object({ id: string, updated: { type: "boolean" } }),
    call({ id }) {
      const structured = JSON.stringify({ id, updated: true, internal_row: 4711 });
      return { text: structured, structured };
    },
  },
  {
    name: "deep_report",
    title: "Deep report",
    description:
      "A valid result that is nested as deep as asked: a scalar counts 1, an object of scalars 2.",
    inputSchema: object({ depth: DEPTH }),
    outputSchema: {
      type: "object",
      properties: { level: { type: "integer" }, next: { $ref: "#" } },
      required: ["level"],
      additionalProperties: false,
    },
    call({ depth }) {
      if (!isWhole(depth, DEPTH)) return refusal("depth", DEPTH);
      const outer = depth - 2;
      const structured = `${'{"level":0,"next":'.repeat(outer)}{"level":0}${"}".repeat(outer)}`;
      return { text: `A report nested ${depth} deep.`, structured };
    },
  },
  {
    name: "big_report",
    title: "Big report",
    description: "A valid result whose structuredContent has exactly as many bytes as asked.",
    inputSchema: object({ bytes: BYTES }),
    outputSchema: object({ report: string }),
    call({ bytes }) {
      if (!isWhole(bytes, BYTES)) return refusal("bytes", BYTES);
      const structured = `{"report":"${"x".repeat(bytes - EMPTY_REPORT.length)}"}`;
      return { text: `A report of ${bytes} bytes.`, structured };
    },
  },
  {
    name: "fail",
    title: "Fail",
    description:
      "Always fails. Its structuredContent does not match the output schema, which an error result may do.",
    inputSchema: object({}),
    outputSchema: object({ done: { type: "boolean" } }),
    call: () => ({
      text: "The disk is full.",
      structured: '{"reason":"disk full","free_bytes":0}',
      isError: true,
    }),
  },
  {
    name: "echo",
    title: "Echo",
    description: "Returns its arguments as text, exactly as they came. Has no output schema.",
    inputSchema: { type: "object" },
    call: (_args, rawArgs) => ({ text: rawArgs }),
  },
  {
    name: "broken_schema",
    title: "Broken schema",
    description: 'Returns a value. Faulty: its output schema names the unknown type "strin".',
    inputSchema: object({}),
    outputSchema: object({ value: { type: "strin" } }),
    call: () => ({ text: '{"value":"v"}', structured: '{"value":"v"}' }),
  },
];

function refusal(name, { minimum, maximum }) {
  return { text: `"${name}" must be an integer from ${minimum} to ${maximum}.`, isError: true };
}
