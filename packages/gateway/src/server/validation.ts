import { type Logger, lateImport, serverLogger } from "@touchstone/util";
import type { ServerConfig } from "../config/config.ts";
import { capabilityOf } from "../features/capability/capability.ts";
import type { AddedValidation } from "../pipeline/added-validation.ts";

const addedValidation = lateImport(() => import("../pipeline/added-validation.ts"));

/**
 * Returns the added validation for a server whose configuration asks for it. The module is loaded only in that case.
 */
export async function validationFor(
  { name, settings }: Pick<ServerConfig, "name" | "settings">,
  log: Logger,
): Promise<AddedValidation | undefined> {
  if (capabilityOf(settings) !== "add") return undefined;
  const { AddedValidation } = await addedValidation();
  return new AddedValidation({ server: name, log: serverLogger(log, name) });
}
