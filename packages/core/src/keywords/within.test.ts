import { posix, win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileDeclared } from "../compile.ts";
import { sample } from "../testing/sample.ts";
import { type AllowedFolder, isWithinFolders, parseFolder } from "./within.ts";

const NOTES = "/home/me/notes";
const DRIVE = "C:\\Users\\me\\notes";

function foldersOf(...texts: readonly string[]): readonly AllowedFolder[] {
  return texts.map((text) => {
    const folder = parseFolder(text);
    if (typeof folder === "string") throw new Error(folder);
    return folder;
  });
}

const FOLDERS = foldersOf(NOTES, "/srv/data", DRIVE);
const isInside = (text: string, ignoreCase = false): boolean =>
  isWithinFolders(text, { folders: FOLDERS, ignoreCase });

/**
 * Paths that lead out of the folders in some programs, by a trick. `INSIDE` has the paths that are inside for every
 * program.
 */
const ATTEMPTS: Readonly<Record<string, readonly string[]>> = {
  "is elsewhere": [
    "/",
    "/etc/passwd",
    "/home",
    "/home/me",
    "/home/me/",
    "/home/me/.ssh/id_rsa",
    "/home/other/notes/a.md",
    "/proc/self/root/home/me/notes/a.md",
    "/proc/self/environ",
    "/proc/self/cwd/a.md",
    "/dev/stdin",
    "/dev/fd/0",
    "/run/secrets/kubernetes.io/serviceaccount/token",
    "/Users/me/notes/a.md",
    "C:\\",
    "C:\\Windows\\win.ini",
    "C:/boot.ini",
    "D:\\Users\\me\\notes\\a.md",
    "c:\\users\\me\\notes\\a.md",
  ],
  // CVE-2025-53110 (server-filesystem of MCP), CVE-2022-23530, CVE-2026-27735.
  "shares a prefix": [
    "/home/me/notes-evil/a.md",
    "/home/me/notes_secret",
    "/home/me/notes.bak",
    "/home/me/notesx",
    "/home/me/notes ",
    "/home/me/notes%20",
    "/home/me/notes\u00a0/a.md",
    "/home/me/note",
    "/srv/database/a",
    "C:\\Users\\me\\notes2\\a.md",
    "C:\\Users\\me\\notes.\\a.md",
    "C:\\Users\\me\\notes \\a.md",
    "C:\\Users\\me\\notes::$INDEX_ALLOCATION\\a.md",
    "C:\\Users\\me\\NOTES~1\\a.md",
  ],
  "is relative": [
    "",
    ".",
    "..",
    "./",
    "a.md",
    "notes/a.md",
    "./home/me/notes/a.md",
    "home/me/notes/a.md",
    "../../../../etc/passwd",
    "..\\..\\..\\Windows\\win.ini",
    "\\home\\me\\notes\\a.md",
    "\\Users\\me\\notes\\a.md",
    " /home/me/notes/a.md",
    "\u00a0/home/me/notes/a.md",
    "\ufeff/home/me/notes/a.md",
    "\u200b/home/me/notes/a.md",
    "C:Users\\me\\notes\\a.md",
    "C:",
    "C:a.md",
    ":C:\\Users\\me\\notes\\a.md",
    "'/home/me/notes/a.md'",
    '"/home/me/notes/a.md"',
    "%2fhome/me/notes/a.md",
    "%2Fhome%2Fme%2Fnotes%2Fa.md",
  ],
  "begins with a tilde or a variable": [
    "~",
    "~/notes/a.md",
    "~/../me/notes/a.md",
    "~me/notes/a.md",
    "~root/.ssh/id_rsa",
    "~+/a.md",
    "$HOME/notes/a.md",
    `$\{HOME}/notes/a.md`,
    "%USERPROFILE%\\notes\\a.md",
    "$(pwd)/a.md",
  ],
  "climbs out": [
    "/home/me/notes/..",
    "/home/me/notes/../",
    "/home/me/notes/../.ssh/id_rsa",
    "/home/me/notes/../../../etc/passwd",
    "/home/me/notes/../../../../../../../../etc/passwd",
    "/home/me/notes/a/../../../../etc/passwd",
    "/home/me/notes/./../.ssh/id_rsa",
    "/home/me/notes/.//../.ssh/id_rsa",
    "/home/me/notes//../.ssh/id_rsa",
    "/home/me/notes/a/..//../.ssh/id_rsa",
    "/home/me/notes/../notes2/a.md",
    "/home/me/notes/../notes/../.ssh/id_rsa",
    "/home/me/notes/sub/.././../.ssh",
    "/srv/data/../../etc/passwd",
    "C:\\Users\\me\\notes\\..\\secret.txt",
    "C:\\Users\\me\\notes\\..\\..\\..\\Windows\\win.ini",
    "C:/Users/me/notes/../../../Windows/win.ini",
    "C:\\Users\\me\\notes\\a\\..\\..\\secret.txt",
    "C:\\..\\..\\Windows\\win.ini",
  ],
  "mixes separators": [
    "/home/me/notes/..\\..\\..\\etc\\passwd",
    "/home/me/notes\\..\\.ssh\\id_rsa",
    "/home/me/notes/..\\/..\\/etc/passwd",
    "/home/me/notes/a\\b/../../.ssh/id_rsa",
    "/home/me/notes/a\\..\\..\\.ssh",
    "/home/me/notes\\a.md",
    "/home\\me\\notes\\a.md",
    "C:/Users\\me/notes\\../secret.txt",
    "C:\\Users/me\\notes/..\\..\\x",
    "/home/me/notes/x\\..\\../.ssh",
  ],
  // OWASP "Path Traversal", CAPEC-64, CVE-2021-41773.
  encodes: [
    "/home/me/notes/%2e%2e/.ssh/id_rsa",
    "/home/me/notes/%2E%2E/.ssh/id_rsa",
    "/home/me/notes/%2e./.ssh/id_rsa",
    "/home/me/notes/.%2e/.ssh/id_rsa",
    "/home/me/notes/..%2f.ssh/id_rsa",
    "/home/me/notes/..%2F..%2F..%2Fetc%2Fpasswd",
    "/home/me/notes/%2e%2e%2f%2e%2e%2fetc/passwd",
    "/home/me/notes/..%5c..%5c..%5cetc%5cpasswd",
    "/home/me/notes/%2e%2e%5c%2e%2e%5cetc",
    "/home/me/notes%2f..%2f.ssh",
    "/home/me/notes%2f%2e%2e%2f.ssh",
    "/home/me/notes/a%2f..%2f..%2f.ssh",
    "/home/me/notes/a%2fb/../../.ssh",
    "/home/me/notes/a%2fb/%2e%2e/%2e%2e/.ssh",
    "/home/me/notes/a%2fb/../%2e%2e/x",
    "/home/me/notes/a%5cb/../../.ssh",
    "/home/me/note%73/a.md",
    "/home/me%2fnotes/a.md",
    "/%68ome/me/notes/a.md",
    "C:%5cUsers%5cme%5cnotes%5ca.md",
    "C%3A\\Users\\me\\notes\\a.md",
    "C:\\Users\\me\\notes\\%2e%2e\\secret.txt",
    "C:\\Users\\me\\notes\\..%5csecret.txt",
    "C:\\Users\\me\\notes\\a%2f..%2f..%2fsecret.txt",
  ],
  // CVE-2018-1271, CVE-2024-38819.
  "encodes twice": [
    "/home/me/notes/%252e%252e/.ssh/id_rsa",
    "/home/me/notes/%252e%252e%252f.ssh",
    "/home/me/notes/..%252f.ssh",
    "/home/me/notes/..%255c.ssh",
    "/home/me/notes/%25252e%25252e/.ssh",
    "/home/me/notes/%%32%65%%32%65/.ssh",
    "/home/me/notes/%25%32%65%25%32%65%25%32%66.ssh",
    "/home/me/notes/%2525",
    "/home/me/notes/a%2561.md",
    "file:///home/me/notes/%252e%252e/.ssh",
  ],
  "encodes in another way": [
    "/home/me/notes/%c0%ae%c0%ae/.ssh",
    "/home/me/notes/%c0%ae%c0%ae%c0%af.ssh",
    "/home/me/notes/..%c0%af.ssh",
    "/home/me/notes/..%c1%9c.ssh",
    "/home/me/notes/..%e0%80%af.ssh",
    "/home/me/notes/..%f0%80%80%af.ssh",
    "/home/me/notes/..%f8%80%80%80%af.ssh",
    "/home/me/notes/%c0%2e%c0%2e/.ssh",
    "/home/me/notes/..%c0%2f.ssh",
    "/home/me/notes/%u002e%u002e/.ssh",
    "/home/me/notes/..%u2215.ssh",
    "/home/me/notes/..%u2216.ssh",
    "/home/me/notes/%uff0e%uff0e%u2215.ssh",
    "/home/me/notes/..%bg%qf.ssh/%ff",
    "/home/me/notes/%ff",
    "/home/me/notes/%ed%a0%80",
  ],
  "looks like a separator or a dot": [
    "/home/me/notes/\uff0e\uff0e/.ssh",
    "/home/me/notes/..\uff0f.ssh",
    "/home/me/notes/..\u2215.ssh",
    "/home/me/notes/..\u2044.ssh",
    "/home/me/notes/..\u29f8.ssh",
    "/home/me/notes/..\uff3c.ssh",
    "/home/me/notes/..\u2216.ssh",
    "/home/me/notes/..\ufe68.ssh",
    "/home/me/notes/..\u00a5.ssh",
    "/home/me/notes/..\u20a9.ssh",
    "/home/me/notes/\u2025/.ssh",
    "/home/me/notes/\u2024\u2024/.ssh",
    "/home/me/notes/\ufe30/.ssh",
    "/home/me/notes/\u2026/.ssh",
    "/home/me/notes/\u3002\u3002/.ssh",
    "/home/me/notes/\uff61\uff61/.ssh",
    "/home/me/notes/\ufe52\ufe52/.ssh",
    "/home/me/notes/.\u200b./.ssh",
    "/home/me/notes/.\u200d./.ssh",
    "/home/me/notes/.\u00ad./.ssh",
    "/home/me/notes/..\u2060/.ssh",
    "/home/me/notes/\u202e../.ssh",
    "/home/me/notes/%ef%bc%8e%ef%bc%8e/.ssh",
    "/home/me/notes/..%ef%bc%8f.ssh",
    "/home/me/notes/a\uff0fb/../../.ssh",
    "/home/me\uff0fnotes/a.md",
    "C:\\Users\\me\\notes\\..\u2215secret.txt",
  ],
  "cuts the text": [
    "/home/me/notes/a.md\0",
    "/home/me/notes/\0/../../.ssh",
    "/etc/passwd\0/home/me/notes/a.md",
    "/home/me/notes/../.ssh/id_rsa\0.md",
    "/home/me/notes/..\0/.ssh",
    "/home/me/notes/a.md%00",
    "/home/me/notes/..%00/.ssh/id_rsa",
    "/home/me/notes/%00../.ssh",
    "/home/me/notes/a\nb",
    "/home/me/notes/.\t./.ssh",
    "/home/me/notes/.\r\n./.ssh",
    "/home/me/notes/..%0a/.ssh",
    "/home/me/notes/..%0d%0a/.ssh",
    "/home/me/notes/a\u007f",
    "/home/me/notes/a\u0085",
    "/home/me/notes/a\ud800",
    "C:\\Users\\me\\notes\\a.md\0.txt",
  ],
  "is trimmed, or loses a parameter": [
    "/home/me/notes/.. /.ssh",
    "/home/me/notes/ ../.ssh",
    "/home/me/notes/. ./.ssh",
    "/home/me/notes/.../.ssh",
    "/home/me/notes/..../.ssh",
    "/home/me/notes/....//.ssh",
    "/home/me/notes/....\\/.ssh",
    "/home/me/notes/..././.ssh",
    "/home/me/notes/.../...//.ssh",
    "/home/me/notes/ /../.ssh",
    "/home/me/notes/..;/.ssh",
    "/home/me/notes/..;a=b/.ssh",
    "/home/me/notes/..%3b/.ssh",
    "/home/me/notes/..?/.ssh",
    "/home/me/notes/..#/.ssh",
    "/home/me/notes/..%3f/.ssh",
    "/home/me/notes/..%23/.ssh",
    "/home/me/notes/..:x/.ssh",
    "/home/me/notes/..\u3000/.ssh",
    "/home/me/notes/..%20/.ssh",
    "C:\\Users\\me\\notes\\.. \\secret.txt",
    "C:\\Users\\me\\notes\\...\\secret.txt",
    "C:\\Users\\me\\notes\\a.\\b",
    "C:\\Users\\me\\notes\\a.md ",
    "C:\\Users\\me\\notes\\a.md.",
    "C:\\Users\\me\\notes\\a.md%20",
  ],
  "names another computer or a device": [
    "//host/share/a.md",
    "//home/me/notes/a.md",
    "///home/me/notes/a.md",
    "/\\home/me/notes/a.md",
    "\\/home/me/notes/a.md",
    "\\\\host\\share\\a.md",
    "\\\\localhost\\c$\\Users\\me\\notes\\a.md",
    "\\\\127.0.0.1\\c$\\windows\\win.ini",
    "\\\\?\\C:\\Users\\me\\notes\\a.md",
    "\\\\?\\UNC\\host\\share",
    "\\\\.\\C:\\Users\\me\\notes\\a.md",
    "\\\\.\\PhysicalDrive0",
    "\\\\.\\pipe\\name",
    "//?/C:/Users/me/notes/a.md",
    "//./C:/Users/me/notes/a.md",
    "\\??\\C:\\Users\\me\\notes\\a.md",
    "\\Device\\HarddiskVolume1\\Users\\me\\notes\\a.md",
    "\\\\?\\GLOBALROOT\\Device\\HarddiskVolume1\\a.md",
    "\\\\?\\Volume{b75e2c83-0000-0000-0000-602f00000000}\\a.md",
    "\\\\wsl$\\Ubuntu\\home\\me\\notes\\a.md",
    "\\\\host@SSL\\DavWWWRoot\\a.md",
    "/%2fhost/share/a.md",
    "/%5chost/share/a.md",
    // CVE-2025-27210 (Node.js).
    "C:\\Users\\me\\notes\\CON",
    "C:\\Users\\me\\notes\\CON:..\\..\\secret.txt",
    "C:\\Users\\me\\notes\\nul.txt",
    "C:\\Users\\me\\notes\\Aux.md",
    "C:\\Users\\me\\notes\\COM1",
    "C:\\Users\\me\\notes\\COM\u00b9.txt",
    "C:\\Users\\me\\notes\\LPT9 .txt",
    "C:\\Users\\me\\notes\\CONIN$",
    "C:\\Users\\me\\notes\\a.md:stream",
    "C:\\Users\\me\\notes\\a.md::$DATA",
    "C:\\Users\\me\\notes\\..::$INDEX_ALLOCATION\\x",
    "C:\\Users\\me\\notes\\C:\\Windows",
    "C:\\Users\\me\\notes\\*",
    "C:\\Users\\me\\notes\\a?.md",
    "C:\\Users\\me\\notes\\a<.md",
    'C:\\Users\\me\\notes\\""\\secret',
    "C|/Users/me/notes/a.md",
  ],
  "is a URL": [
    "file:",
    "file://",
    "file:///",
    "file:///etc/passwd",
    "file:/home/me/notes/a.md",
    "file:home/me/notes/a.md",
    "file:a.md",
    "file:////home/me/notes/a.md",
    "file://///host/share/a.md",
    "file://host/home/me/notes/a.md",
    "file://127.0.0.1/home/me/notes/a.md",
    "file://localhost:80/home/me/notes/a.md",
    "file://me@localhost/home/me/notes/a.md",
    "file://localhost%2f/home/me/notes/a.md",
    "file:\\\\\\home\\me\\notes\\a.md",
    "file:///home/me/notes/../.ssh",
    "file:///home/me/notes/%2e%2e/.ssh",
    "file:///home/me/notes/..%2f.ssh",
    "file:///home/me/notes/..\\.ssh",
    "file:///home/me/notes/.\t./.ssh",
    "file:///home/me/notes/a%2fb/../../.ssh",
    "file:///home/me/notes/a%2fb/%2e%2e/%2e%2e/.ssh",
    "file:///home/me/notes/a.md?/../../.ssh",
    "file:///home/me/notes/a.md#/../../.ssh",
    "file:///home/me/notes?",
    "file:///home/me/notes-evil",
    "file:///home/me/notes/a%00.md",
    "file:///C:/Windows/win.ini",
    "file:///C:/Users/me/notes/../secret.txt",
    "file:///C|/Users/me/notes/a.md",
    "file:///C%3A/Users/me/notes/a.md",
    "file://C:/Users/me/notes/a.md",
    "file:C:/Users/me/notes/a.md",
    "file:///C:Users/me/notes/a.md",
    "%66ile:///home/me/notes/a.md",
    "url:file:///home/me/notes/a.md",
    "view-source:file:///home/me/notes/a.md",
    "http://home/me/notes/a.md",
    "https://localhost/home/me/notes/a.md",
    "ftp:///home/me/notes/a.md",
    "data:text/plain,/home/me/notes/a.md",
    "vscode-file://vscode-app/home/me/notes/a.md",
    "jar:file:///home/me/notes/a.jar!/../../x",
    "/file:///home/me/notes/a.md",
  ],
  "is too long": [`/home/me/notes/${"a/".repeat(20_000)}`],
};

const INSIDE: readonly string[] = [
  NOTES,
  `${NOTES}/`,
  `${NOTES}/a.md`,
  `${NOTES}/sub/deep/a.md`,
  `${NOTES}//a.md`,
  `${NOTES}/./a.md`,
  `${NOTES}/sub/../a.md`,
  `${NOTES}/sub/..`,
  "/home/me/../me/notes/a.md",
  "/home/./me//notes/a.md",
  "/../home/me/notes/a.md",
  "/srv/data/x",
  `${NOTES}/two words.md`,
  `${NOTES}/..hidden`,
  `${NOTES}/.hidden`,
  `${NOTES}/a..b`,
  `${NOTES}/wait...`,
  `${NOTES}/.#lock`,
  `${NOTES}/100%.md`,
  `${NOTES}/100%25.md`,
  `${NOTES}/a%20b.md`,
  `${NOTES}/%61.md`,
  `${NOTES}/sub/%2e%2e/a.md`,
  `${NOTES}/a%2fb.md`,
  `${NOTES}/a\\b.md`,
  `${NOTES}/12:30.md`,
  `${NOTES}/~/a.md`,
  `${NOTES}/con`,
  `${NOTES}/$HOME.md`,
  `${NOTES}/a*?.md`,
  `${NOTES}/josé.md`,
  `${NOTES}/jose\u0301.md`,
  `${NOTES}/日本.md`,
  `${NOTES}/👩\u200d🔬.md`,
  `${NOTES}/to be continued….md`,
  `${NOTES}/½ cup.md`,
  "file:///home/me/notes",
  "file:///home/me/notes/a.md",
  "FILE:///home/me/notes/a.md",
  "file://localhost/home/me/notes/a.md",
  "file:///home/me/no%74es/a%20b.md",
  "file:///home/me/notes/sub/../a.md",
  "file:///home/me/notes/jos%c3%a9.md",
  DRIVE,
  `${DRIVE}\\a.md`,
  "c:\\Users\\me\\notes\\a.md",
  "C:/Users/me/notes/a.md",
  "C:\\Users/me\\notes/sub/..\\a.md",
  "C:\\\\Users\\me\\notes\\a.md",
  "file:///C:/Users/me/notes/a.md",
  "file:///c:/Users/me/notes/a%20b.md",
];

describe("within", () => {
  const attempts = Object.entries(ATTEMPTS).flatMap(([trick, texts]) =>
    texts.map((text) => [trick, text] as const),
  );

  it("has more than 300 attempts to leave a folder", () => {
    expect(new Set(attempts.map(([, text]) => text)).size).toBeGreaterThan(300);
  });

  it.each(attempts)("does not match a text that %s: %j", (_trick, text) => {
    expect(isInside(text)).toBe(false);
  });

  it.each(INSIDE)("matches %j", (text) => {
    expect(isInside(text)).toBe(true);
  });

  it.each([
    ["c:\\users\\ME\\Notes\\a.md", true],
    ["file:///C:/USERS/me/notes/a.md", true],
    ["C:\\Users\\me\\notes\\..\\NOTES\\a.md", true],
    ["/HOME/me/notes/a.md", false],
    ["/home/me/Notes/a.md", false],
    ["C:\\Users\\me\\note\u017f\\a.md", false],
    ["D:\\Users\\me\\notes\\a.md", false],
  ])("ignores case only in paths with a drive letter: %j", (text, isMatch) => {
    expect(isInside(text, true)).toBe(isMatch);
    if (isMatch) expect(isInside(text)).toBe(false);
  });

  it("ignores the case of ASCII letters only", () => {
    const folders = foldersOf("C:\\Kelvin");
    expect(isWithinFolders("C:\\\u212aelvin\\a", { folders, ignoreCase: true })).toBe(false);
    expect(isWithinFolders("C:\\kELVIN\\a", { folders, ignoreCase: true })).toBe(true);
  });

  it.each(["/", "C:\\"])(
    "for the folder %j, matches every absolute path of the same system",
    (root) => {
      const folders = foldersOf(root);
      const inside = root === "/" ? "/etc/../x" : "C:/x/../y";
      const outside = root === "/" ? "C:\\x" : "/x";
      expect(isWithinFolders(inside, { folders, ignoreCase: false })).toBe(true);
      expect(isWithinFolders(outside, { folders, ignoreCase: false })).toBe(false);
    },
  );

  it.each([
    ["", /absolute path/],
    ["notes", /absolute path/],
    ["~/notes", /\$\{HOME\}/],
    ["/home/me/notes/%20", /programs read/],
    ["\\\\host\\share", /absolute path/],
    ["//host/share", /absolute path/],
    ["file:///home", /absolute path/],
    ["C:", /absolute path/],
    ["C:\\notes.", /programs read/],
    ["/notes/../..\\x", /programs read/],
    ["/a\0b", /absolute path/],
  ])("refuses the folder %j", (text, why) => {
    expect(parseFolder(text)).toMatch(why);
    const { error: fault } = compileDeclared({ value: { within: [text] } }, { dialect: "policy" });
    expect(fault).toMatchObject({ code: "metaschema", path: "/within/0" });
  });

  it.each([
    ["/home/me//notes/", ["home", "me", "notes"]],
    ["/home/you/../me", ["home", "me"]],
    ["c:/Users", ["Users"]],
  ])("normalizes the folder %j", (text, names) => {
    expect(parseFolder(text)).toMatchObject({ names });
  });

  const compiled = compileDeclared(
    { value: { properties: { path: { within: [NOTES, "/srv/data"] } } } },
    { dialect: "policy" },
  );

  it.each([
    ['"/home/me/notes/a"', []],
    ['["/home/me/notes/a","/srv/data/b"]', []],
    ["[]", []],
    ['"/etc"', ["/path"]],
    ['["/home/me/notes/a","/etc","x"]', ["/path/1", "/path/2"]],
    ['["/home/me/notes/a",1]', ["/path/1"]],
    ['[["/home/me/notes/a"]]', ["/path/0"]],
    ["null", ["/path"]],
    ["1", ["/path"]],
    ["true", ["/path"]],
    ['{"a":"/home/me/notes/a"}', ["/path"]],
  ])("checks each string and rejects every other value: %s", (json, paths) => {
    const { errors, valid } = compiled.validateText(`{"path":${json}}`);
    expect(errors.map(({ path }) => path)).toEqual(paths);
    expect(valid).toBe(paths.length === 0);
    for (const error of errors) {
      expect(error).toMatchObject({
        keyword: "within",
        rule: "policy",
        message: 'must be an absolute path inside "/home/me/notes" or "/srv/data"',
      });
    }
  });

  // Separators, dots, encoded characters, names of the folders, and arbitrary text.
  const piece = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom("/", "\\", "..", ".", "home", "me", "notes", "a", "C:"),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom("%2e", "%2f", "%5c", "%25", "%", "%61", " ", "~", ";"),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom("\uff0e", "\u2215", "\u2026", "\u200b", "\0", ":", "?"),
    },
    { weight: 1, arbitrary: fc.string({ maxLength: 3, unit: "binary" }) },
  );
  const tail = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const start = fc.constantFrom(
    "",
    `${NOTES}/`,
    `${NOTES}`,
    "/",
    `${DRIVE}\\`,
    "file:///home/me/notes/",
  );
  const texts = fc.tuple(start, tail).map(([before, after]) => before + after);

  const isInPosix = (path: string): boolean => {
    const normal = `${posix.normalize(path)}/`;
    return [NOTES, "/srv/data"].some((folder) => normal.startsWith(`${folder}/`));
  };
  const isInWindows = (path: string): boolean => {
    const normal = `${win32.normalize(path)}\\`.replace(/^c:/, "C:");
    return [DRIVE, "\\home\\me\\notes", "\\srv\\data"].some((folder) =>
      normal.startsWith(`${folder}\\`),
    );
  };
  const decode = (text: string): string =>
    text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => decodeURIComponent(run));

  it("matches only paths that Node finds inside, in any order of decoding and normalizing", () => {
    let matched = 0;
    fc.assert(
      fc.property(texts, (text) => {
        if (!isInside(text)) return;
        matched++;
        if (text.startsWith("file:")) {
          const { pathname } = new URL(text);
          expect(isInPosix(decode(pathname))).toBe(true);
          expect(isInPosix(decode(text.slice("file://".length)))).toBe(true);
          return;
        }
        const once = decode(text);
        const readings = [text, once, text.normalize("NFKC"), once.normalize("NFKC")];
        for (const reading of [...readings, decode(win32.normalize(text))]) {
          expect(isInWindows(reading)).toBe(true);
        }
        if (/^[a-z]:/i.test(text)) return;
        for (const reading of [...readings, decode(posix.normalize(text))]) {
          expect(isInPosix(reading)).toBe(true);
        }
      }),
      { numRuns: sample(5_000, 20_000) },
    );
    expect(matched).toBeGreaterThan(sample(80, 500));
  });

  it("matches each path inside that consists of plain names", () => {
    const name = fc.string({
      minLength: 1,
      maxLength: 8,
      unit: fc.constantFrom(..."abcXYZ019_-é"),
    });
    fc.assert(
      fc.property(fc.array(name), (names) => {
        expect(isInside([NOTES, ...names].join("/"))).toBe(true);
        expect(isInside([DRIVE, ...names].join("\\"))).toBe(true);
        expect(isInside(new URL([`file://${NOTES}`, ...names].join("/")).href)).toBe(true);
      }),
    );
  });
});
