import { fullFormats } from "ajv-formats/dist/formats.js";
import { type ExactDecimals, NO_DECIMALS } from "../../json/exact.ts";
import type { Context } from "./interpret.ts";

function numberFormat(name: string): ((value: number) => boolean) | undefined {
  const known = Object.entries(fullFormats).find(([other]) => other === name)?.[1];
  if (typeof known !== "object" || !("type" in known) || known.type !== "number") return undefined;
  return known.validate as (value: number) => boolean;
}

function format(name: string): ((text: string) => boolean) | undefined {
  const known = Object.entries(fullFormats).find(([other]) => other === name)?.[1];
  if (known instanceof RegExp) return (text) => known.test(text);
  if (typeof known === "function") return known as (text: string) => boolean;
  if (typeof known === "object" && "validate" in known && known.type !== "number") {
    return known.validate as (text: string) => boolean;
  }
  return undefined;
}

/** A context with Ajv's formats and native regular expressions. */
export function testContext(
  steps: number = 1_000_000,
  decimals: ExactDecimals = NO_DECIMALS,
): Context {
  const compiled = new Map<string, RegExp>();
  return {
    decimals,
    budget: { steps },
    formats: format,
    numberFormats: numberFormat,
    patterns: (source) => {
      const pattern = compiled.get(source) ?? new RegExp(source, "u");
      compiled.set(source, pattern);
      return pattern;
    },
  };
}
