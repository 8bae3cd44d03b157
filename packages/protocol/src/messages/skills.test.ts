import { describe, expect, it } from "vitest";
import { judgeMessage } from "../judge/judge-message.ts";
import { isMethodDefined } from "../judge/message-parts.ts";
import { answer, faults, fromServer, request } from "../testing/judged.ts";

const MODERN = "2026-07-28";
const ALL = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const CLIENT = { revision: MODERN, sender: "client" } as const;
const META = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const PAGE = { resultType: "complete", ttlMs: 300_000, cacheScope: "public" };
const FILE = { uri: "skill://a/SKILL.md", digest: `sha256:${"0a".repeat(32)}`, size: 0 };
const SKILL = {
  uri: "skill://acme/refunds/SKILL.md",
  frontmatter: { name: "refunds", description: "Refunds customers", license: "Apache-2.0" },
  resources: [FILE, { ...FILE, uri: "skill://acme/refunds/examples/email.md", size: 962 }],
};
const CHILD = { uri: "skill://a/templates", name: "templates", mimeType: "inode/directory" };

/** Returns the value without one member. */
function without<T extends object>(value: T, member: keyof T): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== member));
}

describe("a request of the Skills extension", () => {
  it.each<[string, object | undefined, string[]]>([
    ["skills/list", { _meta: META }, []],
    ["skills/list", { _meta: META, cursor: "c", vendor: 5 }, []],
    ["skills/list", { _meta: META, cursor: 5 }, ["/params/cursor type"]],
    ["skills/list", {}, ["/params/_meta required"]],
    ["skills/list", undefined, ["/params required"]],
    ["skills/get", { _meta: META, uri: "skill://a/SKILL.md" }, []],
    ["skills/get", { _meta: META, uri: "github://o/r/a/SKILL.md" }, []],
    ["skills/get", { _meta: META }, ["/params/uri required"]],
    ["skills/get", { _meta: META, uri: ["skill://a/SKILL.md"] }, ["/params/uri type"]],
    ["skills/get", { uri: "skill://a/SKILL.md" }, ["/params/_meta required"]],
    ["resources/directory/read", { _meta: META, uri: "skill://a" }, []],
    ["resources/directory/read", { _meta: META, uri: "skill://a", cursor: "c" }, []],
    [
      "resources/directory/read",
      { _meta: META, cursor: null },
      ["/params/uri required", "/params/cursor type"],
    ],
  ])("%s %j", (method, params, expected) => {
    expect(faults(request(method, params), CLIENT)).toEqual(expected);
  });

  it("has an id, and a server does not send it", () => {
    const sent = { jsonrpc: "2.0", method: "skills/list", params: { _meta: META } };
    const bytes = new TextEncoder().encode(JSON.stringify(sent));
    expect(faults(bytes, CLIENT)).toEqual(["/id required"]);
    const asked = request("skills/list", { _meta: META });
    expect(faults(asked, { revision: MODERN, sender: "server" })).toEqual(["/method not"]);
  });

  it.each(["Skills/List", "skills/get ", "resources/directory/read\u0000"])(
    "has exactly its name: %j",
    (method) => {
      const params = { _meta: META, uri: "skill://a" };
      expect(faults(request(method, params), CLIENT)).toEqual(["/method const"]);
    },
  );
});

describe("a result of the Skills extension", () => {
  it.each<[string, object, string[]]>([
    ["skills/list", { ...PAGE, skills: [] }, []],
    ["skills/list", { ...PAGE, skills: [SKILL, SKILL], nextCursor: "c" }, []],
    ["skills/list", { ...PAGE, skills: {} }, ["/result/skills type"]],
    ["skills/list", PAGE, ["/result/skills required"]],
    ["skills/list", { ...PAGE, skills: [], nextCursor: 2 }, ["/result/nextCursor type"]],
    ["skills/list", without({ ...PAGE, skills: [] }, "ttlMs"), ["/result/ttlMs required"]],
    ["skills/list", { ...PAGE, skills: [], ttlMs: -1 }, ["/result/ttlMs minimum"]],
    ["skills/list", { ...PAGE, skills: [], cacheScope: "all" }, ["/result/cacheScope enum"]],
    [
      "skills/list",
      { ...PAGE, resultType: "input_required", skills: [] },
      ["/result/resultType enum"],
    ],
    ["skills/get", { ...PAGE, skill: SKILL }, []],
    ["skills/get", { ...PAGE, skill: { ...SKILL, resources: "dynamic" } }, []],
    ["skills/get", { ...PAGE, skills: [SKILL] }, ["/result/skill required"]],
    [
      "skills/get",
      without({ ...PAGE, skill: SKILL }, "cacheScope"),
      ["/result/cacheScope required"],
    ],
    ["resources/directory/read", { resultType: "complete", resources: [] }, []],
    ["resources/directory/read", { resultType: "complete", resources: [CHILD] }, []],
    [
      "resources/directory/read",
      { resultType: "complete", resources: CHILD },
      ["/result/resources type"],
    ],
    [
      "resources/directory/read",
      { resultType: "complete", entries: [] },
      ["/result/resources required"],
    ],
  ])("%s %j", (method, result, expected) => {
    expect(faults(answer(result), fromServer(method, MODERN))).toEqual(expected);
  });

  const BROKEN: readonly (readonly [string, unknown, string[]])[] = [
    ["is not an object", "skill://a/SKILL.md", [" type"]],
    ["has no uri", without(SKILL, "uri"), ["/uri required"]],
    ["has no frontmatter", without(SKILL, "frontmatter"), ["/frontmatter required"]],
    ["has its frontmatter as text", { ...SKILL, frontmatter: "name: a" }, ["/frontmatter type"]],
    [
      "has no name",
      { ...SKILL, frontmatter: { description: "d" } },
      ["/frontmatter/name required"],
    ],
    [
      "has no description",
      { ...SKILL, frontmatter: { name: "a" } },
      ["/frontmatter/description required"],
    ],
    ["has no resources", without(SKILL, "resources"), ["/resources required"]],
    ["lists no file", { ...SKILL, resources: [] }, ["/resources minItems"]],
    ["has another word than dynamic", { ...SKILL, resources: "static" }, ["/resources const"]],
    ["has resources of another type", { ...SKILL, resources: null }, ["/resources const"]],
    [
      "has a file without a size",
      { ...SKILL, resources: [without(FILE, "size")] },
      ["/resources/0/size required"],
    ],
    [
      "has a file of a negative size",
      { ...SKILL, resources: [{ ...FILE, size: -1 }] },
      ["/resources/0/size minimum"],
    ],
    [
      "has half a byte",
      { ...SKILL, resources: [FILE, { ...FILE, size: 0.5 }] },
      ["/resources/1/size type"],
    ],
    [
      "has a digest without its algorithm",
      { ...SKILL, resources: [{ ...FILE, digest: "0a".repeat(32) }] },
      ["/resources/0/digest pattern"],
    ],
    [
      "has a digest in capitals",
      { ...SKILL, resources: [{ ...FILE, digest: `sha256:${"0A".repeat(32)}` }] },
      ["/resources/0/digest pattern"],
    ],
    [
      "has a digest that is cut off",
      { ...SKILL, resources: [{ ...FILE, digest: "sha256:a1b2c3d4..." }] },
      ["/resources/0/digest pattern"],
    ],
  ];

  it.each(BROKEN)("is refused by skills/get if the skill %s", (_, skill, expected) => {
    expect(faults(answer({ ...PAGE, skill }), fromServer("skills/get", MODERN))).toEqual(
      expected.map((issue) => `/result/skill${issue}`),
    );
  });

  it.each(BROKEN)(
    "has an issue of one item in skills/list if the skill %s",
    (_, skill, expected) => {
      const list = answer({ ...PAGE, skills: [SKILL, skill] });
      const { errors, items } = judgeMessage(list, fromServer("skills/list", MODERN));
      expect(errors).toEqual([]);
      expect(
        items.map(({ item, issues }) => [item, issues.map((i) => `${i.path} ${i.keyword}`)]),
      ).toEqual([[1, expected.map((issue) => `/result/skills/1${issue}`)]]);
    },
  );

  it("has an issue of one item for a child of a directory without a name", () => {
    const list = answer({ resultType: "complete", resources: [CHILD, without(CHILD, "name")] });
    const { errors, items } = judgeMessage(list, fromServer("resources/directory/read", MODERN));
    expect(errors).toEqual([]);
    expect(items.map(({ path }) => path)).toEqual(["/result/resources/1"]);
  });
});

it.each(ALL)("the extension is not specified for %s, so its messages are open", (revision) => {
  expect(faults(request("skills/get", {}), { revision, sender: "client" })).toEqual([]);
  expect(faults(answer({ skills: 5 }), fromServer("skills/list", revision))).toEqual([]);
  expect(isMethodDefined({ kind: "request", method: "skills/get" }, revision, CLIENT)).toBe(false);
});
