import {
  type Change,
  type ChangeClass,
  type ChangeSubject,
  type FoundChange,
  textChange,
} from "./change.ts";
import { type Compare, changesOf, toolChanges } from "./compare-tools.ts";
import { approves, type LockedDefinition, type LockedServer } from "./lock-file.ts";
import { promptChanges, templateChanges } from "./member-changes.ts";

/**
 * Compares what a server declares with what was locked, and reports what each difference means. Parts that either
 * side does not know, such as the prompts if a file has only tools, are not compared.
 * @param progress receives the number of definitions compared so far, as comparing can take a while
 */
export function compareServers(
  locked: LockedServer,
  declared: LockedServer,
  progress: (done: number) => void = () => {},
): readonly Change[] {
  let done = 0;
  const each = (
    thing: ChangeSubject,
    compare: Compare,
    before: ReadonlyMap<string, LockedDefinition> | undefined,
    after: ReadonlyMap<string, LockedDefinition> | undefined,
  ): Change[] => {
    if (before === undefined || after === undefined) return [];
    const changes: Change[] = [];
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [old, now] = [before.get(name), after.get(name)];
      const isApproved = old !== undefined && now !== undefined && approves(old, now.hash);
      if (!isApproved) changes.push(...changesOf(thing, name, old?.text, now?.text, compare));
      done += 1;
      progress(done);
    }
    return changes;
  };
  return [
    ...serverChanges(locked, declared).map((one) => ({
      ...one,
      thing: "server" as const,
      name: "",
    })),
    ...each("tool", toolChanges, locked.tools, declared.tools),
    ...each("prompt", promptChanges, locked.prompts, declared.prompts),
    ...each(
      "resource template",
      templateChanges,
      locked.resourceTemplates,
      declared.resourceTemplates,
    ),
  ];
}

function serverChanges(locked: LockedServer, declared: LockedServer): readonly FoundChange[] {
  const found: FoundChange[] = [];
  const jsonOf = (value: string | null | undefined): string | undefined =>
    typeof value === "string" ? JSON.stringify(value) : undefined;
  const add = (
    path: string,
    kind: ChangeClass,
    old: string | null | undefined,
    now: string | null | undefined,
  ): void => {
    if (old === now || (old ?? now ?? null) === null) return;
    const change = textChange(path, jsonOf(old), jsonOf(now));
    found.push({ ...change, class: kind, rule: kind === "text" ? "text" : "identity" });
  };
  const { identity: before, instructions: told, protocolVersion: spoke } = locked;
  const { identity: after, instructions: tells, protocolVersion: speaks } = declared;
  if (before !== undefined && after !== undefined) {
    add("/identity/name", "text", before.name, after.name);
    add("/identity/title", "text", before.title, after.title);
    // Another version or revision of the server shows nothing about what still works: it is neither compatible nor
    // breaking.
    add("/identity/version", "new", before.version, after.version);
  }
  if (spoke !== undefined && speaks !== undefined) {
    add("/protocol_version", "new", spoke, speaks);
  }
  if (told !== undefined && tells !== undefined) add("/instructions", "text", told, tells);
  return found;
}
