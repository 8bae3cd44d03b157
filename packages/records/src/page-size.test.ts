import { expect, it } from "vitest";
import { PageSize } from "./page-size.ts";

const MEBIBYTE = 1024 * 1024;

it("grows gradually if records are short", () => {
  const size = new PageSize(500);
  const sizes = Array.from({ length: 6 }, () => {
    const { next } = size;
    size.took(next, next * 600);
    return next;
  });
  expect(sizes).toEqual([50, 100, 200, 400, 500, 500]);
  expect(new PageSize(7).next).toBe(7);
});

it("shrinks if records are long, to one at least", () => {
  const size = new PageSize(500);
  size.took(50, 50 * MEBIBYTE);
  expect(size.next).toBe(8);
  size.took(1, 20 * MEBIBYTE);
  expect(size.next).toBe(1);
  size.took(0, 0);
  expect(size.next).toBe(1);
});
