import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { recordsIn, tempDir } from "../../../gateway/src/testing/wrapped.ts";
import { connectSdk, describeSdks } from "../testing/sdk-clients.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const SERVER = at("../../../gateway/src/testing/modern-server.mjs");

describeSdks("v1", (sdk) => {
  it("uses a server that speaks only 2026-07-28, in the form of its revision", async () => {
    const dataDir = tempDir();
    const command = [
      at("../../bin/touchstone.js"),
      "wrap",
      "--mode",
      "strict",
      "--data-dir",
      dataDir,
    ];
    const args = [...command, "--name", "modern", "--", process.execPath, SERVER];
    const client = await connectSdk(sdk, { command: process.execPath, args, env: {} });
    expect(await client.tools()).toContain("cities");
    const { result, refused } = await client.call("cities", {});
    expect(refused).toBeUndefined();
    const cities = ["Rome", "Oslo"];
    const speaksBoth = sdk === "v2 auto";
    expect(result).toMatchObject({ structuredContent: speaksBoth ? cities : { result: cities } });
    await client.close();
    const calls = (await recordsIn(dataDir)).filter(({ type }) => type === "tool_call");
    expect(calls.map(({ bridged }) => bridged)).toEqual([
      speaksBoth ? undefined : "2025-11-25>2026-07-28",
    ]);
  });
});
