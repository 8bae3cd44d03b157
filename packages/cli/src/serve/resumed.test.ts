import { expect, it, onTestFinished } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { records } from "../../../gateway/src/fleet/testing/gateways.ts";
import { connectOver, startResumable } from "../../../gateway/src/testing/resumable.ts";
import { useDatabases } from "../../../records/src/testing/databases.ts";
import { fleetFiles, startServe } from "../testing/fleet/processes.ts";

const database = useDatabases();

it("checks and records the response to a call that a client resumes after its gateway was killed", {
  ...long,
  timeout: 60_000,
}, async ({ skip }) => {
  const store = await database(skip);
  for (const [n, result, status] of [
    ["no integer", { isError: true }, "blocked"],
    [1, { structuredContent: { n: 1 } }, "success"],
  ] as const) {
    const files = fleetFiles(store, await startResumable({ n }, false));
    onTestFinished(() => files.remove());
    const starting = [startServe(files, "strict"), startServe(files, "strict")] as const;
    const [one, other] = await Promise.all(starting);
    onTestFinished(() => other.end("SIGTERM"));
    const { client } = await connectOver(one.url, other.url);
    let killed: Promise<void> | undefined;
    const answered = await client.callTool(
      { name: "count", arguments: {} },
      {
        // Called with the stream's first event, which comes before the response.
        onresumptiontoken: () => {
          killed ??= one.end("SIGKILL");
        },
      },
    );
    await killed;
    expect(answered).toMatchObject(result);
    const [call] = await records(store, "tool_call");
    expect(call).toMatchObject({ tool: "count", status });
  }
  expect(await records(store, "tool_call")).toHaveLength(2);
});
