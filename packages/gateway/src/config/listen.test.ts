// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts under test hold ${NAME}
import { expect, it } from "vitest";
import { parseConfig } from "./load.ts";
import { refuses } from "./testing/refusals.ts";

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

it("names the option where the command line is at fault", () => {
  const parse = (listen: string) => () =>
    parseConfig("{}", { file: "t.json", env: {}, overrides: { listen } });
  expect(parse(":1")).toThrow(/^command line: --listen: must name a host/);
  expect(parse("0.0.0.0:1")).toThrow(/^command line: --listen: listening beyond loopback/);
});
