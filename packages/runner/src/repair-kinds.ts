import { quote, REPAIR_KINDS } from "@touchstone/core/advanced";

const WANTED = `the option "repair" is a list of what may be repaired, of "${REPAIR_KINDS.join('", "')}"`;

function describe(given: unknown): string {
  return typeof given === "string" ? quote(given) : `a value of type ${typeof given}`;
}

/**
 * Rejects anything but a list of repair kinds when a tool is made, for authors who do not use types: such a repair
 * would never happen.
 * @throws TypeError if it is not a list of kinds of repair
 */
export function requireKinds(repair: unknown): void {
  if (repair === undefined) return;
  if (!Array.isArray(repair)) throw new TypeError(`${WANTED}; it is ${describe(repair)}`);
  for (const kind of repair) {
    const isKnown = REPAIR_KINDS.some((known) => known === kind);
    if (!isKnown) throw new TypeError(`${WANTED}; it holds ${describe(kind)}`);
  }
}
