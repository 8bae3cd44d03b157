import { describe, expect, it, vi } from "vitest";
import { OIDC_ERRORS } from "../../../gateway/src/server/sign-in/oidc/refusal.ts";
import { errorIn, isSignIn, takeSignInCode } from "./code.ts";
import { providerErrorText } from "./errors.ts";
import { keepReturnView, returnView, takeReturnView } from "./return-view.ts";

describe("the code of a link", () => {
  it.each([
    ["#/activity/01M8?code=abc", "abc", "#/activity/01M8"],
    [
      "#/activity?type=tool_call&code=a-b_c&live=true",
      "a-b_c",
      "#/activity?type=tool_call&live=true",
    ],
    ["#/?code=x", "x", "#/"],
  ])("is removed from %s", (hash, code, rest) => {
    const replaceState = vi.fn();
    expect(takeSignInCode({ hash }, { replaceState })).toBe(code);
    expect(replaceState.mock.calls).toEqual([[null, "", rest]]);
  });

  it.each(["", "#", "#/activity", "#/activity?type=tool_call", "#/activity/code=1"])(
    "is not found in %s, which stays unchanged",
    (hash) => {
      const replaceState = vi.fn();
      expect(takeSignInCode({ hash }, { replaceState })).toBeUndefined();
      expect(replaceState).not.toHaveBeenCalled();
    },
  );
});

describe("the address of the sign-in page", () => {
  it.each([
    ["#/sign-in", true, undefined],
    ["#/sign-in?error=OIDC_NO_ROLE", true, { code: "OIDC_NO_ROLE", provider: "" }],
    ["#/sign-in?error=A&provider=b%2F", true, { code: "A", provider: "b/" }],
    ["#/sign-in?error=", true, undefined],
    ["#/sign-in/x", false, undefined],
    ["#/servers?error=x", false, undefined],
  ])("%s", (hash, isIts, error) => {
    expect([isSignIn(hash), errorIn(hash)]).toEqual([isIts, error]);
  });

  it("has an error that is put in words, with the next step", () => {
    for (const code of Object.keys(OIDC_ERRORS)) {
      expect(providerErrorText(code)).not.toContain(code);
    }
    expect(providerErrorText("OIDC_NO_ROLE")).toMatch(/none of your groups.*auth\.oidc/);
    expect(providerErrorText("constructor")).toContain("(constructor)");
    const long = providerErrorText("x".repeat(5_000));
    expect(long.length).toBeLessThan(200);
    expect(long).toMatch(/sign in with a key/);
  });
});

describe("the view to return to", () => {
  const storage = (): Pick<Storage, "getItem" | "setItem" | "removeItem"> => {
    const kept = new Map<string, string>();
    return {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    };
  };

  it.each([
    ["", "#/"],
    ["#/sign-in?error=x", "#/"],
    ["#//evil.example", "#//evil.example"],
    ["https://evil.example/", "#/"],
    ["#/activity/01M8?status=blocked", "#/activity/01M8?status=blocked"],
    [`#/activity?q=${"x".repeat(3_000)}`, "#/activity"],
    [`#/tools/${"x".repeat(3_000)}`, "#/"],
  ])("of %s is a fragment of this page: %s", (hash, view) => {
    expect(returnView(hash)).toBe(view);
  });

  it("survives a visit of the provider, once, and one that fails", () => {
    const at = storage();
    keepReturnView("#/servers/files", () => at);
    keepReturnView("#/sign-in?error=x", () => at);
    expect(takeReturnView(() => at)).toBe("#/servers/files");
    expect(takeReturnView(() => at)).toBe("#/");
  });

  it("is the start if the browser forbids storage", () => {
    const forbidden = (): never => {
      throw new Error("forbidden");
    };
    keepReturnView("#/servers", forbidden);
    expect(takeReturnView(forbidden)).toBe("#/");
  });
});
