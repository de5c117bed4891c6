/**
 * The service account of a machine on Google Cloud
 * (https://cloud.google.com/compute/docs/metadata/querying-metadata, 2026-11-22).
 */

import {
  askService,
  endAfter,
  type NetworkDeps,
  readObject,
  refusedLocally,
  type ServiceAnswer,
  type ServiceDeps,
  withoutCredentials,
} from "../service_request.ts";
import { type GoogleToken, SCOPE, toGoogleToken } from "./token.ts";

const SERVICE = "Google's metadata server";
const FLAVOR = { "metadata-flavor": "Google" };
/** The server hands out tokens that it has kept, so one without a lifetime may end soon. */
const LIFETIME_S = 60;

/** The address of the server by default. Its name would need the resolver of the network. */
export const METADATA_HOST = "169.254.169.254";

/**
 * Gets a token for the machine's service account.
 *
 * @throws {GatewayError} when there is no metadata server, or no service account.
 */
export async function metadataToken(host: string, deps: ServiceDeps): Promise<GoogleToken> {
  const query = new URLSearchParams({ scopes: SCOPE });
  const { text } = await askMetadata(host, `token?${query}`, deps);
  const answer = readObject(text);
  return toGoogleToken(answer.access_token, endAfter(answer.expires_in, LIFETIME_S, deps), SERVICE);
}

/**
 * Asks about the machine's service account.
 *
 * @throws {GatewayError} unless it is the metadata server of Google that answers.
 */
export async function askMetadata(
  host: string,
  member: string,
  deps: NetworkDeps,
  timeoutMs?: number,
): Promise<ServiceAnswer> {
  const path = `instance/service-accounts/default/${member}`;
  const answer = await askServer(host, path, deps, timeoutMs);
  if (!answer.ok) {
    throw refusedLocally("the machine has no service account", SERVICE, answer.status);
  }
  return answer;
}

/**
 * The ID of the machine's project; undefined if the server does not tell it.
 *
 * @throws {GatewayError} unless it is the metadata server of Google that answers.
 */
export async function machineProject(host: string, deps: NetworkDeps): Promise<string | undefined> {
  const { ok, text } = await askServer(host, "project/project-id", deps);
  return ok ? toProject(text.trim()) : undefined;
}

/** https://cloud.google.com/resource-manager/docs/creating-managing-projects (2026-11-26). */
export function toProject(id: unknown): string | undefined {
  return typeof id === "string" && /^[\w.:-]{1,100}$/.test(id) ? id : undefined;
}

async function askServer(
  host: string,
  path: string,
  deps: NetworkDeps,
  timeoutMs?: number,
): Promise<ServiceAnswer> {
  const answer = await askService({
    service: SERVICE,
    url: `http://${host}/computeMetadata/v1/${path}`,
    method: "GET",
    headers: FLAVOR,
    isLocal: true,
    ...(timeoutMs !== undefined && { timeoutMs }),
  }, deps);
  if (answer.headers.get("metadata-flavor") !== "Google") throw withoutCredentials(SERVICE);
  return answer;
}
