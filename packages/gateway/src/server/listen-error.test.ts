import { expect, it } from "vitest";
import { listenError } from "./listener.ts";

it.each([
  ["EADDRINUSE", "the port is in use. Choose another with --listen"],
  ["EACCES", "ports below 1024 need more rights. Choose another with --listen"],
  ["ENOTFOUND", "this machine has no such address"],
  ["EADDRNOTAVAIL", "this machine has no such address"],
  ["EMFILE", "as the system says it"],
])("gives advice for %s", (code, advice) => {
  const error = Object.assign(new Error("as the system says it"), { code });
  expect(listenError(error, "127.0.0.1", 80).message).toBe(
    `cannot listen on 127.0.0.1:80: ${advice}`,
  );
});

it("does not blame the port number if something else forbids listening", () => {
  const error = Object.assign(new Error("listen EACCES"), { code: "EACCES" });
  expect(listenError(error, "127.0.0.1", 7411).message).toBe(
    "cannot listen on 127.0.0.1:7411: the system does not allow it. Choose another with --listen",
  );
});
