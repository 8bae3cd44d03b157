import { parseUrl } from "@touchstone/util";
import type { AlertRule, AlertSection, Webhook } from "./alerts.ts";
import { EVENTS } from "./events.ts";

type Path = readonly (string | number)[];

/** Collects what is wrong in a file. */
interface FaultList {
  add(
    code: "INVALID_VALUE" | "MISSING_KEY" | "CONFLICTING_KEYS",
    path: Path,
    message: string,
    at?: "key" | "value",
  ): void;
}

/** Each entry has its own queue, and every record is compared with every entry. */
const MAX_RULES = 100;

/**
 * Reads `alerts`, with defaults for missing keys.
 * @param faults collects what is wrong between the keys of an entry
 */
export function readAlerts(
  sections: readonly AlertSection[] | undefined = [],
  faults: FaultList,
): readonly AlertRule[] {
  if (sections.length > MAX_RULES) {
    faults.add("INVALID_VALUE", ["alerts"], `must not have more than ${MAX_RULES} entries`);
    return [];
  }
  return sections.flatMap((section, index) => {
    const rule = readAlert(section, ["alerts", index], faults);
    return rule === undefined ? [] : [rule];
  });
}

function readAlert(section: AlertSection, path: Path, faults: FaultList): AlertRule | undefined {
  const { when, server, tool, min_interval: minInterval = 0 } = section;
  const to = readTarget(section, path, faults);
  if (when === undefined) faults.add("MISSING_KEY", path, 'the entry needs "when"');
  if (when === undefined || to === undefined) return undefined;
  if (tool !== undefined && !EVENTS[when].hasTool) {
    const message = `a record of "${when}" has no tool; remove this, or change "when"`;
    faults.add("CONFLICTING_KEYS", [...path, "tool"], message);
  }
  return {
    when,
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { tool }),
    minInterval,
    to,
  };
}

function readTarget(
  { webhook, command }: AlertSection,
  path: Path,
  faults: FaultList,
): AlertRule["to"] | undefined {
  if (webhook !== undefined && command !== undefined) {
    const message = 'the entry has a "webhook" already; put the command into an entry of its own';
    faults.add("CONFLICTING_KEYS", [...path, "command"], message, "key");
    return undefined;
  }
  if (webhook !== undefined) return readWebhook(webhook, [...path, "webhook"], faults);
  if (command === undefined) {
    faults.add("MISSING_KEY", path, 'the entry needs "webhook" or "command"');
    return undefined;
  }
  const at = [...path, "command"];
  const [program = ""] = command;
  if (program.trim() === "") {
    faults.add("INVALID_VALUE", at, "must begin with the program to run");
  } else if (command.length === 1 && /^[^\s/\\:]+\s+\S/.test(program)) {
    // No shell starts the program, and a program's bare name contains no space.
    const message = "is one program without arguments; write each argument as an item of its own";
    faults.add("INVALID_VALUE", [...at, 0], message);
  }
  for (const [index, word] of command.entries()) {
    if (word.includes("\0")) {
      faults.add("INVALID_VALUE", [...at, index], "must not contain the character NUL");
    }
  }
  return { command };
}

function readWebhook(
  { url, secret, format = "json" }: NonNullable<AlertSection["webhook"]>,
  path: Path,
  faults: FaultList,
): { readonly webhook: Webhook } | undefined {
  if (url === undefined) {
    faults.add("MISSING_KEY", path, 'the webhook needs a "url"');
    return undefined;
  }
  const at = [...path, "url"];
  const parsed = parseUrl(url);
  if (parsed === undefined || (parsed.protocol !== "http:" && parsed.protocol !== "https:")) {
    faults.add("INVALID_VALUE", at, "must be an absolute http:// or https:// URL");
  } else if (parsed.username !== "" || parsed.password !== "") {
    const message = 'must not contain a user name or password; the receiver checks "secret"';
    faults.add("INVALID_VALUE", at, message);
  }
  // As for an API key: the placeholder of `config show` must not become a key that everybody knows.
  if (secret !== undefined && !/^[\x21-\x7e]+$/.test(secret)) {
    const message = "must be visible ASCII characters without spaces, and at least one";
    faults.add("INVALID_VALUE", [...path, "secret"], message);
  }
  return { webhook: { url, ...(secret === undefined ? {} : { secret }), format } };
}
