/** One call of the demo's agent. */
export interface DemoCall {
  readonly server: "notes" | "faulty";
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const notes = (tool: string, args: DemoCall["args"] = {}): DemoCall => ({
  server: "notes",
  tool,
  args,
});
const faulty = (tool: string, args: DemoCall["args"] = {}): DemoCall => ({
  server: "faulty",
  tool,
  args,
});

/** Results that are larger are not checked: `big_report` returns one. */
export const MAX_RESULT_BYTES = 65_536;

/** The blocked call: it combines the usual mistakes of models. */
export const WRONG_CALL: DemoCall = faulty("get_weather", {
  city: 5,
  units: "kelvin",
  town: "Oslo",
});
/** The agent's second attempt, after it has read the error. */
export const CORRECTED_CALL: DemoCall = faulty("get_weather", { city: "Oslo", units: "celsius" });

/**
 * The calls of the demo's agent, in order: valid calls, a blocked one, results that do not match their schema, one
 * that is too large.
 */
export const DEMO_CALLS: readonly DemoCall[] = [
  notes("add_note", { title: "Groceries", text: "Milk, bread" }),
  notes("add_note", { title: "Trip to Oslo", text: "Pack a rain jacket" }),
  notes("list_notes"),
  notes("read_note", { id: 2 }),
  faulty("get_weather", { city: "Bergen" }),
  WRONG_CALL,
  CORRECTED_CALL,
  // The server returns the temperature as a string.
  faulty("get_weather", { city: "Berlin" }),
  faulty("get_weather", { city: "Berlin", units: "fahrenheit" }),
  faulty("get_weather", { city: "Paris", units: "fahrenheit" }),
  // The server returns a field that its schema forbids.
  faulty("update_contact", { id: "7", email: "ada@example.com" }),
  faulty("update_contact", { id: "8", email: "grace@example.com" }),
  faulty("lookup_order", { number: "1042" }),
  // The server declares a structured result and returns only text.
  faulty("list_contacts"),
  faulty("big_report", { bytes: MAX_RESULT_BYTES * 2 }),
  faulty("deep_report", { depth: 5 }),
  faulty("echo", { message: "no schema, so nothing to check" }),
  faulty("fail"),
  notes("add_note", { title: "Weather", text: "Oslo: 18 degrees" }),
  notes("list_notes"),
];
