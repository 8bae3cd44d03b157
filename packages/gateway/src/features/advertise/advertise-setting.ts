/** `policy.advertise`: whether lists of tools show what `narrow` allows. */
export const ADVERTISE = {
  type: "boolean",
  description: "Lists of tools show what narrow allows",
} as const;
