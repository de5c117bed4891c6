/** A gateway, places of files and settings files for the tests of `sluice connect`. */

import type { ClientModel, Places } from "../../../src/clients/client.ts";
import { toTarget } from "../../../src/tools/connect/connect.ts";
import type { ModelSource } from "../../../src/clients/target.ts";

const MODELS: readonly ClientModel[] = [
  {
    id: "smart",
    name: "Smart",
    contextWindow: 200_000,
    maxOutputTokens: 64_000,
    vision: true,
  },
  {
    id: "fast",
    name: "fast",
    contextWindow: 128_000,
    maxOutputTokens: undefined,
    vision: undefined,
  },
  {
    id: "@cf/meta/llama: 4",
    name: "@cf/meta/llama: 4",
    contextWindow: undefined,
    maxOutputTokens: undefined,
    vision: false,
  },
];

export const SOURCE: ModelSource = {
  models: MODELS,
  find: (id) => MODELS.find((model) => model.id === id),
};

export const TARGET = toTarget("http://127.0.0.1:8787", SOURCE, new Map());

export function placesOn(
  os: Places["os"],
  variables: Readonly<Record<string, string>> = {
    HOME: "/home/ann",
    USERPROFILE: "C:\\Users\\ann",
    APPDATA: "C:\\Users\\ann\\AppData\\Roaming",
  },
  existing: readonly string[] = [],
): Places {
  const known = new Map(Object.entries(variables));
  return { os, env: (name) => known.get(name), exists: (path) => existing.includes(path) };
}
