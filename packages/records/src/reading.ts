export * from "./bookmark.ts";
export * from "./cursor.ts";
export * from "./export/ecs.ts";
export * from "./follow.ts";
export * from "./page-size.ts";
export * from "./place.ts";
