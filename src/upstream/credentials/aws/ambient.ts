/**
 * The AWS credentials for a provider without an API key: its own keys or the machine's, and its
 * role.
 */

import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { isText, toText } from "../../../core/json/values.ts";
import type { AwsKeys } from "../aws_signature.ts";
import { readToken, type ServiceDeps, unusable } from "../service_request.ts";
import {
  type AwsRole,
  type AwsSource,
  findAwsSource,
  type FoundSource,
  homeOf,
  type ProfileSources,
  roleLabel,
} from "./find_source.ts";
import { containerCredentials, instanceCredentials, ssoCredentials } from "./local_services.ts";
import { assumeRole, assumeRoleWithToken, type AwsCredentials } from "./sts.ts";

/** The configuration for a provider's credentials. */
export interface AwsSettings {
  /** The keys in config.yaml. */
  readonly keys?: AwsKeys | undefined;
  /** The provider's members: `region`, `profile` and `assume_role`. */
  readonly options: JsonObject;
  /** The variables that select the machine's credentials. */
  readonly env: ProfileSources["env"];
}

/** How long keys without an expiry are used before their file is read again, in milliseconds. */
const KEYS_LIFETIME_MS = 15 * 60_000;

/**
 * Gets the credentials, assuming the provider's role if it has one.
 *
 * @throws {GatewayError} `upstream_auth` when there are none, or the failure's kind when a service
 * fails.
 */
export async function fetchAwsCredentials(
  { keys, options, env }: AwsSettings,
  deps: ServiceDeps,
): Promise<AwsCredentials> {
  const region = toText(options.region);
  const role = readRole(options);
  const source: AwsSource = keys === undefined
    ? findUsable(withProfile(options, { env, readFile: deps.readFile }))
    : { type: "keys", keys };
  const all = role === undefined ? source : { type: "assumed_role", base: source, role } as const;
  return await obtain(all, { region, env }, deps);
}

/** A description of the machine's credentials for the operator; undefined if there are none. */
export function describeAws(
  options: JsonObject,
  sources: ProfileSources,
): FoundSource | undefined {
  const found = findAwsSource(withProfile(options, sources));
  const role = readRole(options);
  if (found === undefined || role === undefined) return found;
  return { ...found, label: `${found.label}, then ${roleLabel(role.arn)}` };
}

/** The sources with the provider's profile, regardless of AWS_PROFILE. */
function withProfile({ profile }: JsonObject, sources: ProfileSources): ProfileSources {
  if (!isText(profile)) return sources;
  const { env } = sources;
  return { ...sources, env: (name) => name === "AWS_PROFILE" ? profile : env(name) };
}

/** The role in the provider's `assume_role`. */
function readRole({ assume_role: role, region: own }: JsonObject): AwsRole | undefined {
  if (!isObject(role)) return undefined;
  const { role_arn, external_id, region, session_name } = role;
  return {
    arn: toText(role_arn),
    externalId: isText(external_id) ? external_id : undefined,
    region: isText(region) ? region : toText(own),
    sessionName: isText(session_name) ? session_name : undefined,
  };
}

function findUsable(sources: ProfileSources): AwsSource {
  const found = findAwsSource(sources);
  if (found === undefined) throw unusable("there are no AWS credentials");
  return found.source;
}

/** The settings for the services. */
interface Place {
  /** The provider's region. */
  readonly region: string;
  readonly env: ProfileSources["env"];
}

async function obtain(
  source: AwsSource,
  place: Place,
  deps: ServiceDeps,
): Promise<AwsCredentials> {
  const { env } = place;
  switch (source.type) {
    case "keys":
      return { ...source.keys, endsAt: deps.clock.now() + KEYS_LIFETIME_MS };
    case "container":
      return await containerCredentials(source, deps);
    case "instance":
      return await instanceCredentials(source, deps);
    case "sso": {
      const home = homeOf(env) ?? "";
      return await ssoCredentials(source, { home, url: env("AWS_ENDPOINT_URL_SSO") }, deps);
    }
    case "web_identity": {
      const { role, tokenFile } = source;
      // Read each time: Kubernetes replaces it.
      const token = readToken(tokenFile, "the web identity token", deps);
      return await assumeRoleWithToken(role, token, stsOf(role, place), deps);
    }
    case "assumed_role": {
      const base = await obtain(source.base, place, deps);
      return await assumeRole(source.role, base, stsOf(source.role, place), deps);
    }
  }
}

function stsOf({ region: own }: AwsRole, { env, region }: Place) {
  const near = own ?? env("AWS_REGION") ?? env("AWS_DEFAULT_REGION") ?? region;
  return { region: near, url: env("AWS_ENDPOINT_URL_STS") };
}
