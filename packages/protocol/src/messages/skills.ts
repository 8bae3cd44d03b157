import { SKILLS_EXTENSION } from "../extensions.ts";
import { cacheablePage, cacheableResult, statelessParams, typedResult } from "./base.ts";
import { listRequest, type Method, request } from "./message-table.ts";
import { arrayOr, type Definitions, object, ref, STRING } from "./schema.ts";

const URI = { uri: STRING };
/** `sha256:` and 64 lowercase hexadecimal digits. */
const DIGEST = { type: "string", pattern: "^sha256:[0-9a-f]{64}$" };
const FILES = arrayOr(ref("SkillResource"), { const: "dynamic" });

/**
 * The Skills extension (SEP-2640, `io.modelcontextprotocol/skills`), which is specified for 2026-07-28 and later:
 * https://github.com/modelcontextprotocol/ext-skills, specification/stable/skills.mdx. Types that it shares with MCP
 * are those of the revision.
 */
export const SKILLS: Definitions = {
  SkillResource: object({
    ...URI,
    digest: DIGEST,
    size: { type: "integer", minimum: 0 },
  }),
  // A list of files has at least the entry of SKILL.md itself (Skill Entries, Resources).
  Skill: object({
    ...URI,
    frontmatter: object({ name: STRING, description: STRING }),
    resources: { ...FILES, minItems: 1 },
  }),
  ListSkillsResult: cacheablePage("skills"),
  GetSkillRequestParams: statelessParams(URI),
  GetSkillResult: cacheableResult({ skill: ref("Skill") }),
  ReadResourceDirectoryRequestParams: statelessParams(URI, { cursor: STRING }),
  // Unlike other pages, it does not say how long it may be cached (Reading Directories, Response).
  ReadResourceDirectoryResult: typedResult(
    { resources: { type: "array" } },
    { nextCursor: STRING },
  ),
};

const extension = SKILLS_EXTENSION;

/** The requests of the Skills extension. It has no notifications. */
export const SKILLS_METHODS: Readonly<Record<string, Method>> = {
  "skills/list": {
    ...listRequest("client", "PaginatedRequestParams", "ListSkillsResult", "skills", "Skill"),
    extension,
  },
  "skills/get": { ...request("client", "GetSkillRequestParams", "GetSkillResult"), extension },
  "resources/directory/read": {
    ...listRequest(
      "client",
      "ReadResourceDirectoryRequestParams",
      "ReadResourceDirectoryResult",
      "resources",
      "Resource",
    ),
    extension,
  },
};
