import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig } from "vite";
import { buildSettings } from "./src/build/settings.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

// The files are in the package that serves them, so that they are published with it.
const settings = buildSettings(path("src/main.tsx"), path("../http/dist/console"));

export default defineConfig(mergeConfig(settings, { root: path(".") }));
