import { runSteps } from "@touchstone/core/advanced";
import { describe, expect, it } from "vitest";
import { canonicalDefinition, definitionSteps } from "./definition.ts";

/** A definition with everything that affects the canonical form. */
const SOURCE =
  '{"name":"caf\\u00e9\\/","_meta":{"b":1.50,"a":[9007199254740993,1e400,-0,1E-7],"\\uffee":1,"😀":2,"a":"\\uD800"},"title":"\\ud83d\\ude00","inputSchema":{"type":"object","properties":{}},"description":"x\\u0000\\u007F\u2028"}';
/** The hash of this definition in existing lock files and stores. */
const HASH = "sha256:e0fe1de53d31e7c5912542e67e2021e16145974b12d1dd1c3c0dac78c5e5f168";

describe("the hash of a definition", () => {
  it("stays the one that is in lock files and approvals", () => {
    expect(canonicalDefinition(SOURCE)?.hash).toBe(HASH);
  });

  it.each([1, 7, 64, 100_000])("is the same in steps of %d bytes", (stepBytes) => {
    const { text } = canonicalDefinition(SOURCE) ?? {};
    const made = runSteps(definitionSteps(SOURCE, 10_000, { stepBytes }));
    expect(made).toEqual({ hash: HASH, text });
  });

  it("comes without the text if that is longer than asked for", () => {
    const whole = canonicalDefinition(SOURCE)?.text ?? "";
    const size = Buffer.byteLength(whole);
    expect(runSteps(definitionSteps(SOURCE, size)).text).toBe(whole);
    expect(runSteps(definitionSteps(SOURCE, size - 1))).toEqual({ hash: HASH, text: undefined });
    const long = `[${"1.50,".repeat(200_000)}"x"]`;
    const { hash, text } = runSteps(definitionSteps(long, 100_000));
    expect(text).toBeUndefined();
    expect(hash).toBe(canonicalDefinition(long)?.hash);
  });
});
