import type { ServerConfig } from "../config/config.ts";
import type { ContractStore } from "../contracts/store.ts";
import { type Logger, logAbout } from "../log.ts";
import type { AddedValidation } from "../pipeline/validation/added-validation.ts";

export interface ValidationParts {
  readonly contracts: ContractStore;
  readonly log: Logger;
}

const NONE: ReadonlySet<string> = new Set();

/** Validation on behalf of a server, where its configuration asks for it. It is loaded only then. */
export async function validationFor(
  { name, capability }: Pick<ServerConfig, "name" | "capability">,
  { contracts, log }: ValidationParts,
): Promise<AddedValidation | undefined> {
  if (capability !== "add") return undefined;
  const { AddedValidation } = await import("../pipeline/validation/added-validation.ts");
  const knownTools = async (): Promise<ReadonlySet<string>> => {
    try {
      return await contracts.toolNames(name);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logAbout(log, name).warn(`${name}: its tools of earlier times could not be read`, { reason });
      return NONE;
    }
  };
  return new AddedValidation({ server: name, log: logAbout(log, name), knownTools });
}
