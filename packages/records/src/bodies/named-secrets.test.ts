import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { long } from "../../../core/src/testing/sample.ts";
import { redactNamedSecrets } from "./named-secrets.ts";

const R = "[redacted]";

describe("redactNamedSecrets", () => {
  it.each([
    ["password=hunter2", `password=${R}`, 1],
    ["login with password=correcthorse, then go", `login with password=${R}, then go`, 1],
    ["token: abc123def", `token: ${R}`, 1],
    ["OAUTH2_TOKEN: abc123def", `OAUTH2_TOKEN: ${R}`, 1],
    ["X-Api-Key: 0123456789", `X-Api-Key: ${R}`, 1],
    ["Authorization: Bearer abcdef123456==", `Authorization: ${R}`, 1],
    ["Authorization: Token-9f8e", `Authorization: ${R}`, 1],
    [
      "https://x.example/a?access_token=aaaa-bbbb&b=1",
      `https://x.example/a?access_token=${R}&b=1`,
      1,
    ],
    ['{"password":"a b c","city":"Oslo"}', `{"password":"${R}","city":"Oslo"}`, 1],
    ["{'client_secret': 'x'}", `{'client_secret': '${R}'}`, 1],
    ["DB_PASSWORD='pass word'\nDB_USER=me", `DB_PASSWORD='${R}'\nDB_USER=me`, 1],
    ["pin=1234 otp=9999", `pin=${R} otp=${R}`, 2],
    ["secret = s3cr3t!", `secret = ${R}`, 1],
    ['password="a b', `password="${R}`, 1],
    ["password='a b\"\nc", `password='${R}\nc`, 1],
    [String.raw`{"password":"a\"b c","city":"Oslo"}`, `{"password":"${R}","city":"Oslo"}`, 1],
    [String.raw`{\"password\":\"a b\",\"x\":1}`, String.raw`{\"password\":\"${R}\",\"x\":1}`, 1],
    [String.raw`\\"pin\\": \\"1\\", x`, String.raw`\\"pin\\": \\"${R}\\", x`, 1],
    ["psql --password hunter2 -h db", `psql --password ${R} -h db`, 1],
    ["tool --api-key=abc --verbose", `tool --api-key=${R} --verbose`, 1],
    ['tool --token "a b" c', `tool --token "${R}" c`, 1],
    ["curl -u me:hunter2 https://x.example", `curl -u ${R} https://x.example`, 1],
    ["curl --user=me:hunter2 x", `curl --user=${R} x`, 1],
    ["password: hunter\nuser: me", `password: ${R}\nuser: me`, 1],
    ["the API key: 12345abcdef", `the API key: ${R}`, 1],
    ["cvv=123", `cvv=${R}`, 1],
    ['password="Bearer abcdef123456 more"', `password="${R}"`, 2],
    ["see sk-proj-abcdefghijklmnop1234", `see ${R}`, 1],
    [
      "DB_PASS=hunter2 smtpPass=hunter3 MYSQL_PWD=a",
      `DB_PASS=${R} smtpPass=${R} MYSQL_PWD=${R}`,
      3,
    ],
    ["password => 'a b', token := x", `password => '${R}', token := ${R}`, 2],
    [
      "?next=%3Ftoken%3Dabc&x=%7B%22password%22%3A%22a%22%7D",
      `?next=%3Ftoken%3D${R}&x=%7B%22password%22%3A${R}`,
      2,
    ],
    ["<a><password>a b</password></a>", `<a><password>${R}</password></a>`, 1],
    ["CREATE USER x WITH PASSWORD 'a b'", `CREATE USER x WITH PASSWORD '${R}'`, 1],
    ["IDENTIFIED BY 'a'; --password:b", `IDENTIFIED BY '${R}'; --password:${R}`, 2],
    ["Authorization: Token abc", `Authorization: ${R}`, 1],
    ["curl -H 'Authorization: Token abc def' x", `curl -H 'Authorization: ${R}' x`, 1],
    ["Cookie: sid=a; other=b\r\nHost: x", `Cookie: ${R}\r\nHost: x`, 1],
    ['Authorization: Digest a="b", response="c"', `Authorization: ${R}`, 1],
    ["curl --proxy-user me:a -ume:b x", `curl --proxy-user ${R} -u${R} x`, 2],
    ["mysql -uroot -phunter2 db", `mysql -uroot -p${R} db`, 1],
    ["docker login -u me -p hunter2 x", `docker login -u me -p ${R} x`, 1],
    [
      "sshpass -phunter2 ssh; redis-cli -h x -a hunter3",
      `sshpass -p${R} ssh; redis-cli -h x -a ${R}`,
      2,
    ],
    ["tool --token \\\n  abc", `tool --token \\\n  ${R}`, 1],
    ["export TOKEN=$'a b' PASSWORD=a\\ b x", `export TOKEN=$'${R}' PASSWORD=${R} x`, 2],
    ["https://me:p@ss@x/", `https://${R}@x/`, 1],
    ["postgres://me:p/a#b?@x/d", `postgres://${R}@x/d`, 1],
    [String.raw`https:\/\/me:p@x`, String.raw`https:\/\/${R}@x`, 1],
    ["https%3A%2F%2Fme%3Ap%40x", `https%3A%2F%2F${R}%40x`, 1],
    ["me:p@tcp(x:3306)/d", `me${R}@tcp(x:3306)/d`, 1],
    ["https://x/?a=1&X-Amz-Signature=abcdef0123", `https://x/?a=1&X-Amz-Signature=${R}`, 1],
    ["Bearer\tabcdef12345, Bearer%20abcdef12345", `${R}, ${R}`, 2],
  ])("redacts the secret in %j", (text, kept, redactions) => {
    expect(redactNamedSecrets(text)).toEqual({ text: kept, redactions });
  });

  it.each(["", '"', "'"])("redacts all of a long value in quotes %j", (quote) => {
    const long = "x1".repeat(1_000_000);
    const text = `password=${quote}${long}${quote} city=Oslo`;
    expect(redactNamedSecrets(text).text).toBe(`password=${quote}${R}${quote} city=Oslo`);
  });

  it.each([
    "token: the one that you were given",
    "Tests pass: all of them",
    "password=true and token=null",
    "max_tokens=1024",
    "city=Bergen; author: someone-1",
    "not json, password: x",
    "password=",
    'password=""',
    "a password is 12 characters",
    "tokens: 12345",
    "sort --key 3 --user me",
    "cmd --password --verbose",
    "the key: 12345abcdef",
    "bypass=1 compass=north",
    "https://x.example:8080/a/@scope",
    "mkdir -p a && docker run -p 80:80 x",
    "<b>text</b>",
  ])("leaves %j unchanged", (text) => {
    expect(redactNamedSecrets(text)).toEqual({ text, redactions: 0 });
  });

  it("finds nothing on a second pass, and changes no other text", () => {
    const piece = fc.constantFrom(
      "password",
      "token",
      "=",
      ": ",
      '"',
      "'",
      " ",
      "x1y2z3",
      "\n",
      "a",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const { text, redactions } = redactNamedSecrets(pieces.join(""));
        if (redactions === 0) expect(text).toBe(pieces.join(""));
        expect(redactNamedSecrets(text)).toEqual({ text, redactions: 0 });
      }),
    );
  });

  it("runs in time linear in the text", long, () => {
    for (const part of [
      "a",
      "a.",
      "token=",
      'token="',
      "token='\"",
      "token: ",
      "=",
      "'",
      "--a ",
      "--token ",
      "api key: ",
      'password="\\',
      'password=\\"',
      "eyJaaaaaaaa-",
      "eyJaaaaaaaa.",
      "eyJaaaaaaaa.eyJaaaa-",
      ".eyJaaaa.",
      "\\neyJaaaaaaaa.",
      "\\nsk-",
      "-a=",
      "--user=",
      "-ua:",
      "mysql -p",
      "login -p ",
      "<password>",
      "://a:",
      "%3A%2F%2Fa%3A",
      "a:b@tcp",
      "'Cookie: x",
      "'Cookie: x'",
      '"Cookie: x"',
      "\\\n",
    ]) {
      expect(redactNamedSecrets(part.repeat(200_000)).text.length).toBeGreaterThan(0);
    }
  });
});
