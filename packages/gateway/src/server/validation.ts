import type { ServerConfig } from "../config/config.ts";
import type { AddedValidation } from "../pipeline/added-validation.ts";
import { lateImport } from "../util/late-import.ts";
import { type Logger, logAbout } from "../util/log.ts";

const addedValidation = lateImport(() => import("../pipeline/added-validation.ts"));

/** Validation for a server whose configuration asks for it. Loaded only then. */
export async function validationFor(
  { name, capability }: Pick<ServerConfig, "name" | "capability">,
  log: Logger,
): Promise<AddedValidation | undefined> {
  if (capability !== "add") return undefined;
  const { AddedValidation } = await addedValidation();
  return new AddedValidation({ server: name, log: logAbout(log, name) });
}
