import { generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parse } from "jsonc-parser";
import { afterAll, describe, expect, it } from "vitest";
import { FAULTY_SERVER } from "../../packages/gateway/src/testing/fixtures.ts";
import { startTestGateway } from "../../packages/gateway/src/testing/gateway.ts";
import { modern, post } from "../../packages/gateway/src/testing/http.ts";
import { ROOT } from "./files.ts";
import { readPage } from "./markdown.ts";
import { PROVIDER_TOKENS, type ProviderToken } from "./provider-claims.ts";

/* The guide's configuration of each provider accepts a token with the claims that the provider documents. */

const PAGE = "docs/guides/oauth.md";
const source = readFileSync(ROOT + PAGE, "utf8");

/** Returns the configuration in a section of the guide. */
function configOf(heading: string): { readonly auth: { readonly jwt: Record<string, unknown> } } {
  const section = source.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const block = readPage(PAGE, section).blocks.find(({ language }) => language === "jsonc");
  return parse(block?.text ?? "");
}

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const jwks = { keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", use: "sig" }] };
const issuer = createServer((_, response) => void response.end(JSON.stringify(jwks)));
issuer.listen(0, "127.0.0.1");
await once(issuer, "listening");
afterAll(() => issuer.close());

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

/** Returns a token as the provider issues it, except for its key and its times. */
function signed({ header, claims }: Pick<ProviderToken, "header" | "claims">): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { ...claims, iat: now, nbf: now, exp: now + 600 };
  const text = `${encoded({ ...header, kid: "one" })}.${encoded(payload)}`;
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

describe.each(Object.entries(PROVIDER_TOKENS))("a token of %s", (heading, token) => {
  it("calls a tool with the guide's configuration, and no other tenant's or audience's token does", async () => {
    const { jwt } = configOf(heading).auth;
    const { port } = issuer.address() as AddressInfo;
    const server = { command: process.execPath, args: [FAULTY_SERVER] };
    const touchstone = await startTestGateway({
      mcpServers: { crm: server },
      auth: { jwt: { ...jwt, jwks_url: `http://127.0.0.1:${port}/keys` } },
    });
    try {
      const params = { name: "get_weather", arguments: { city: "Oslo" } };
      const { body, headers } = modern("tools/call", params);
      const send = (claims: object) => {
        const text = signed({ ...token, claims: { ...token.claims, ...claims } });
        return post(touchstone.url("crm"), body, { ...headers, authorization: `Bearer ${text}` });
      };
      const answer = await send({});
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("content")]);
      const calls = await touchstone.records({ type: "tool_call" });
      expect(calls.map(({ caller }) => caller)).toEqual([token.caller]);

      const otherIssuer = await send({ iss: `${token.claims["iss"]}x` });
      expect([otherIssuer.status, otherIssuer.text]).toEqual([401, expect.stringMatching(/iss/)]);
      const otherAudience = await send({ aud: "account" });
      expect([otherAudience.status, otherAudience.text]).toEqual([
        401,
        expect.stringMatching(/aud/),
      ]);
    } finally {
      await touchstone.close();
    }
  });

  it("has its source in the guide", () => {
    const { hostname } = new URL(token.source);
    const section = source.split(/^## /m).find((part) => part.startsWith(heading));
    expect(section).toContain(`https://${hostname}/`);
  });
});

it("the guide has a token for each provider that it configures", () => {
  const jwt = readPage(PAGE, source).blocks.filter(({ language }) => language === "jsonc");
  expect(jwt).toHaveLength(Object.keys(PROVIDER_TOKENS).length);
});
