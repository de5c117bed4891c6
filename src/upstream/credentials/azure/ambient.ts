/**
 * Azure's access tokens: for a client secret, a workload identity, or a managed identity
 * (https://learn.microsoft.com/azure/ai-foundry/openai/how-to/managed-identity,
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token,
 * https://learn.microsoft.com/azure/app-service/overview-managed-identity, 2026-11-22).
 */

import type { JsonObject } from "../../../core/json/object.ts";
import { isText } from "../../../core/json/values.ts";
import {
  askService,
  endAfter,
  type NetworkDeps,
  PROBE_TIMEOUT_MS,
  readObject,
  readToken,
  refusedBy,
  type ServiceAnswer,
  type ServiceDeps,
  toCode,
  toEnd,
  toForm,
  unusable,
  withoutCredentials,
} from "../service_request.ts";

/** An access token. */
export interface AzureToken {
  readonly text: string;
  /** Milliseconds since the Unix epoch, by the clock's `now()`. */
  readonly endsAt: number;
}

/** Returns the value of an environment variable. */
export type Env = (name: string) => string | undefined;

/** The location of the credentials, and how to obtain them. */
export type AzureSource =
  | {
    readonly type: "secret";
    readonly tenant: string;
    readonly client: string;
    readonly secret: string;
  }
  | {
    readonly type: "workload";
    readonly tenant: string;
    readonly client: string;
    readonly tokenFile: string;
  }
  | { readonly type: "app_service"; readonly endpoint: string; readonly header: string }
  | { readonly type: "instance" };

/** The configuration for a provider's credentials. */
export interface AzureSettings {
  /** `client_secret` in config.yaml. */
  readonly secret?: string | undefined;
  /** The provider's members: `tenant_id` and `client_id`. */
  readonly options: JsonObject;
  /** The token's resource, such as the URL of {@linkcode modelResource}. */
  readonly resource: string;
  /** The variables that select the source. */
  readonly env: Env;
}

/** The variables that select the credentials. */
export const AZURE_VARIABLES: readonly string[] = [
  "AZURE_AUTHORITY_HOST",
  "AZURE_CLIENT_ID",
  "AZURE_CLIENT_SECRET",
  "AZURE_FEDERATED_TOKEN_FILE",
  "AZURE_POD_IDENTITY_AUTHORITY_HOST",
  "AZURE_TENANT_ID",
  "IDENTITY_ENDPOINT",
  "IDENTITY_HEADER",
];

/** A description of each source type for the operator. */
export const AZURE_LABELS: Readonly<Record<AzureSource["type"], string>> = {
  secret: "Azure client secret",
  workload: "Azure workload identity",
  app_service: "Azure managed identity of the app",
  instance: "Azure managed identity of the machine",
};

const LOGIN = "Microsoft's sign-in service";
const IDENTITY = "the managed identity service";
const INSTANCE_HOST = "http://169.254.169.254";
/** The assumed lifetime of a token that does not state one, in seconds. */
const LIFETIME_S = 300;

/**
 * The first configured source. The metadata service comes last; its existence is not checked here.
 *
 * @throws {GatewayError} `upstream_auth` for a source that is selected but cannot be used
 */
export function findAzureSource(
  { secret: own, options, env }: Pick<AzureSettings, "env" | "options" | "secret">,
): AzureSource {
  const tenant = textOf(options.tenant_id) ?? env("AZURE_TENANT_ID");
  const client = textOf(options.client_id) ?? env("AZURE_CLIENT_ID");
  const secret = own ?? env("AZURE_CLIENT_SECRET");
  if (tenant !== undefined && client !== undefined) {
    if (secret !== undefined) return { type: "secret", tenant, client, secret };
    const tokenFile = env("AZURE_FEDERATED_TOKEN_FILE");
    if (tokenFile !== undefined) return { type: "workload", tenant, client, tokenFile };
  }
  if (own !== undefined) throw unusable("'client_secret' needs 'tenant_id' and 'client_id'");
  const [endpoint, header] = [env("IDENTITY_ENDPOINT"), env("IDENTITY_HEADER")];
  if (endpoint === undefined || header === undefined) return { type: "instance" };
  if (URL.parse(endpoint) === null) throw unusable("IDENTITY_ENDPOINT is not a URL");
  return { type: "app_service", endpoint, header };
}

/**
 * Gets a token.
 *
 * @throws {GatewayError} `upstream_auth` when the credentials are rejected, or the failure's kind
 * when a service fails.
 */
export async function fetchAzureToken(
  settings: AzureSettings,
  deps: ServiceDeps,
): Promise<AzureToken> {
  const { env, options, resource } = settings;
  const source = findAzureSource(settings);
  switch (source.type) {
    case "secret": {
      const { secret: client_secret, tenant } = source;
      const form = { client_id: source.client, client_secret };
      return await signIn(tenant, form, { env, resource }, "the client secret", deps);
    }
    case "workload": {
      const form = {
        client_id: source.client,
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        // Read each time: Kubernetes replaces it.
        client_assertion: readToken(source.tokenFile, "the federated token", deps),
      };
      return await signIn(source.tenant, form, { env, resource }, "the federated token", deps);
    }
    case "app_service": {
      // Here and below, AZURE_CLIENT_ID or `client_id` selects one of several identities.
      const headers = { "x-identity-header": source.header };
      const query = { "api-version": "2019-08-01", resource, ...clientOf(options, env) };
      return await askIdentity(source.endpoint, query, headers, deps);
    }
    case "instance": {
      const query = { "api-version": "2018-02-01", resource, ...clientOf(options, env) };
      return await askIdentity(instanceUrl(env), query, { metadata: "true" }, deps);
    }
  }
}

/** The address that provides tokens for the machine's identities. */
function instanceUrl(env: Env): string {
  const host = env("AZURE_POD_IDENTITY_AUTHORITY_HOST") ?? INSTANCE_HOST;
  return `${host.replace(/\/+$/, "")}/metadata/identity/oauth2/token`;
}

/**
 * Whether the machine has the metadata service, which rejects a request without a resource.
 *
 * @throws {GatewayError} when there is no answer.
 */
export async function hasInstanceIdentity(
  env: Env,
  deps: NetworkDeps,
): Promise<boolean> {
  const { status } = await askService({
    service: IDENTITY,
    url: `${instanceUrl(env)}?api-version=2018-02-01`,
    method: "GET",
    headers: { metadata: "true" },
    isLocal: true,
    timeoutMs: PROBE_TIMEOUT_MS,
  }, deps);
  if (status === 429 || status >= 500) throw refusedBy(`${IDENTITY} is unavailable`, status);
  return status === 400;
}

function clientOf({ client_id: own }: JsonObject, env: Env): Record<string, string> {
  const client = textOf(own) ?? env("AZURE_CLIENT_ID");
  return client === undefined ? {} : { client_id: client };
}

/** The resource for model tokens, in the provider's cloud. */
export function modelResource(baseUrl: string): string {
  const [, top = "com"] = /\.azure\.(us|cn)$/.exec(URL.parse(baseUrl)?.hostname ?? "") ?? [];
  return `https://cognitiveservices.azure.${top}`;
}

/** The sign-in service for the cloud that contains a resource. */
function authorityOf(resource: string): string {
  if (resource.endsWith(".cn")) return "https://login.chinacloudapi.cn";
  return /\.us$|\.usgovcloudapi\.net$/.test(resource)
    ? "https://login.microsoftonline.us"
    : "https://login.microsoftonline.com";
}

async function signIn(
  tenant: string,
  credentials: Readonly<Record<string, string>>,
  { env, resource }: { readonly env: Env; readonly resource: string },
  what: string,
  deps: ServiceDeps,
): Promise<AzureToken> {
  const authority = URL.parse(env("AZURE_AUTHORITY_HOST") ?? authorityOf(resource));
  if (authority?.protocol !== "https:") throw unusable("AZURE_AUTHORITY_HOST is not an https URL");
  if (!/^[\w.-]+$/.test(tenant)) throw unusable("the tenant is neither an ID nor a domain");
  const form = toForm({
    grant_type: "client_credentials",
    scope: `${resource}/.default`,
    ...credentials,
  });
  const url = `${authority.origin}/${tenant}/oauth2/v2.0/token`;
  const answer = await askService({ service: LOGIN, url, ...form }, deps);
  return readAzureToken(answer, { refused: `Azure refused ${what}`, service: LOGIN }, deps);
}

async function askIdentity(
  endpoint: string,
  query: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  deps: ServiceDeps,
): Promise<AzureToken> {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const answer = await askService({
    service: IDENTITY,
    url: url.href,
    method: "GET",
    headers,
    isLocal: true,
  }, deps);
  return readAzureToken(
    answer,
    { refused: "there is no such managed identity", service: IDENTITY },
    deps,
  );
}

function readAzureToken(
  { ok, status, text }: ServiceAnswer,
  { refused, service }: { readonly refused: string; readonly service: string },
  deps: ServiceDeps,
): AzureToken {
  const answer = readObject(text);
  const { access_token: token, error, error_description: description } = answer;
  if (!ok) throw refusedBy(refused, status, errorCode(error, description));
  if (typeof token !== "string" || !/^[!-~]+$/.test(token)) throw withoutCredentials(service);
  return { text: token, endsAt: endOf(answer, deps) };
}

/**
 * The expiry of a token. For an app, the response contains only the time, in seconds since the Unix
 * epoch.
 */
function endOf({ expires_in: lifetime, expires_on: time }: JsonObject, deps: ServiceDeps): number {
  const seconds = lifetime === undefined ? Number(time) : NaN;
  return seconds > 0 ? toEnd(seconds * 1000, deps) : endAfter(lifetime, LIFETIME_S, deps);
}

/** The error number in the description, otherwise the error code. */
function errorCode(error: unknown, description: unknown): string | undefined {
  const [number] = typeof description === "string" ? /^AADSTS\d+/.exec(description) ?? [] : [];
  return number ?? toCode(error);
}

function textOf(value: unknown): string | undefined {
  return isText(value) ? value : undefined;
}
