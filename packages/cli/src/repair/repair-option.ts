import { InvalidArgumentError, Option } from "commander";

/** The repairs of `@touchstone/core`, listed here so that help does not load the engine. */
export const REPAIR_KIND_WORDS = [
  "parse-json-strings",
  "coerce-scalars",
  "drop-nulls",
  "fill-defaults",
  "rename-properties",
  "match-enum-case",
  "safe",
  "all",
] as const;
export type RepairName = (typeof REPAIR_KIND_WORDS)[number];

/**
 * Returns the option `--repair [kinds]`; without a value it means `safe`. The action gets the names as `repair`.
 */
export function repairOption(description: string): Option {
  const flags = "--repair [kinds]";
  return new Option(flags, `${description}: safe (default), all, or a comma list of kinds`)
    .preset("safe")
    .argParser((text): readonly RepairName[] =>
      text
        .split(",")
        .map((word) => REPAIR_KIND_WORDS.find((name) => name === word.trim()) ?? refuse()),
    );
}

function refuse(): never {
  throw new InvalidArgumentError(
    `It takes ${REPAIR_KIND_WORDS.join(", ")}. If that is another argument, put --repair last, or write --repair=safe.`,
  );
}
