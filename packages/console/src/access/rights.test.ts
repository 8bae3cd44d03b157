import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { OPERATIONS, type OperationId } from "@touchstone/gateway/api";
import { describe, expect, it } from "vitest";
import { CHANGE_ROLES, type ChangeOperation } from "./rights.ts";

const SOURCES = fileURLToPath(new URL("..", import.meta.url));

/** Operations that change something but that no page offers, each with the program that uses it. */
const NOT_OFFERED: Readonly<Record<string, string>> = {
  checkCall: "agents in other languages: it checks a call, and needs the role caller",
  createSession: "the sign-in page, for everybody",
  createSignInCode: "touchstone ui, with the secret of the data directory",
  endSession: "the account menu, for everybody who is signed in",
  eraseActivity: "touchstone activity erase, and programs",
  signIn: "programs: a token for the code of a link",
  proposeEdit: "the dialog of editConfig, which opens for those who may edit",
};

const isChange = (id: OperationId): boolean => OPERATIONS[id].method !== "get";
const changes = (Object.keys(OPERATIONS) as OperationId[]).filter(isChange);

/** The sources of the pages, without tests and without the table itself. */
const pages = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"))
  .filter((name) => !/^(?:testing|api)\/|^access\/rights\.ts$/.test(name))
  .map((name) => [name, readFileSync(SOURCES + name, "utf8")] as const);

describe("every operation that changes something", () => {
  it("is offered by a page with the gateway's role for it, or is listed as not offered", () => {
    expect(changes.length).toBeGreaterThan(10);
    for (const id of changes) {
      const role = (CHANGE_ROLES as Partial<Record<OperationId, string>>)[id];
      expect([id, role === undefined, role]).toEqual([
        id,
        id in NOT_OFFERED,
        id in NOT_OFFERED ? undefined : OPERATIONS[id].access,
      ]);
    }
    expect(changes).toEqual(expect.arrayContaining(Object.keys(CHANGE_ROLES)));
  });

  it.each(Object.keys(CHANGE_ROLES) as ChangeOperation[])(
    "%s is asked for where it is named",
    (id) => {
      const naming = pages.filter(([, text]) => text.includes(`"${id}"`));
      expect(naming.length).toBeGreaterThan(0);
      const unasked = naming.filter(([, text]) => !text.includes("usePermission("));
      expect(unasked.map(([name]) => name)).toEqual([]);
      expect(naming.some(([, text]) => /\b\w+\.run\(/.test(text))).toBe(true);
    },
  );

  it("is asked for by whatever opens a dialog that sends it", () => {
    const openers = pages.filter(([, text]) => /<(?:EditDialog|ServerForm)\b/.test(text));
    expect(openers.length).toBeGreaterThan(5);
    expect(
      openers.filter(([, text]) => !text.includes("usePermission(")).map(([name]) => name),
    ).toEqual([
      // The pages that open these forms check the right first.
      "servers/server-form.tsx",
    ]);
  });

  it("is sent by a file that names it", () => {
    const senders = pages.filter(([, text]) => /\bapi\.(?:send|remove)\(/.test(text));
    const unnamed = senders.filter(([, text]) => !changes.some((id) => text.includes(`"${id}"`)));
    expect(unnamed.map(([name]) => name)).toEqual([]);
  });
});
