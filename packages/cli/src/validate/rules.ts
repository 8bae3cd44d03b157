import {
  isPlaceKey,
  isSchemaRule,
  placeFault,
  quote,
  type Rules,
  SCHEMA_RULES,
  TREATMENTS,
  type Treatment,
} from "@touchstone/core/advanced";
import { CliExit, EXIT_USAGE } from "../io/exit.ts";

/**
 * Returns the rules in the values of `--rule`.
 * @throws CliExit 2 if one of them is not a rule
 */
export function readRules(texts: readonly string[]): Rules {
  return Object.fromEntries(texts.map(readRule));
}

function readRule(text: string): readonly [key: string, treatment: Treatment] {
  // A place may contain "=".
  const at = Math.max(text.lastIndexOf("="), 0);
  const [key, how] = [text.slice(0, at), text.slice(at + 1)];
  if (isPlaceKey(key)) {
    const fault = placeFault(key);
    if (fault !== undefined) refuse(text, `its place must be a JSON Pointer: ${fault}`);
  } else if (!isSchemaRule(key)) {
    const classes = SCHEMA_RULES.join(", ");
    refuse(text, `it must be a class (${classes}) or a JSON Pointer, then = and a treatment`);
  }
  const treatment = TREATMENTS.find((one) => one === how);
  return [key, treatment ?? refuse(text, `after =, it must be one of ${TREATMENTS.join(", ")}`)];
}

function refuse(text: string, why: string): never {
  throw new CliExit(EXIT_USAGE, `--rule ${quote(text)}: ${why}`);
}
