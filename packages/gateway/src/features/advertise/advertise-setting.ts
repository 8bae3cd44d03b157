/** `policy.advertise`: whether lists of tools show what `narrow` allows. */
export const ADVERTISE = {
  type: "boolean",
  description: "Show in `tools/list` what narrow allows",
} as const;
