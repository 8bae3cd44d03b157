/** What a mock can do wrong on purpose. */
export const FAULT_KINDS = [
  ...(["type", "missing", "extra", "enum", "format", "duplicate-key"] as const),
  ...(["oversize", "not-json", "error", "slow", "disconnect", "drift"] as const),
] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

/** A kind of fault and how often it is made. */
export interface FaultOption {
  readonly kind: FaultKind;
  /** The share of tool calls, from 0 to 1. */
  readonly rate: number;
  /** For `slow`: milliseconds. */
  readonly delayMs?: number;
  /** For `drift`: after how many tool calls. */
  readonly calls?: number;
}

const MAX_DELAY_MS = 600_000;
const DURATION = /^(\d+(?:\.\d+)?)(ms|s)$/;

/**
 * Reads `KIND[:RATE],…`. `slow` takes a duration before the rate (`slow:2s:0.1`), `drift` a number of calls.
 * @returns the faults, or what is wrong with the text
 */
export function readFaults(
  text: string,
): { readonly faults: readonly FaultOption[] } | { readonly reason: string } {
  const faults: FaultOption[] = [];
  for (const part of text.split(",")) {
    const read = readFault(part.trim());
    if (typeof read === "string") return { reason: read };
    faults.push(read);
  }
  return { faults };
}

function readFault(part: string): FaultOption | string {
  const [name = "", ...values] = part.split(":");
  const kind = FAULT_KINDS.find((known) => known === name);
  if (kind === undefined) return `"${name}" is not one of ${FAULT_KINDS.join(", ")}`;
  if (kind === "drift") {
    const [calls = "1", ...more] = values;
    if (more.length > 0 || !/^\d{1,9}$/.test(calls)) {
      return `${part}: drift takes a number of calls, such as drift:3`;
    }
    return { kind, rate: 1, calls: Number(calls) };
  }
  const delayMs = kind === "slow" ? durationIn(values.shift()) : undefined;
  if (kind === "slow" && delayMs === undefined) {
    return `${part}: slow takes a duration of up to 600 s, such as slow:2s or slow:500ms`;
  }
  const [rate = "1", ...more] = values;
  const share = Number(rate);
  if (more.length > 0 || rate === "" || !(share >= 0 && share <= 1)) {
    return `${part}: the rate is a number from 0 to 1, such as ${kind}${kind === "slow" ? ":2s" : ""}:0.1`;
  }
  return { kind, rate: share, ...(delayMs === undefined ? {} : { delayMs }) };
}

function durationIn(text: string | undefined): number | undefined {
  const [, count, unit] = DURATION.exec(text ?? "") ?? [];
  const milliseconds = Number(count) * (unit === "s" ? 1_000 : 1);
  return milliseconds <= MAX_DELAY_MS ? milliseconds : undefined;
}
