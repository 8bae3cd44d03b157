import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outcomeOf, tempDir } from "../../testing/touchstone.ts";

const SCHEMA = JSON.stringify({
  type: "object",
  properties: { city: { type: "string" }, n: { type: "integer" } },
  required: ["city"],
  additionalProperties: false,
});

export interface Ended {
  readonly code: number | NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Writes files next to a schema `s.json` and an empty `folder`, runs `touchstone validate` and waits until it ends.
 * In the arguments, `@` is replaced by the folder, and in the output, the folder is removed.
 */
export async function validate(
  files: Readonly<Record<string, string | Uint8Array>>,
  args: readonly string[],
  stdin: string | Uint8Array = "",
): Promise<Ended> {
  const dir = tempDir();
  for (const [name, text] of Object.entries({ "s.json": SCHEMA, ...files })) {
    writeFileSync(join(dir, name), text);
  }
  mkdirSync(join(dir, "folder"));
  const paths = args.map((arg) => arg.replace(/@/g, `${dir}/`));
  const { code, out, err } = await outcomeOf(["validate", ...paths], { stdin });
  const bare = (text: string): string => text.replaceAll(`${dir}/`, "");
  return { code, stdout: bare(out), stderr: bare(err) };
}
