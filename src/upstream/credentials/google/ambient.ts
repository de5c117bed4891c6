/**
 * Google's application default credentials
 * (https://cloud.google.com/docs/authentication/application-default-credentials, 2026-11-22).
 */

import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { isText, toObject, toText } from "../../../core/json/values.ts";
import { type ServiceDeps, toForm, unusable } from "../service_request.ts";
import { externalAccountToken, externalUserToken } from "./external_account.ts";
import {
  fetchGoogleToken,
  type GoogleToken,
  impersonate,
  METADATA_HOST,
  metadataToken,
  serviceAccountToken,
  TOKEN_URL,
  toProject,
} from "./token.ts";

/** Returns the value of an environment variable. */
export type Env = (name: string) => string | undefined;

/** The location of the credentials. */
export type GoogleSource =
  /** The text of a file, or config.yaml. */
  | { readonly type: "json"; readonly text: string; readonly label: string }
  | { readonly type: "file"; readonly path: string; readonly label: string }
  | { readonly type: "metadata"; readonly host: string };

/** The variables that select the credentials. */
export const GOOGLE_VARIABLES: readonly string[] = [
  "APPDATA",
  "CLOUDSDK_CONFIG",
  "GCE_METADATA_HOST",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "GOOGLE_CLOUD_QUOTA_PROJECT",
  "HOME",
  "NO_GCE_CHECK",
];

const WELL_KNOWN_FILE = "application_default_credentials.json";

/**
 * The first configured source. The metadata server comes last; its existence is not checked here.
 *
 * @param credentials the path to a credentials file or its text, from config.yaml
 * @returns undefined if no source is configured and the metadata server is disabled
 */
export function findGoogleSource(
  credentials: unknown,
  { env, readFile }: { readonly env: Env; readonly readFile: (path: string) => string },
): GoogleSource | undefined {
  if (isText(credentials)) {
    const label = "'credentials'";
    return credentials.trimStart().startsWith("{")
      ? { type: "json", text: credentials, label }
      : { type: "file", path: credentials, label };
  }
  const path = env("GOOGLE_APPLICATION_CREDENTIALS");
  if (path !== undefined) return { type: "file", path, label: "GOOGLE_APPLICATION_CREDENTIALS" };
  const wellKnown = wellKnownFile(env);
  if (wellKnown !== undefined && isReadable(() => readFile(wellKnown))) {
    return { type: "file", path: wellKnown, label: "gcloud's application default credentials" };
  }
  if (/^(?:1|true)$/i.test(env("NO_GCE_CHECK") ?? "")) return undefined;
  return { type: "metadata", host: env("GCE_METADATA_HOST") ?? METADATA_HOST };
}

function wellKnownFile(env: Env): string | undefined {
  const [own, home, roaming] = [env("CLOUDSDK_CONFIG"), env("HOME"), env("APPDATA")];
  const folder = own ?? (home && `${home}/.config/gcloud`) ?? (roaming && `${roaming}/gcloud`);
  return folder && `${folder}/${WELL_KNOWN_FILE}`;
}

function isReadable(read: () => string): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** A description of a source for the operator. */
export function labelOf(source: GoogleSource, readFile: (path: string) => string): string {
  if (source.type === "metadata") return "Google metadata server";
  const { type, client_email: email } = readCredentials(source, readFile);
  switch (type) {
    case "service_account":
      return `Google service account ${toText(email)}`;
    case "external_account":
      return `Google workload identity federation (${source.label})`;
    case "impersonated_service_account":
      return `Google impersonated service account (${source.label})`;
    default:
      return `Google user (${source.label})`;
  }
}

/**
 * The project named by the environment or a credentials file. The file takes precedence if
 * config.yaml names it. A user's sign-in contains only the project that is billed.
 */
export function projectOf(
  source: GoogleSource,
  { env, readFile, isConfigured }: {
    readonly env: Env;
    readonly readFile: (path: string) => string;
    readonly isConfigured: boolean;
  },
): string | undefined {
  const named = toProject(env("GOOGLE_CLOUD_PROJECT") ?? env("GCLOUD_PROJECT"));
  if (source.type === "metadata" || (named !== undefined && !isConfigured)) return named;
  const { project_id: own, quota_project_id: billed } = readCredentials(source, readFile);
  return toProject(own) ?? named ?? toProject(billed);
}

/**
 * The content of a credentials file.
 *
 * @throws {GatewayError} `upstream_auth` if it cannot be used.
 */
function readCredentials(
  source: Exclude<GoogleSource, { type: "metadata" }>,
  readFile: (path: string) => string,
): JsonObject {
  const { label } = source;
  let text: string;
  try {
    text = source.type === "json" ? source.text : readFile(source.path);
  } catch (cause) {
    throw unusable(`the file that ${label} names cannot be read`, cause);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unusable(`the file that ${label} names is not JSON`, cause);
  }
  if (!isObject(value) || !KNOWN_TYPES.has(value.type)) {
    throw unusable(`${label} contains no credentials of a known type`);
  }
  return value;
}

/** The types of credentials that may impersonate a service account. */
const BASE_TYPES: ReadonlySet<unknown> = new Set([
  "service_account",
  "authorized_user",
  "external_account",
  "external_account_authorized_user",
]);
const KNOWN_TYPES: ReadonlySet<unknown> = new Set([
  ...BASE_TYPES,
  "impersonated_service_account",
]);

/**
 * Gets a token.
 *
 * @throws {GatewayError} `upstream_auth` when the credentials are invalid or rejected, or the
 * failure's kind when a service fails.
 */
export async function fetchGoogleCredentials(
  credentials: unknown,
  env: Env,
  deps: ServiceDeps,
): Promise<GoogleToken> {
  const source = findGoogleSource(credentials, { env, readFile: deps.readFile });
  if (source === undefined) throw unusable("there are no Google credentials");
  if (source.type === "metadata") return await metadataToken(source.host, deps);
  const account = readCredentials(source, deps.readFile);
  const token = await tokenOf(account, env, deps);
  const quotaProject = env("GOOGLE_CLOUD_QUOTA_PROJECT") ?? account.quota_project_id;
  return isText(quotaProject) ? { ...token, quotaProject } : token;
}

async function tokenOf(account: JsonObject, env: Env, deps: ServiceDeps): Promise<GoogleToken> {
  const { service_account_impersonation_url: url } = account;
  switch (account.type) {
    case "service_account":
      return await serviceAccountToken(account, deps);
    case "authorized_user":
      return await userToken(account, deps);
    case "external_account_authorized_user":
      return await externalUserToken(account, deps);
    case "external_account": {
      const token = await externalAccountToken(account, env, deps);
      const { token_lifetime_seconds: lifetime } = toObject(account.service_account_impersonation);
      return url === undefined ? token : await impersonate(token, { url, lifetime }, deps);
    }
    default: {
      const base = toObject(account.source_credentials);
      if (!BASE_TYPES.has(base.type)) {
        throw unusable(
          "the impersonating credentials are neither a user's nor an account's",
        );
      }
      const token = await tokenOf(base, env, deps);
      return await impersonate(token, { url, delegates: account.delegates }, deps);
    }
  }
}

/** The token for a user who has signed in with gcloud. */
async function userToken(user: JsonObject, deps: ServiceDeps): Promise<GoogleToken> {
  const { client_id, client_secret, refresh_token } = user;
  if (!isText(client_id) || !isText(client_secret) || !isText(refresh_token)) {
    throw unusable("the user's credentials lack 'client_id', 'client_secret' or 'refresh_token'");
  }
  const form = toForm({ grant_type: "refresh_token", client_id, client_secret, refresh_token });
  return await fetchGoogleToken(
    { url: TOKEN_URL, ...form },
    "the user's sign-in (run 'gcloud auth application-default login')",
    deps,
  );
}
