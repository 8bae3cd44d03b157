import { isSchemaRule } from "@touchstone/core/advanced";
import type { Rollout, RolloutOffence, Suggestion } from "./response-schemas.ts";

/** The suggestion for one direction of a tool. */
interface Section {
  /** Those of `rules`. */
  readonly keys: Set<string>;
  undeclared: boolean;
}

/**
 * Returns the settings with which strict mode would forward the calls of a rollout's known offenders with a warning,
 * tool by tool: the narrowest places, or the class if these are unknown or are the whole payload; for undeclared
 * arguments, whose names are not known in advance, the setting for them. There are no rules for faults of the
 * protocol, and for schemas that cannot be used; they are in `left`.
 */
export function suggestRules(rollout: Rollout): Suggestion {
  const servers = new Map<string, Map<string, Map<string, Section>>>();
  const left: RolloutOffence[] = [];
  for (const offence of rollout.offences) {
    const { server, tool, direction, rule, places, undeclared } = offence;
    const section =
      direction === "input" || direction === "output" ? `${direction}_validation` : "";
    if (server === null || tool === null || !isSchemaRule(rule) || section === "") {
      left.push(offence);
      continue;
    }
    const tools = entry(servers, server, () => new Map<string, Map<string, Section>>());
    const sections = entry(tools, tool, () => new Map<string, Section>());
    const own = entry(sections, section, (): Section => ({ keys: new Set(), undeclared: false }));
    if (undeclared !== undefined) own.undeclared = true;
    if (undeclared === "all") continue;
    for (const key of places.length > 0 ? places : [rule]) own.keys.add(key);
  }
  const settings = [...servers].map(([server, tools]) => {
    const named = [...tools].map(([tool, sections]) => {
      const parts = [...sections].map(([section, { keys, undeclared }]) => {
        const rules = Object.fromEntries([...keys].sort().map((key) => [key, "warning"]));
        const set = keys.size > 0 ? { rules } : {};
        return [section, { ...set, ...(undeclared && { undeclared: "warning" }) }] as const;
      });
      return [tool, Object.fromEntries(parts)] as const;
    });
    return [server, { touchstone: { tools: Object.fromEntries(named) } }] as const;
  });
  return { mcpServers: Object.fromEntries(settings) as Suggestion["mcpServers"], left };
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
