import { expect, it } from "vitest";
import { isLoopback } from "./loopback.ts";

it("recognizes loopback addresses", () => {
  const loopback = ["127.0.0.1", "127.255.0.9", "::1", "0:0:0:0:0:0:0:1", "::0001", "LOCALHOST"];
  const other = ["0.0.0.0", "::", "::2", "1::1", "128.0.0.1", "127.0.0.1.example", "x.localhost"];
  expect(loopback.filter((host) => !isLoopback(host))).toEqual([]);
  expect(other.filter(isLoopback)).toEqual([]);
});
