import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

const { CONVERSATIONS }: { CONVERSATIONS: Record<string, () => Promise<string[]>> } = await import(
  "./run.mjs" as string
);

/** Why an example cannot run on this Node, where its SDK says so. */
async function missing(name: string): Promise<string | undefined> {
  const sdk = { ai: "ai", openai: "@openai/agents", langchain: "@langchain/core/tools" }[name];
  if (sdk === undefined) return undefined;
  try {
    await import(sdk);
    return undefined;
  } catch (error) {
    if (process.env["REQUIRE_ALL"] === "1") throw error;
    return `${sdk} does not load on Node ${process.versions.node}`;
  }
}

for (const [name, converse] of Object.entries(CONVERSATIONS)) {
  const reason = await missing(name);
  it.skipIf(reason !== undefined)(`${name} runs${reason ? ` (${reason})` : ""}`, async () => {
    const lines = await converse();
    for (const line of lines.slice(0, -1)) {
      expect(line).toMatch(/\/city.*required/);
      expect(line).toMatch(/\/days.*integer/);
      expect(line).not.toContain("Oslo");
    }
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines.at(-1)).toBe("sunny in Oslo for 2 days");
  });

  it(`${name} equals the code in its guide`, () => {
    const code = readFileSync(new URL(`${name}.mjs`, import.meta.url), "utf8");
    const guide = readFileSync(
      new URL(`../../docs/guides/agents/${name}.md`, import.meta.url),
      "utf8",
    );
    expect(guide).toContain(`\`\`\`js\n${code}\`\`\``);
  });
}
