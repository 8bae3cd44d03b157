import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vite";
import { buildSettings } from "./src/build/settings.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

// The output goes into the package that serves it, so that it is published with that package.
const settings = buildSettings(path("src/main.tsx"), path("../http/dist/console"));

export default defineConfig(mergeConfig(settings, { root: path(".") }));
