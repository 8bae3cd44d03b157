// Names that the pages use without an import: an agent, a recording of its server, and a test runner.
import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chai, JestChaiExpect } from "@vitest/expect";

const example = join(dirname(realpathSync("node_modules")), "examples/mocked-agent");
chai.use(JestChaiExpect);
// biome-ignore lint/suspicious/noExplicitAny: Vitest adds its matchers to the types only where it runs tests.
export const expect: (value: unknown) => any = chai.expect;
export const session = join(example, "session.jsonl");
export const { advice }: { advice: (url: string, cities: readonly string[]) => Promise<string[]> } =
  await import(pathToFileURL(join(example, "agent.mjs")).href);
export const it = (_name: string, run: () => Promise<void>): void => void run();
