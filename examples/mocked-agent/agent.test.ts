import { mockServer } from "@touchstone/gateway/testing";
import { expect, it, onTestFinished } from "vitest";

type Advice = (url: string, cities: readonly string[], timeout?: number) => Promise<string[]>;
const { advice }: { advice: Advice } = await import("./agent.mjs" as string);
const session = new URL("session.jsonl", import.meta.url);

it("says what to take along", async () => {
  const server = await mockServer(session);
  const lines = await advice(server.url, ["Oslo", "Rome"]);
  expect(lines[0]).toBe("Oslo, 2026-01-02: rain, 4.5 degrees. Take an umbrella.");
  expect(server.captured.calls()).toMatchObject([
    { arguments: { city: "Oslo" } },
    { isRecorded: true },
  ]);
  await server.close();
});

/** What the agent's error says for each kind of fault. */
const FAULTS: readonly (readonly [faults: string, text: RegExp])[] = [
  ["type", /does not match the tool's output schema|^Invalid result for tools\/call/],
  ["missing", /does not match the tool's output schema/],
  ["enum", /does not match the tool's output schema/],
  ["format", /does not match the tool's output schema/],
  ["extra", /does not match the tool's output schema/],
  ["oversize", /^the result is too large: \d{7} characters$/],
  ["not-json", /JSON/],
  ["error", /touchstone mock made this error/],
  ["disconnect", /terminated|socket|closed/],
  ["drift:1", /^forecast requires added_by_drift now$/],
];

it.each(FAULTS)("fails with %s", async (faults, text) => {
  const server = await mockServer(session, { faults });
  onTestFinished(() => server.close());
  await expect(advice(server.url, ["Oslo", "Rome"])).rejects.toThrow(text);
  const [first] = server.faults.occurred();
  expect(first?.kind).toBe(faults.replace(/:.*/, ""));
});

it("fails with slow", async () => {
  const server = await mockServer(session, { faults: "slow:5s" });
  onTestFinished(() => server.close());
  await expect(advice(server.url, ["Oslo"], 50)).rejects.toThrow(/timed out/);
  expect(server.captured.calls()).toMatchObject([{ faults: ["slow"] }]);
});

it("does not notice a key that occurs twice: JSON.parse takes the last one", async () => {
  const server = await mockServer(session, { faults: "duplicate-key" });
  onTestFinished(() => server.close());
  expect(await advice(server.url, ["Rome"])).toHaveLength(1);
  expect(server.faults.occurred()).toMatchObject([{ kind: "duplicate-key", tool: "forecast" }]);
});

it("says what is wrong with a city that was not recorded", async () => {
  const server = await mockServer(session, { strict: true });
  onTestFinished(() => server.close());
  await expect(advice(server.url, ["Bergen"])).rejects.toThrow(/"Bergen" instead of "Oslo"/);
});
