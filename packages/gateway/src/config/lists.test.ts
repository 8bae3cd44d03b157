import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { acceptsSingleString, FILE_SCHEMA, type SchemaPart } from "../settings/sections.ts";
import { parseServers } from "./client-servers.ts";
import { configJsonSchema } from "./editor-schema.ts";
import { ConfigError } from "./faults.ts";
import { parseConfig } from "./load.ts";

/** What else a file with the list needs. */
const KEY = { name: "alice", key: "k".repeat(32) };
const JWT = {
  issuer: "https://issuer.example",
  audience: "gateway",
  jwks_url: "https://issuer.example/keys",
};

const OIDC = {
  issuer: "https://issuer.example",
  client_id: "gateway",
  client_secret: "s".repeat(32),
  roles: { ops: "admin" },
};

/** A file for each list of strings that the schema has, with the list as one string, or as given. */
const FILES: Readonly<Record<string, (list: unknown) => object>> = {
  "input_validation.repair": (repair) => ({ input_validation: { repair } }),
  "policy.allow_tools": (allow_tools) => ({ policy: { allow_tools } }),
  "policy.deny_tools": (deny_tools) => ({ policy: { deny_tools } }),
  "adapt.for": (each) => ({ adapt: { for: each } }),
  "adapt.steps": (steps) => ({ adapt: { for: ["auto"], steps } }),
  "listen.allowed_hosts": (allowed_hosts) => ({ listen: { allowed_hosts } }),
  "listen.allowed_origins": (allowed_origins) => ({ listen: { allowed_origins } }),
  "listen.allowed_headers": (allowed_headers) => ({ listen: { allowed_headers } }),
  "auth.keys[].servers": (servers) => ({
    mcpServers: { files: { command: "x" } },
    auth: { keys: [{ ...KEY, servers }] },
  }),
  "auth.keys[].tools": (tools) => ({ auth: { keys: [{ ...KEY, tools }] } }),
  "auth.jwt.servers": (servers) => ({
    mcpServers: { files: { command: "x" } },
    auth: { jwt: { ...JWT, servers } },
  }),
  "auth.jwt.tools": (tools) => ({ auth: { jwt: { ...JWT, tools } } }),
  "auth.jwt.algorithms": (algorithms) => ({ auth: { jwt: { ...JWT, algorithms } } }),
  "auth.oidc[].scopes": (scopes) => ({ auth: { oidc: [{ ...OIDC, scopes }] } }),
};

/** A value of each list. */
const VALUES: Readonly<Record<string, string>> = {
  "input_validation.repair": "safe",
  "adapt.for": "gemini-cli",
  "adapt.steps": "same",
  "listen.allowed_hosts": "gateway.example",
  "listen.allowed_origins": "https://page.example",
  "listen.allowed_headers": "x-page",
  "auth.keys[].servers": "files",
  "auth.jwt.servers": "files",
  "auth.jwt.algorithms": "RS256",
  "auth.oidc[].scopes": "groups",
};

function listsIn(part: SchemaPart, path = ""): readonly string[] {
  if (acceptsSingleString(part)) return [path];
  const members = Object.entries(part.properties ?? {}).flatMap(([key, below]) =>
    listsIn(below, path === "" ? key : `${path}.${key}`),
  );
  return [...members, ...(part.items === undefined ? [] : listsIn(part.items, `${path}[]`))];
}

const LISTS = listsIn(FILE_SCHEMA);
const parse = (file: unknown) => parseConfig(JSON.stringify(file), { file: "t.json", env: {} });
const faultsOf = (file: unknown) => {
  try {
    parse(file);
    return [];
  } catch (error) {
    return error instanceof ConfigError ? error.faults : [];
  }
};

describe("a list that is written as one string", () => {
  const validate = new Ajv2020({ strict: false }).compile(configJsonSchema());

  it("is tested for each list that the schema has at the top level", () => {
    expect([...LISTS].sort()).toEqual(Object.keys(FILES).sort());
  });

  it.each(LISTS)("means a list of it: %s", (name) => {
    const one = VALUES[name] ?? "read_*";
    const [asText, asList] = [FILES[name]?.(one), FILES[name]?.([one])];
    expect(parse(asText)).toEqual(parse(asList));
    expect([validate(asText), validate(asList)]).toEqual([true, true]);
    expect(validate(FILES[name]?.(5))).toBe(false);
    expect(faultsOf(FILES[name]?.(5))).toEqual([
      expect.objectContaining({
        code: "WRONG_TYPE",
        message: expect.stringMatching(/, or an array of (?:them|strings); got 5$/),
      }),
    ]);
  });

  it.each([
    ["a server", { touchstone: { input_validation: { repair: "safe" } } }],
    ["a tool", { touchstone: { tools: { t: { input_validation: { repair: "safe" } } } } }],
  ])("means the same in the settings of %s, also in a client's file", (_, entry) => {
    const written = { mcpServers: { a: { command: "x", ...entry } } };
    const asList = JSON.parse(JSON.stringify(written).replace('"safe"', '["safe"]'));
    const read = parse(written).servers;
    expect(read).not.toEqual(parse({ mcpServers: { a: { command: "x" } } }).servers);
    expect(read).toEqual(parse(asList).servers);
    const options = { env: {} };
    expect(parseServers(JSON.stringify(written), "c.json", options).servers).toEqual(
      parseServers(JSON.stringify(asList), "c.json", options).servers,
    );
    expect(validate(written)).toBe(true);
  });

  it("is reported where it is, if it is not an allowed value", () => {
    expect(faultsOf({ input_validation: { repair: "saf" } })).toEqual([
      expect.objectContaining({
        path: "/input_validation/repair",
        column: 31,
        message: expect.stringMatching(/^must be one of .*; got "saf" — did you mean "safe"\?$/),
      }),
    ]);
    expect(faultsOf({ policy: { deny_tools: "\n" } })).toEqual([
      expect.objectContaining({ path: "/policy/deny_tools" }),
    ]);
  });

  it.each([
    [
      { policy: { deny_tools: "delete_*, drop_*" } },
      /^must be one string without a comma, or an a/,
    ],
    [{ input_validation: { repair: "safe,all" } }, /^must be one of .*, or an array of them; got /],
  ])("is refused with a comma, which could mean several: %j", (file, message) => {
    expect(faultsOf(file)).toEqual([
      expect.objectContaining({ code: "WRONG_TYPE", message: expect.stringMatching(message) }),
    ]);
  });

  it.each([
    [{ mcpServers: { a: { command: "x", args: "-y pkg" } } }, "/mcpServers/a/args"],
    [{ alerts: [{ when: "blocked", command: "notify me" }] }, "/alerts/0/command"],
  ])("is refused for the words of a command line: %j", (file, path) => {
    expect(validate(file)).toBe(false);
    expect(faultsOf(file)).toEqual([
      expect.objectContaining({
        path,
        message: expect.stringMatching(/^must be an array of strings/),
      }),
    ]);
  });
});
