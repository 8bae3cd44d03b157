// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts under test hold ${NAME}
import { expect, it } from "vitest";
import { parseConfig } from "./load.ts";
import { type Row, refuses } from "./testing/refusals.ts";

const listen = (members: string) => `{"listen":{${members}}}`;

refuses("listening", [
  [
    listen('"address":":7411"'),
    "1:22",
    "INVALID_VALUE",
    "/listen/address",
    /name a host.*127\.0\.0\.1:7411/,
  ],
  [listen('"address":"localhost"'), "1:22", "INVALID_VALUE", "/listen/address", /HOST:PORT/],
  [listen('"address":"::1:7411"'), "1:22", "INVALID_VALUE", "/listen/address", /\[::1\]:7411/],
  [listen('"address":"[::g]:1"'), "1:22", "INVALID_VALUE", "/listen/address", /IPv6/],
  [listen('"address":"127.0.0.1:65536"'), "1:22", "INVALID_VALUE", "/listen/address", /0 to 65535/],
  [
    listen('"address":"0.0.0.0:80"'),
    "1:22",
    "API_KEY_REQUIRED",
    "/listen/address",
    /auth\.api_key/,
  ],
  [listen('"address":"[::]:80"'), "1:22", "API_KEY_REQUIRED", "/listen/address", /auth\.api_key/],
  [listen('"address":"mcp.example:80"'), "1:22", "API_KEY_REQUIRED", "/listen/address", /API key/],
  [
    listen('"allowed_hosts":["*.example"]'),
    "1:29",
    "INVALID_VALUE",
    "/listen/allowed_hosts/0",
    /wildcards/,
  ],
  [
    listen('"allowed_hosts":["https://x"]'),
    "1:29",
    "INVALID_VALUE",
    "/listen/allowed_hosts/0",
    /Host value/,
  ],
  [
    listen('"allowed_origins":["https://X.example/"]'),
    "1:31",
    "INVALID_VALUE",
    "/listen/allowed_origins/0",
    /browsers send "https:\/\/x\.example"/,
  ],
  [
    listen('"allowed_origins":["x.example"]'),
    "1:31",
    "INVALID_VALUE",
    "/listen/allowed_origins/0",
    /SCHEME:\/\/HOST/,
  ],
  ...["x y", "x:y", "x,y", "x\\r\\nset-cookie", "", "ü", "(x)", "x".repeat(257)].map(
    (name): Row => [
      listen(`"allowed_headers":["${name}"]`),
      "1:31",
      "INVALID_VALUE",
      "/listen/allowed_headers/0",
      /must be the name of a header/,
    ],
  ),
  [
    listen('"allowed_headers":["*"]'),
    "1:31",
    "INVALID_VALUE",
    "/listen/allowed_headers/0",
    /wildcards/,
  ],
  ...["0", "86401"].map(
    (value): Row => [
      listen(`"idle_timeout":${value}`),
      "1:27",
      "INVALID_VALUE",
      "/listen/idle_timeout",
      /must be an integer from 1 to 86400/,
    ],
  ),
  ['{"auth":{"keys":[{"key":"k"}]}}', "1:18", "MISSING_KEY", "/auth/keys/0", /"name" is missing/],
  ['{"auth":{"keys":[{"name":"a"}]}}', "1:18", "MISSING_KEY", "/auth/keys/0", /"key" is missing/],
  [
    '{"auth":{"keys":[{"name":"a","key":"s3 cret"}]}}',
    "1:36",
    "INVALID_VALUE",
    "/auth/keys/0/key",
    /^must be visible ASCII characters without spaces/,
  ],
  [
    '{"auth":{"keys":[{"name":"a","key":"sha256:abc"}]}}',
    "1:36",
    "INVALID_VALUE",
    "/auth/keys/0/key",
    /^must have 64 hexadecimal digits after sha256:/,
  ],
  [
    '{"auth":{"keys":[{"name":"a","key":"same"},{"name":"b","key":"same"}]}}',
    "1:62",
    "INVALID_VALUE",
    "/auth/keys/1/key",
    /^must be another key than that of auth\.keys\[0\]$/,
  ],
  [
    '{"auth":{"api_key":"same","keys":[{"name":"b","key":"same"}]}}',
    "1:53",
    "INVALID_VALUE",
    "/auth/keys/0/key",
    /than that of auth\.api_key$/,
  ],
  [
    '{"auth":{"keys":[{"name":"a","key":"1","tools":["x"]},{"name":"a","key":"2"}]}}',
    "1:55",
    "INVALID_VALUE",
    "/auth/keys/1",
    /^must allow the same as the other key of "a": they are one caller$/,
  ],
  [
    '{"auth":{"keys":[{"name":"a","key":"1","limits":{"calls_per_minute":1}},{"name":"a","key":"2"}]}}',
    "1:73",
    "INVALID_VALUE",
    "/auth/keys/1",
    /^must allow the same as the other key of "a": they are one caller$/,
  ],
  [
    '{"auth":{"keys":[{"name":"a","key":"1","limits":{"calls_per_minute":0}}]}}',
    "1:69",
    "INVALID_VALUE",
    "/auth/keys/0/limits/calls_per_minute",
    /1 to 100000; got 0/,
  ],
  [
    '{"auth":{"jwt":{"limits":{"calls_per_minute":1}}}}',
    "1:17",
    "UNKNOWN_KEY",
    "/auth/jwt/limits",
    /unknown key/,
  ],
  [
    '{"auth":{"keys":[{"name":"","key":"1"}]}}',
    "1:26",
    "INVALID_VALUE",
    "/auth/keys/0/name",
    /1 to 128 characters/,
  ],
  [
    '{"auth":{"keys":[{"name":"a","key":"1","role":"owner"}]}}',
    "1:47",
    "INVALID_VALUE",
    "/auth/keys/0/role",
    /"caller", "viewer", "admin"; got "owner"/,
  ],
  ['{"auth":{"api_key":"${KEY:-}"}}', "1:20", "INVALID_VALUE", "/auth/api_key", /at least one/],
  ['{"auth":{"api_key":"a b"}}', "1:20", "INVALID_VALUE", "/auth/api_key", /without spaces/],
  [
    '{"listen":{"address":"0.0.0.0:1"},"auth":{"apikey":"k"}}',
    "1:43",
    "UNKNOWN_KEY",
    "/auth/apikey",
    /did you mean "api_key"/,
  ],
]);

it("names the option if the fault is on the command line", () => {
  const parse = (listen: string) => () =>
    parseConfig("{}", { file: "t.json", env: {}, overrides: { listen } });
  expect(parse(":1")).toThrow(/^command line: --listen: must name a host/);
  expect(parse("0.0.0.0:1")).toThrow(/^command line: --listen: listening beyond loopback/);
});

it("keeps only the hash of a caller's key", () => {
  const text = `{"listen":{"address":"0.0.0.0:1"},"auth":{"keys":[
    {"name":"alice","key":"\${KEY}","servers":["s"],"tools":["read_*"],"read_only":true},
    {"name":"bob","key":"sha256:${"AB".repeat(32)}","role":"viewer"}]}}`;
  const { auth } = parseConfig(text, { file: "t.json", env: { KEY: "s3cret-of-16-and-more" } });
  expect(auth).toEqual({
    keys: [
      {
        name: "alice",
        hash: "54d243c56511f98d9e64ffd862fbd198de704bb2ab4710518cdd9199c105d9d7",
        role: "caller",
        servers: ["s"],
        tools: ["read_*"],
        readOnly: true,
      },
      { name: "bob", hash: "ab".repeat(32), role: "viewer" },
    ],
  });
});

it.each(["api_key", "admin_key", "keys"])("refuses %s that no header can carry", (name) => {
  const read = (key: string) => {
    const value = name === "keys" ? [{ name: "a", key }] : key;
    return parseConfig(JSON.stringify({ auth: { [name]: value } }), { file: "t.json", env: {} });
  };
  expect(() => read("k".repeat(8_192))).not.toThrow();
  expect(() => read("k".repeat(8_193))).toThrow(
    expect.objectContaining({
      code: "INVALID_VALUE",
      message: expect.stringMatching(
        /has more than 8192 characters, and no request could carry it/,
      ),
    }),
  );
});

const jwt = (members: string, more = "") =>
  `{"auth":{"jwt":{"issuer":"i","audience":"a",${members}}}${more}}`;
it.each<[string, string, RegExp]>([
  [
    '{"auth":{"jwt":{}}}',
    "MISSING_KEY",
    /"issuer" is missing[\s\S]*"audience" is missing[\s\S]*keys are missing/,
  ],
  [jwt('"jwks_url":"http://issuer.example/k"'), "INVALID_VALUE", /must be an https URL/],
  [jwt('"jwks_url":"file:///k"'), "INVALID_VALUE", /must be an https URL/],
  [jwt('"jwks_url":"https://u:p@issuer.example/k"'), "INVALID_VALUE", /must not have a user/],
  [jwt('"jwks_url":"k"'), "INVALID_VALUE", /must be an absolute URL/],
  [
    jwt('"jwks_url":"https://i.example/k","jwks":{"keys":[{"kty":"RSA"}]}'),
    "CONFLICTING_KEYS",
    /remove one/,
  ],
  [jwt('"jwks":{"keys":[]}'), "INVALID_VALUE", /at least one key/],
  [jwt('"jwks":{"keys":[{"kty":"oct","k":"x"}]}'), "INVALID_VALUE", /must be a public key/],
  [jwt('"jwks":{"keys":[{"kty":"RSA","d":"x"}]}'), "INVALID_VALUE", /must be a public key/],
  [
    jwt('"jwks_url":"https://i.example/k","algorithms":["HS256"]'),
    "INVALID_VALUE",
    /one of "RS256"/,
  ],
  [
    jwt('"jwks_url":"https://i.example/k","algorithms":[]'),
    "INVALID_VALUE",
    /at least one algorithm/,
  ],
  [
    jwt('"jwks_url":"https://i.example/k"', ',"forward_authorization":true'),
    "CONFLICTING_KEYS",
    /never forwarded/,
  ],
  [
    jwt(
      '"jwks_url":"https://i.example/k"',
      ',"mcpServers":{"s":{"url":"https://x","touchstone":{"forward_authorization":true}}}',
    ),
    "CONFLICTING_KEYS",
    /never forwarded/,
  ],
])("refuses %s", (text, code, message) => {
  const parse = () => parseConfig(text, { file: "t.json", env: {} });
  expect(parse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(message) }));
});

it("accepts a jwks_url over http on this machine, and has defaults", () => {
  const text = jwt('"jwks_url":"http://[::1]:1/k"');
  const { auth } = parseConfig(text, { file: "t.json", env: {} });
  expect(auth.jwt).toEqual({
    ...{ issuer: "i", audience: "a", jwksUrl: "http://[::1]:1/k", nameClaim: "sub" },
    ...{ algorithms: ["RS256", "ES256", "EdDSA"], clockSkew: 30, role: "caller" },
  });
});
