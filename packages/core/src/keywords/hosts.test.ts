import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { compileDeclared } from "../compile.ts";
import { sample } from "../testing/sample.ts";
import { type AllowedHost, MAX_HOST, MAX_URL, matchesHosts, parseHost } from "./hosts.ts";

function hostsOf(...texts: readonly string[]): readonly AllowedHost[] {
  return texts.map((text) => {
    const host = parseHost(text);
    if (typeof host === "string") throw new Error(host);
    return host;
  });
}

const WEB = ["http", "https"];
const matches = (url: string, schemes: readonly string[], ...texts: readonly string[]): boolean =>
  matchesHosts(url, { hosts: hostsOf(...texts), schemes });
const LISTED = ["docs.example", "*.example.org", "api.example:8443"] as const;
const isAllowed = (url: string): boolean => matches(url, WEB, ...LISTED);

/** URLs that lead some programs to another host by a trick, and texts that only look like a URL of a listed host. */
const ATTEMPTS: Readonly<Record<string, readonly string[]>> = {
  "is of another host": [
    "http://evil.com/",
    "http://example/",
    "http://docs.example.evil.com/",
    "http://evildocs.example/",
    "http://docs.example-evil.com/",
    "http://docs.examples/",
    "http://sub.docs.example/",
    "http://docsXexample/",
    "http://docs-example/",
    "http://docs.example.org.evil.com/",
    "http://evil.com/docs.example",
    "http://evil.com/?u=http://docs.example/",
    "http://evil.com/#http://docs.example/",
    "http://evil.com/a/../docs.example",
    "http://127.0.0.1.nip.io/",
    "http://localtest.me/",
    "http://localhost/",
    "http://docs.example.",
    "http://docs.example./",
    "http://docs.example../",
  ],
  "is the name without the part that the wildcard asks for": [
    "http://example.org/",
    "http://.example.org/",
    "http://..example.org/",
    "http://a..example.org/",
    "http://evilexample.org/",
    "http://evil-example.org/",
    "http://a.example.org.evil.com/",
    "http://a.example.com/",
    "http://*.example.org/",
    "http://a.example.org./",
  ],
  "has user info": [
    "http://docs.example@evil.com/",
    "http://docs.example:80@evil.com/",
    "http://docs.example%40evil.com/",
    "http://docs.example%2f@evil.com/",
    "http://docs.example%00@evil.com/",
    "http://a@docs.example/",
    "http://a:b@docs.example/",
    "http://@docs.example/",
    "http://:@docs.example/",
    "http://evil.com@docs.example/",
    "http://a@evil.com@docs.example/",
    "http://evil.com:80@docs.example:80/",
    "http://foo@evil.com:80@docs.example/",
    "http://a:b:c@docs.example/",
    "http://[::1]@docs.example/",
    "http://docs.example;@evil.com/",
  ],
  // Orange Tsai, "A New Era of SSRF"; CVE-2016-8624 (curl), CVE-2018-3774 (url-parse).
  "has a backslash": [
    "http://docs.example\\@evil.com/",
    "http://evil.com\\@docs.example/",
    "http://docs.example\\.evil.com/",
    "http://docs.example\\evil.com/",
    "http:\\\\docs.example/",
    "http:\\/docs.example/",
    "http:/\\docs.example/",
    "http://\\docs.example/",
    "http://docs.example:80\\@evil.com:80/",
    "http://docs.example:80\\@@evil.com:80/",
    "http://docs.example:80:\\@@evil.com:80/",
    "http://docs.example:80#\\@evil.com:80/",
    "\\\\docs.example\\share",
    "http://docs.example/\\@evil.com",
  ],
  "has the end of the host in another place": [
    "http://docs.example#@evil.com/",
    "http://docs.example?@evil.com/",
    "http://evil.com#@docs.example/",
    "http://evil.com?@docs.example/",
    "http://evil.com/@docs.example/",
    "http://evil.com#docs.example",
    "http://docs.example#%40@evil.com/",
    "http://docs.example;.evil.com/",
    "http://docs.example,evil.com/",
    "http://docs.example&evil.com/",
    "http://docs.example%23.evil.com/",
    "http://docs.example%3f.evil.com/",
    "http://docs.example%2f.evil.com/",
    "http://docs.example%5c.evil.com/",
    "http://docs.example:80:evil.com/",
    "http://evil.com:80:docs.example/",
    "http://docs.example$evil.com/",
    "http://docs.example!evil.com/",
    "http://docs.example'evil.com/",
    "http://docs.example(.evil.com)/",
  ],
  "has another number of slashes": [
    "http:docs.example",
    "http:docs.example/",
    "http:/docs.example/",
    "http:///docs.example/",
    "http:////docs.example/",
    "https:///docs.example/a",
    "//docs.example/",
    "///docs.example/",
    "/docs.example/",
    "docs.example",
    "docs.example/",
    "docs.example:443",
    "://docs.example/",
    "http//docs.example/",
    "http://",
    "http:",
    "http:///",
    "",
  ],
  "has white space or control characters": [
    " http://docs.example/",
    "http://docs.example/ ",
    "\thttp://docs.example/",
    "http://docs.example/\n",
    "\0http://docs.example/",
    "\ufeffhttp://docs.example/",
    "\u00a0http://docs.example/",
    "http://docs.\texample/",
    "http://docs.\nexample/",
    "http://docs.\rexample/",
    "ht\ntp://docs.example/",
    "http:/\t/docs.example/",
    "http://docs.example\t@evil.com/",
    "http://docs.example /",
    "http:// docs.example/",
    "http://docs.example\u0000.evil.com/",
    "http://docs.example\u00a0/",
    "http://docs.example\u2028/",
    "http://docs.example\u3000.evil.com/",
    "http://docs.example/\r\nHost: evil.com",
    "http://docs.example/ HTTP/1.1\r\nX: y",
    "http://1.1.1.1 &@docs.example# @3.3.3.3/",
    "http://docs.example/\u007f",
    "http://docs.example/\ud800",
  ],
  "encodes the host": [
    "http://docs%2eexample/",
    "http://docs%2Eexample/",
    "http://%64ocs.example/",
    "http://%64%6f%63%73%2e%65%78%61%6d%70%6c%65/",
    "http://docs%252eexample/",
    "http://docs.example%20/",
    "http://docs.example%09/",
    "http://docs.example%00/",
    "http://docs.example%0d%0a/",
    "http://docs.example%ff/",
    "http%3a//docs.example/",
    "http:%2f%2fdocs.example/",
    "http://docs.exam%E2%80%8Bple/",
  ],
  // UTS 46; CVE-2019-9636 (Python), CVE-2019-0657.
  "has other letters that become those of a host": [
    "http://ｄocs.example/",
    "http://docs．example/",
    "http://docs。example/",
    "http://docs｡example/",
    "http://ⓓⓞⓒⓢ.example/",
    "http://𝐝𝐨𝐜𝐬.example/",
    "http://docs.ex\u00adample/",
    "http://docs.ex\u200bample/",
    "http://docs.ex\u2060ample/",
    "http://docs.ex\ufe00ample/",
    "http://doc\u017f.example/",
    "http://docs.example\u2100.evil.com/",
    "http://evil.c\u2100.docs.example/",
    "http://docs.example\uff0fevil.com/",
    "http://docs.example\uff20evil.com/",
    "http://docs.example\uff03.evil.com/",
    "http://docs.example\uff1f.evil.com/",
    "http://docs.example\u2044evil.com/",
    "http://docs.example\u2215evil.com/",
    "http://docs.example\u202e/",
    "http://dосs.example/",
    "http://docs.еxample/",
    "http://xn--docs-.example/",
    "http://xn--.example.org/",
    "http://xn--a.example.org/",
    "http://\u0301a.example.org/",
  ],
  "is an address": [
    "http://127.0.0.1/",
    "http://0/",
    "http://0.0.0.0/",
    "http://127.1/",
    "http://127.0.1/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://0177.0x0.0.1/",
    "http://00000177.0.0.1/",
    "http://127.0.0.1./",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://425.510.425.510/",
    "http://999999999999/",
    "http://[::1]/",
    "http://[::]/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[fd00:ec2::254]/",
    "http://[docs.example]/",
    "http://[::1]docs.example/",
    "http://[::1].docs.example/",
    "http://[v1.docs.example]/",
    "http://0000::1:80/",
    "http://0o177.0.0.1/",
    "http://1.1.1.1.1/",
  ],
  "has another port": [
    "http://docs.example:8080/",
    "http://docs.example:22/",
    "http://docs.example:443/",
    "https://docs.example:80/",
    "http://docs.example:0/",
    "http://docs.example:65536/",
    "http://docs.example:000080000/",
    "http://docs.example:-80/",
    "http://docs.example:+80/",
    "http://docs.example:80a/",
    "http://docs.example:8_0/",
    "http://docs.example:%38%30/",
    "http://docs.example:８０/",
    "http://docs.example:/",
    "http://docs.example:80,443/",
    "http://api.example/",
    "https://api.example:443/",
    "https://api.example:8444/",
    "https://a.example.org:8443/",
    "localhost:+11211aaa",
  ],
  "has another scheme": [
    "ftp://docs.example/",
    "file://docs.example/etc/passwd",
    "file:///docs.example",
    "ws://docs.example/",
    "wss://docs.example/",
    "gopher://docs.example/_GET",
    "dict://docs.example:11211/",
    "ldap://docs.example/",
    "sftp://docs.example/",
    "tftp://docs.example/",
    "jar:http://docs.example!/",
    "jar:https://docs.example/a.jar!/b",
    "url:http://docs.example/",
    "view-source:http://docs.example/",
    "blob:https://docs.example/1",
    "data:text/html,http://docs.example/",
    "data://docs.example/,x",
    "javascript://docs.example/%0aalert(1)",
    "javascript:alert('http://docs.example/')",
    "mailto:a@docs.example",
    "netdoc://docs.example/",
    "phar://docs.example/",
    "expect://docs.example",
    "0://docs.example:80;http://evil.com:80/",
    "http+unix://docs.example/",
    "httpx://docs.example/",
    "xhttp://docs.example/",
    "http.://docs.example/",
    "http;//docs.example/",
    "HTTP\u017f://docs.example/",
    "feed:http://docs.example/",
    "intent://docs.example/#Intent;scheme=http;end",
  ],
  "is too long": [
    `http://docs.example/${"a".repeat(70_000)}`,
    `http://${"a.".repeat(130)}example.org/`,
  ],
};

const ALLOWED: readonly string[] = [
  "http://docs.example",
  "http://docs.example/",
  "https://docs.example/a/b?c=d#e",
  "HTTPS://DOCS.Example/",
  "http://docs.example:80/",
  "https://docs.example:443/",
  "https://docs.example?q=1",
  "https://docs.example#top",
  "https://docs.example/?u=http://evil.com/@x",
  "https://docs.example/@scope/package",
  "https://docs.example/a%20b/%2e%2e/c",
  "https://docs.example/日本",
  'https://docs.example/?q={"a":[1|2]}',
  "https://a.example.org/",
  "https://a.b.c.example.org/",
  "https://A_b-1.example.org/",
  "https://xn--bcher-kva.example.org/",
  "https://bücher.example.org/",
  "https://BÜCHER.example.org/",
  "https://日本.example.org/",
  "https://api.example:8443/v1",
  "http://api.example:8443/v1",
];

describe("hosts", () => {
  const attempts = Object.entries(ATTEMPTS).flatMap(([trick, texts]) =>
    texts.map((text) => [trick, text] as const),
  );

  it("has more than 250 attempts to reach another host", () => {
    expect(new Set(attempts.map(([, text]) => text)).size).toBeGreaterThan(250);
  });

  it.each(attempts)("does not match a text that %s: %j", (_trick, text) => {
    expect(isAllowed(text)).toBe(false);
  });

  it.each(ALLOWED)("matches %j", (text) => {
    expect(isAllowed(text)).toBe(true);
  });

  it.each([
    ["127.0.0.1", "http://127.0.0.1/", true],
    ["127.0.0.1", "http://127.1/", true],
    ["127.0.0.1", "http://2130706433/", true],
    ["127.0.0.1", "http://0x7f000001/", true],
    // Octal to some programs, decimal to others: 177.0.0.1.
    ["127.0.0.1", "http://0177.0.0.1/", false],
    ["127.0.0.1", "http://127.0.0.01/", false],
    ["127.0.0.1", "http://0x7f.1/", false],
    ["127.0.0.1", "http://127.0.0.1./", false],
    ["127.0.0.1", "http://[::ffff:127.0.0.1]/", false],
    ["127.0.0.1", "http://127.0.0.2/", false],
    ["[::1]", "http://[::1]/", true],
    ["[::1]", "http://[0:0:0:0:0:0:0:1]/", true],
    ["[::1]", "http://[::0001]:80/", true],
    ["[::1]", "http://[::1]:8080/", false],
    ["[::1]:8080", "http://[::1]:8080/", true],
    ["[::ffff:127.0.0.1]", "http://[::ffff:7f00:1]/", true],
    ["localhost:*", "http://localhost/", true],
    ["localhost:*", "http://localhost:65535/", true],
    ["localhost:80", "http://localhost/", true],
    ["localhost:80", "https://localhost/", false],
    ["localhost:080", "http://localhost/", true],
    ["*.example.org:*", "http://a.example.org:81/", true],
    ["*.example.org:*", "http://example.org:81/", false],
    ["Docs.Example", "http://docs.example/", true],
    ["bücher.example", "http://xn--bcher-kva.example/", true],
    ["bücher.example", "http://bücher.example/", true],
    ["bücher.example", "http://bu\u0308cher.example/", false],
    ["xn--strae-oqa.example", "http://straße.example/", false],
    ["xn--strae-oqa.example", "http://xn--strae-oqa.example/", true],
    ["xn--mxawan.example", "http://ΣΑΣ.example/", false],
    ["docs.example.", "http://docs.example./", true],
    ["docs.example.", "http://docs.example/", false],
  ])("%s and %s: %s", (host, url, isMatch) => {
    expect(matches(url, WEB, host)).toBe(isMatch);
  });

  it.each([
    [["wss"], "wss://docs.example/", true],
    [["wss"], "https://docs.example/", false],
    [["ssh"], "ssh://docs.example/", true],
    [["ssh"], "ssh://DOCS.example/", true],
    [["ssh"], "ssh://docs%2eexample/", false],
    [["ssh"], "ssh://git@docs.example/", false],
    [["ssh"], "ssh://docs.example:22/", false],
    [["ssh"], "ssh:docs.example", false],
    [["file"], "file://docs.example/a", true],
    [["file"], "file:///docs.example/a", false],
    [[], "http://docs.example/", false],
  ])("allows only the schemes %j: %s", (schemes, url, isMatch) => {
    expect(matches(url, schemes, "docs.example")).toBe(isMatch);
  });

  it.each([
    "",
    "*",
    "*.",
    "a.*",
    "*.*.org",
    "**.example.org",
    "http://docs.example",
    "docs.example/a",
    "a@docs.example",
    "docs example",
    "docs.example:",
    "docs.example:http",
    "docs.example:65536",
    "*.127.0.0.1",
    "*.0.0.1",
    "*.[::1]",
    "*..example.org",
    ".example.org",
    "a..example",
    "::1",
    "[::1",
    "0177.0.0.1",
    "straße.example",
    "ｄocs.example",
    "docs%2eexample",
    "docs\\example",
  ])("refuses the host %j", (text) => {
    expect(parseHost(text)).toEqual(expect.any(String));
    const { error: fault } = compileDeclared(
      { value: { hosts: ["a", text] } },
      { dialect: "policy" },
    );
    expect(fault).toMatchObject({ code: "metaschema", path: "/hosts/1" });
  });

  const compiled = compileDeclared(
    { value: { properties: { url: { hosts: { names: LISTED, schemes: ["HTTPS"] } } } } },
    { dialect: "policy" },
  );

  it.each([
    ['"https://docs.example/"', []],
    ['["https://docs.example/","https://a.example.org/"]', []],
    ['"http://docs.example/"', ["/url"]],
    ['["https://docs.example/","https://evil.com/",null]', ["/url/1", "/url/2"]],
    ["1", ["/url"]],
    ['{"href":"https://docs.example/"}', ["/url"]],
  ])("checks each string and rejects every other value: %s", (json, paths) => {
    const { errors } = compiled.validateText(`{"url":${json}}`);
    expect(errors.map(({ path }) => path)).toEqual(paths);
    for (const error of errors) {
      expect(error).toMatchObject({
        keyword: "hosts",
        rule: "policy",
        message:
          'must be a URL (https) of the host "docs.example", "*.example.org" or "api.example:8443"',
      });
    }
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });

  /** A name under `example.org` with this many characters. */
  const nameOf = (length: number): string =>
    `${`${"a".repeat(50)}.`
      .repeat(5)
      .slice(0, length - 12)
      .replace(/\.$/, "b")}.example.org`;

  it.each([
    ["a host of 253 characters", `http://${nameOf(MAX_HOST)}/`, true],
    ["a host of 254 characters", `http://${nameOf(MAX_HOST + 1)}/`, false],
    ["a URL of 8,192 characters", `http://docs.example/${"a".repeat(MAX_URL - 20)}`, true],
    ["a URL of 8,193 characters", `http://docs.example/${"a".repeat(MAX_URL - 19)}`, false],
  ])("has a bound: %s", (_, url, isMatch) => {
    expect(url.length).toBeLessThanOrEqual(MAX_URL + 1);
    expect(new URL(url).href).toBe(url);
    expect(isAllowed(url)).toBe(isMatch);
  });

  const MARKS = `a${"\u0301\u0323".repeat(32_000)}`;
  it.each([
    ["a host of combining marks", `http://${MARKS.slice(0, 4_000)}.docs.example/`],
    ["a longer one", `http://${MARKS}.docs.example/`],
    ["a host of characters that become 18 each", `http://${"\ufdfa".repeat(254)}.docs.example/`],
    ["labels", `http://${"é.".repeat(200)}docs.example/`],
    ["a URL of combining marks", `http://docs.example/${MARKS}`],
  ])("is decided before anything parses or normalizes the text: %s", (_, url) => {
    const parsed: unknown[] = [];
    const construct = (target: typeof URL, args: [string]): URL => {
      parsed.push(args[0]);
      return new target(...args);
    };
    vi.stubGlobal("URL", new Proxy(URL, { construct }));
    const normalize = vi.spyOn(String.prototype, "normalize");
    expect(isAllowed(url)).toBe(false);
    // Only the listed hosts are parsed, each of them once, and the long URL is not.
    expect(parsed).toHaveLength(LISTED.length);
    expect(parsed).not.toContain(url);
    expect(normalize).not.toHaveBeenCalled();
  });

  const piece = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        "docs.example",
        "example.org",
        "a.",
        "evil.com",
        "/",
        ":",
        "@",
        ".",
      ),
    },
    { weight: 2, arbitrary: fc.constantFrom("\\", "?", "#", "%2e", "%40", "80", "[", "]", "xn--") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("ü", "ß", "．", "\t", " ", "\u200b", "Σ", "1", "0x7f"),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 3, unit: "binary" }) },
  );
  const rest = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  const start = fc.constantFrom(
    "http://",
    "https://",
    "http://docs.example",
    "https://a.example.org",
    "",
  );
  const urls = fc.tuple(start, rest).map(([before, after]) => before + after);
  /** RFC 3986, appendix B. */
  const byGrammar = /^([^:/?#]+):\/\/([^/?#]*)/;

  it("matches only URLs whose host the URL Standard and RFC 3986 both find among those listed", () => {
    let matched = 0;
    fc.assert(
      fc.property(urls, (text) => {
        if (!isAllowed(text)) return;
        matched++;
        const { hostname, port, protocol, username, password } = new URL(text);
        const isName = hostname === "docs.example" || /^[^.].*\.example\.org$/.test(hostname);
        expect(isName || (hostname === "api.example" && port === "8443")).toBe(true);
        expect(`${username}${password}`).toBe("");
        expect(["http:", "https:"]).toContain(protocol);
        const [, scheme = "", authority = ""] = byGrammar.exec(text) ?? [];
        expect(`${scheme.toLowerCase()}:`).toBe(protocol);
        expect(authority).not.toContain("@");
        expect(new URL(`http://${authority.replace(/:\d+$/, "")}`).hostname).toBe(hostname);
      }),
      { numRuns: sample(5_000, 20_000) },
    );
    expect(matched).toBeGreaterThan(sample(80, 500));
  });

  it("matches a URL of any length, and a host of any length, only within the bounds", () => {
    const lengths = fc.tuple(fc.integer({ min: 14, max: 400 }), fc.integer({ min: 0, max: 9_000 }));
    fc.assert(
      fc.property(lengths, ([host, path]) => {
        const url = `http://${nameOf(host)}/${"p".repeat(path)}`;
        const isBounded = nameOf(host).length <= MAX_HOST && url.length <= MAX_URL;
        expect(new URL(url).hostname).toBe(nameOf(host));
        expect(byGrammar.exec(url)?.[2]).toBe(nameOf(host));
        expect(isAllowed(url)).toBe(isBounded);
      }),
    );
  });

  it("matches each URL of a listed host", () => {
    const path = fc.webPath();
    const labels = fc.array(fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,8}[a-z0-9])?$/), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(labels, path, (names, after) => {
        const name = names.join(".");
        if (name.includes("xn--")) return;
        expect(isAllowed(`https://${name}.example.org${after}`)).toBe(true);
      }),
    );
  });
});
