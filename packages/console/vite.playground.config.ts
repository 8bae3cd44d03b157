import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { playgroundSettings } from "./src/build/settings.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

// The output goes into the package that serves it, so that it is published with that package.
export default defineConfig(
  playgroundSettings(path("src/playground"), path("../http/dist/playground")),
);
