import { isAlias, isMap, isScalar, isSeq, parseDocument } from "yaml";
import {
  ClientFileError,
  type Entry,
  type Member,
  membersOf,
  type Node,
  namedServers,
} from "./entries.ts";

/** Goose's names for what other clients call `command`, `env` and `url`. */
const GOOSE: Readonly<Record<string, string>> = { cmd: "command", envs: "env", uri: "url" };

/**
 * Returns the servers in Goose's `config.yaml` (`extensions`, by name;
 * https://goose-docs.ai/docs/guides/config-files) and in Continue's (`mcpServers`, a list;
 * https://docs.continue.dev/customize/deep-dives/mcp).
 * @throws ClientFileError if the text is not YAML
 */
export function readYamlEntries(text: string): readonly Entry[] {
  const document = parseDocument(text, { uniqueKeys: true, logLevel: "error" });
  const [first] = document.errors;
  if (first !== undefined) {
    const line = first.linePos?.[0].line ?? text.slice(0, first.pos[0]).split("\n").length;
    const [what] = first.message.split(/ at line|\n/);
    throw new ClientFileError(`it is not YAML: ${what} on line ${line}`);
  }
  const root = nodeOf(document.contents, text);
  const top = root === undefined ? undefined : membersOf(root);
  const extensions = top?.get("extensions")?.value;
  const servers = top?.get("mcpServers")?.value;
  const isServer = ({ members }: Entry): boolean => members.has("command") || members.has("url");
  // Goose does not use a list.
  return [
    ...(extensions?.type === "array" ? [] : namedServers(extensions)),
    ...namedServers(servers),
  ]
    .map(([name, node]) => entryOf(name, node, text))
    .filter(isServer);
}

function entryOf(name: string, node: Node, text: string): Entry {
  const members = new Map<string, Member>();
  for (const [key, member] of membersOf(node)) members.set(GOOSE[key] ?? key, member);
  return { name, members, format: "yaml", inline: text[node.offset] === "{" };
}

/**
 * Returns a node in the form of the JSON parser. Nodes with an anchor or a tag, or on several lines, must not be
 * moved.
 */
function nodeOf(value: unknown, text: string): Node | undefined {
  if (isAlias(value) || (!isScalar(value) && !isMap(value) && !isSeq(value))) return undefined;
  const [offset, end] = value.range ?? [0, 0];
  const place = { offset, length: end - offset };
  const isOdd = value.anchor !== undefined || value.tag !== undefined;
  if (isSeq(value)) {
    const children = value.items.map(
      (item) => nodeOf(item, text) ?? { type: "null" as const, ...place },
    );
    return { type: "array", ...place, children };
  }
  if (isMap(value)) {
    const children = value.items.flatMap((pair) => {
      const key = nodeOf(pair.key, text);
      if (key === undefined) return [];
      const inside = nodeOf(pair.value, text) ?? { type: "null" as const, ...place, length: 0 };
      const length = Math.max(inside.offset + inside.length, key.offset + key.length) - key.offset;
      return [{ type: "property" as const, offset: key.offset, length, children: [key, inside] }];
    });
    return { type: "object", ...place, children };
  }
  const held = value.value;
  const isOneLine =
    !text.slice(offset, end).includes("\n") && !/^[|>]/.test(text.slice(offset, end));
  if (typeof held === "string" && isOneLine && !isOdd) {
    return { type: "string", ...place, value: held };
  }
  if (typeof held === "boolean") return { type: "boolean", ...place, value: held };
  return { type: "null", ...place };
}
