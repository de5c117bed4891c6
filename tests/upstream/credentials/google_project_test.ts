/** The Google Cloud project of providers that name none. */

import { assertEquals, assertMatch } from "@std/assert";
import { loadConfigWithSnapshot, loadSnapshot } from "../../../src/config/snapshot.ts";
import { adapters } from "../../../src/providers/registry.ts";
import {
  findAmbient,
  type HasMetadata,
  type MetadataService,
} from "../../../src/upstream/credentials/find_ambient.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { depsFor, envOf, imitateService } from "../../support/imitated_service.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { serviceAccount } from "../../support/service_account.ts";

const FLAVOR = { "metadata-flavor": "Google" };
const ADC = { GOOGLE_APPLICATION_CREDENTIALS: "/adc.json" };
const NAMED = { GOOGLE_CLOUD_PROJECT: "of-the-environment" };
const USER = {
  ...{ type: "authorized_user", client_id: "i", client_secret: "s", refresh_token: "r" },
};
const CHAT = { model: "gemini-3-flash", messages: [{ role: "user", content: "Hi" }] };

interface Case {
  readonly entry?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, unknown>>;
  readonly hasMetadata?: HasMetadata;
}

function load({ entry, env = {}, files = {}, hasMetadata = () => undefined }: Case) {
  const texts = new Map(
    Object.entries(files).map(([path, content]) => [path, JSON.stringify(content)]),
  );
  const sources = {
    env: envOf(env),
    readFile(path: string) {
      const text = texts.get(path);
      if (text === undefined) throw new Deno.errors.NotFound(path);
      return text;
    },
  };
  const providers = { p: { kind: "vertex", models: [CHAT.model], ...entry } };
  const server = { keys: [{ name: "k", key: "sk-1" }] };
  return loadConfigWithSnapshot(JSON.stringify({ server, providers }), {
    ...sources,
    source: "test",
    adapters,
    now: () => 0,
    newKey: () => "sk-generated",
    findAmbient: (search) => findAmbient(search, sources, hasMetadata),
  });
}

/** The project and the source of the credentials, or why the provider is disabled. */
function projectOf(one: Case): readonly unknown[] {
  const { config, snapshot } = load(one);
  const { disabled: [off], providers } = config;
  if (off !== undefined) return [off.reason, off.publicReason];
  const states = [config, loadSnapshot(snapshot, adapters)].map(({ providers }) => {
    const provider = providers.get("p");
    return [provider?.settings.options.project, provider?.ambient?.source];
  });
  assertEquals(states[0], states[1], "a worker has the same project");
  assertEquals(providers.size, 1);
  return states[0] ?? [];
}

for (
  const [what, one, expected] of [
    ["its entry", { entry: { project: "own" }, env: NAMED }, [
      "own",
      "Google metadata server, if available",
    ]],
    ["its credentials", {
      entry: { credentials: "/sa.json" },
      env: NAMED,
      files: { "/sa.json": { type: "service_account", project_id: "of-the-file" } },
    }, ["of-the-file", undefined]],
    ["the environment where its credentials name none", {
      entry: { credentials: JSON.stringify(USER) },
      env: NAMED,
    }, ["of-the-environment", undefined]],
    ["the environment", {
      env: { ...ADC, ...NAMED },
      files: { "/adc.json": { type: "service_account", client_email: "a@b", project_id: "f" } },
    }, ["of-the-environment", "Google service account a@b, project of-the-environment"]],
    ["the machine's file", {
      env: ADC,
      files: { "/adc.json": { type: "service_account", client_email: "a@b", project_id: "f" } },
    }, ["f", "Google service account a@b, project f"]],
    ["a user's sign-in, which is billed", {
      env: ADC,
      files: { "/adc.json": { ...USER, quota_project_id: "billed" } },
    }, ["billed", "Google user (GOOGLE_APPLICATION_CREDENTIALS), project billed"]],
    ["the environment of a machine", { env: NAMED, hasMetadata: () => ({ project: "m" }) }, [
      "of-the-environment",
      "Google metadata server, project of-the-environment",
    ]],
    ["the metadata server", { hasMetadata: () => ({ project: "m" }) }, [
      "m",
      "Google metadata server, project m",
    ]],
    ["nothing yet", {}, ["", "Google metadata server, if available"]],
    ["nothing with an API key", { entry: { api_key: "k" }, env: NAMED }, [undefined, undefined]],
  ] satisfies readonly (readonly [string, Case, readonly unknown[]])[]
) {
  Deno.test(`the project comes from ${what}`, () => assertEquals(projectOf(one), expected));
}

for (
  const [what, one, reason] of [
    ["a user's sign-in without one", { env: ADC, files: { "/adc.json": USER } }, /\(Google user/],
    ["an invalid ID", {
      env: ADC,
      files: { "/adc.json": { ...USER, quota_project_id: "../x" } },
    }, /\(Google user/],
    ["a metadata server that tells none", { hasMetadata: () => true }, /\(Google metadata server/],
  ] satisfies readonly (readonly [string, Case, RegExp])[]
) {
  Deno.test(`${what} disables a provider that names no project`, () => {
    const [text, publicText] = projectOf(one);
    assertMatch(String(text), /^no api_key; no 'project', and the Google credentials contain none/);
    assertMatch(String(text), reason);
    assertEquals(publicText, "no api_key; no 'project', and the Google credentials contain none");
    assertMatch(String(projectOf({ ...one, entry: { project: "own" } })), /^own,/);
  });
}

Deno.test("a file that cannot be read disables a provider that needs its project", () => {
  const [text] = projectOf({ entry: { credentials: "/gone.json" } });
  assertEquals(text, "no api_key; the file that 'credentials' names cannot be read");
});

/** The service that a provider without project asks. */
function metadataServiceAt(host: string): MetadataService {
  const asked: MetadataService[] = [];
  load({
    env: { GCE_METADATA_HOST: host },
    hasMetadata: (service) => void asked.push(service),
  });
  const [service] = asked;
  if (service === undefined) throw new TypeError("no service was asked");
  return service;
}

for (
  const [what, answer, facts] of [
    ["an ID", () => new Response("gcp-1\n", { headers: FLAVOR }), { project: "gcp-1" }],
    ["garbage", () => new Response("<html>", { headers: FLAVOR }), { project: undefined }],
    ["status 404", () => new Response("", { status: 404, headers: FLAVOR }), {
      project: undefined,
    }],
    ["status 503", () => new Response("", { status: 503, headers: FLAVOR }), {
      project: undefined,
    }],
    ["an answer of another server", () => new Response("gcp-1"), true],
    ["nothing", () => undefined, true],
  ] satisfies readonly (readonly [string, () => Response | undefined, unknown])[]
) {
  Deno.test(`a metadata server exists that replies to the question for the project with ${what}`, async () => {
    await using service = imitateService(({ path }) =>
      path.endsWith("/email") ? new Response("a@b", { headers: FLAVOR }) : answer()
    );
    const clock = new ManualClock();
    const probe = metadataServiceAt(service.host).probe(depsFor(service, clock));
    await service.arrived(2);
    assertEquals(service.calls[1]?.path, "/computeMetadata/v1/project/project-id");
    assertEquals(service.calls[1]?.headers.get("metadata-flavor"), "Google");
    if (what === "nothing") clock.advance(3000);
    assertEquals(await probe, facts);
    assertEquals(clock.pending, 0);
  });
}

Deno.test("requests use the project, and fail with status 503 until it is known", async () => {
  const run = async (hasMetadata: HasMetadata) => {
    const urls: string[] = [];
    const gateway = createTestGateway({
      config: {
        providers: {
          p: { kind: "vertex", location: "europe-west4", models: [CHAT.model] },
          other: { kind: "vertex", project: "other", models: ["gemini-3-pro"] },
        },
        aliases: { chain: [CHAT.model, "gemini-3-pro"] },
      },
      hasMetadata,
      fetch(url) {
        if (url.includes("169.254")) {
          return Promise.resolve(Response.json({ access_token: "t" }, { headers: FLAVOR }));
        }
        urls.push(url);
        return Promise.resolve(Response.json({
          candidates: [{ content: { parts: [{ text: "Hi" }] }, finishReason: "STOP" }],
        }));
      },
    });
    const call = async (model: string) => {
      const response = await gateway.call("/v1/chat/completions", { ...CHAT, model });
      return { status: response.status, text: await response.text() };
    };
    return { first: await call(CHAT.model), chain: await call("chain"), urls };
  };
  const known = await run(() => ({ project: "gcp-1" }));
  assertEquals([known.first.status, known.chain.status], [200, 200]);
  assertEquals(
    known.urls[0],
    "https://europe-west4-aiplatform.googleapis.com/v1/projects/gcp-1/locations/europe-west4/" +
      "publishers/google/models/gemini-3-flash:generateContent",
  );
  const unknown = await run(() => undefined);
  assertEquals(unknown.first.status, 503);
  assertMatch(unknown.first.text, /project of provider 'p' is not known yet/);
  // A fallback chain goes on; nothing is sent for the provider whose project is unknown.
  assertEquals([unknown.chain.status, unknown.urls.length], [200, 1]);
  assertMatch(unknown.urls[0] ?? "", /\/projects\/other\//);
});

Deno.test("an inline service account names its project without other sources", () => {
  const entry = { credentials: serviceAccount().json };
  assertEquals(projectOf({ entry }), ["test-project", undefined]);
});
