/**
 * AWS's token service (STS), which exchanges other credentials or a token from another identity
 * provider for a role's credentials (https://docs.aws.amazon.com/STS/latest/APIReference/,
 * 2026-11-22).
 */

import { awsHost } from "../../../providers/shared/aws_hosts.ts";
import { type AwsKeys, signAws } from "../aws_signature.ts";
import {
  askService,
  refusedBy,
  type ServiceAnswer,
  type ServiceDeps,
  toCode,
  toEnd,
  toForm,
  withoutCredentials,
} from "../service_request.ts";
import type { AwsRole } from "./find_source.ts";

/** Credentials with an expiry, according to the clock's `now()`. */
export interface AwsCredentials extends AwsKeys {
  /** Milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/** The service's region, and its URL if it differs from the public one. */
export interface StsPlace {
  readonly region: string;
  readonly url: string | undefined;
}

const SERVICE = "AWS's token service";
const VERSION = "2011-06-15";
/** The lifetime of a role's credentials, in seconds. */
const LIFETIME_S = 3600;
const SESSION_NAME = "sluice";

/**
 * Assumes a role with other credentials.
 *
 * @throws {GatewayError} `upstream_auth` when it is rejected.
 */
export async function assumeRole(
  role: AwsRole,
  base: AwsKeys,
  { region, url }: StsPlace,
  deps: ServiceDeps,
): Promise<AwsCredentials> {
  const form = toForm({
    Action: "AssumeRole",
    Version: VERSION,
    RoleArn: role.arn,
    RoleSessionName: role.sessionName ?? SESSION_NAME,
    DurationSeconds: String(role.seconds ?? LIFETIME_S),
    ExternalId: role.externalId,
  });
  const request = { url: url ?? `${awsHost("sts", region)}/`, ...form };
  const scope = { service: "sts", region };
  const signed = await signAws(request, base, scope, deps.clock.wallTime());
  const answer = await askService({ ...signed, service: SERVICE }, deps);
  return readCredentials(answer, "the role cannot be assumed", deps);
}

/**
 * Assumes a role with a token from another identity provider, such as a Kubernetes cluster.
 *
 * @throws {GatewayError} `upstream_auth` when it is rejected.
 */
export async function assumeRoleWithToken(
  role: AwsRole,
  token: string,
  { region, url }: StsPlace,
  deps: ServiceDeps,
): Promise<AwsCredentials> {
  const form = toForm({
    Action: "AssumeRoleWithWebIdentity",
    Version: VERSION,
    RoleArn: role.arn,
    RoleSessionName: role.sessionName ?? SESSION_NAME,
    DurationSeconds: role.seconds === undefined ? undefined : String(role.seconds),
    WebIdentityToken: token,
  });
  const request = { url: url ?? `${awsHost("sts", region)}/`, ...form, service: SERVICE };
  const answer = await askService(request, deps);
  return readCredentials(answer, "the role cannot be assumed with the web identity token", deps);
}

function readCredentials(
  { ok, status, text }: ServiceAnswer,
  failure: string,
  deps: ServiceDeps,
): AwsCredentials {
  if (!ok) throw refusedBy(failure, status, toCode(elementIn(text, "Code")));
  return toAwsCredentials(
    {
      accessKeyId: elementIn(text, "AccessKeyId"),
      secretAccessKey: elementIn(text, "SecretAccessKey"),
      sessionToken: elementIn(text, "SessionToken"),
      expiration: elementIn(text, "Expiration"),
    },
    SERVICE,
    deps,
  );
}

/** The text of the first XML element with this name. */
function elementIn(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>\\s*([^<]*?)\\s*</${name}>`).exec(xml)?.[1];
}

/** Members of an answer, which may be missing. */
interface CredentialMembers {
  readonly accessKeyId: unknown;
  readonly secretAccessKey: unknown;
  readonly sessionToken: unknown;
  /** A date in ISO 8601, or milliseconds since the Unix epoch. */
  readonly expiration: unknown;
}

/**
 * Validates credentials from a service.
 *
 * @throws {GatewayError} `upstream_error` for anything else.
 */
export function toAwsCredentials(
  { accessKeyId, secretAccessKey, sessionToken, expiration }: CredentialMembers,
  service: string,
  deps: Pick<ServiceDeps, "clock">,
): AwsCredentials {
  const wallTime = typeof expiration === "number" ? expiration : Date.parse(String(expiration));
  if (
    !isPrintable(accessKeyId) || !isPrintable(secretAccessKey) || !isPrintable(sessionToken) ||
    !Number.isFinite(wallTime)
  ) throw withoutCredentials(service);
  return { accessKeyId, secretAccessKey, sessionToken, endsAt: toEnd(wallTime, deps) };
}

/** Whether a value is text that is valid in a header. */
function isPrintable(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]+$/.test(value);
}
