/** Credentials from a container host's or an instance's services, and from SSO. */

import { createHash } from "node:crypto";
import type { AwsSource } from "./find_source.ts";
import { awsHost } from "../../../providers/shared/aws_hosts.ts";
import {
  askService,
  type NetworkDeps,
  readObject,
  readToken,
  refusedBy,
  refusedLocally,
  type ServiceAnswer,
  type ServiceDeps,
  unusable,
  withoutCredentials,
} from "../service_request.ts";
import { isObject } from "../../../core/json/object.ts";
import { isText } from "../../../core/json/values.ts";
import { type AwsCredentials, toAwsCredentials } from "./sts.ts";

type SourceOf<Type extends AwsSource["type"]> = Extract<AwsSource, { type: Type }>;

const CONTAINER_SERVICE = "the container credentials service";
const INSTANCE_SERVICE = "the instance metadata service";
const SSO_SERVICE = "AWS's SSO portal";

/**
 * The role of an ECS task or of an EKS pod
 * (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html, 2026-11-22).
 */
export async function containerCredentials(
  { url, tokenFile, token: given }: SourceOf<"container">,
  deps: ServiceDeps,
): Promise<AwsCredentials> {
  const token = tokenFile === undefined
    ? given?.trim()
    : readToken(tokenFile, "the container authorization token", deps);
  const headers: Record<string, string> = token ? { authorization: token } : {};
  const answer = await askService(
    { service: CONTAINER_SERVICE, url, method: "GET", headers, isLocal: true },
    deps,
  );
  return readCredentials(answer, CONTAINER_SERVICE, deps);
}

/**
 * The lifetime of a session with the metadata service, in seconds. Long enough for one exchange.
 */
const SESSION_S = 60;

/**
 * The role of an EC2 instance, through IMDSv2
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html,
 * 2026-11-22).
 */
export async function instanceCredentials(
  source: SourceOf<"instance">,
  deps: ServiceDeps,
): Promise<AwsCredentials> {
  const { headers, role, url } = await instanceRole(source, deps);
  const answer = await askService(
    { service: INSTANCE_SERVICE, url: `${url}${role}`, method: "GET", headers, isLocal: true },
    deps,
  );
  return readCredentials(answer, INSTANCE_SERVICE, deps);
}

/**
 * The instance's role.
 *
 * @throws {GatewayError} if there is no metadata service, or no role.
 */
export async function instanceRole(
  { endpoint }: SourceOf<"instance">,
  deps: NetworkDeps,
  timeoutMs?: number,
) {
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const local = { service: INSTANCE_SERVICE, isLocal: true, ...limit };
  const session = await askService({
    ...local,
    url: `${endpoint}/latest/api/token`,
    method: "PUT",
    headers: { "x-aws-ec2-metadata-token-ttl-seconds": String(SESSION_S) },
  }, deps);
  const token = session.text.trim();
  if (!session.ok) {
    throw refusedLocally(
      "the instance metadata service has no session",
      INSTANCE_SERVICE,
      session.status,
    );
  }
  if (!/^[!-~]+$/.test(token)) throw withoutCredentials(INSTANCE_SERVICE);
  const headers = { "x-aws-ec2-metadata-token": token };
  const url = `${endpoint}/latest/meta-data/iam/security-credentials/`;
  const roles = await askService({ ...local, url, method: "GET", headers }, deps);
  if (!roles.ok) throw refusedLocally("the instance has no role", INSTANCE_SERVICE, roles.status);
  const [role = ""] = roles.text.trim().split("\n");
  if (!/^[\w+=,.@-]+$/.test(role)) throw withoutCredentials(INSTANCE_SERVICE);
  return { headers, role, url };
}

function readCredentials(
  { ok, status, text }: ServiceAnswer,
  service: string,
  deps: ServiceDeps,
): AwsCredentials {
  if (!ok) throw refusedLocally(`${service} rejected the request`, service, status);
  const answer = readObject(text);
  return toAwsCredentials(
    {
      accessKeyId: answer.AccessKeyId,
      secretAccessKey: answer.SecretAccessKey,
      sessionToken: answer.Token,
      expiration: answer.Expiration,
    },
    service,
    deps,
  );
}

/**
 * The credentials of a user who has signed in with `aws sso login`
 * (https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/API_GetRoleCredentials.html,
 * 2026-11-22). The sign-in is not renewed, since that would require writing its file.
 */
export async function ssoCredentials(
  { session, region, account, role, profile }: SourceOf<"sso">,
  { home, url }: { readonly home: string; readonly url: string | undefined },
  deps: ServiceDeps,
): Promise<AwsCredentials> {
  const signIn = `run 'aws sso login --profile ${profile}'`;
  const name = createHash("sha1").update(session).digest("hex");
  let text: string;
  try {
    text = deps.readFile(`${home}/.aws/sso/cache/${name}.json`);
  } catch (cause) {
    throw unusable(`there is no SSO sign-in: ${signIn}`, cause);
  }
  const { accessToken, expiresAt } = readObject(text);
  if (!isText(accessToken) || !(Date.parse(String(expiresAt)) > deps.clock.wallTime())) {
    throw unusable(`the SSO sign-in has expired: ${signIn}`);
  }
  const query = new URLSearchParams({ role_name: role, account_id: account });
  const answer = await askService({
    service: SSO_SERVICE,
    url: `${url ?? awsHost("portal.sso", region)}/federation/credentials?${query}`,
    method: "GET",
    headers: { "x-amz-sso_bearer_token": accessToken },
  }, deps);
  if (answer.status === 401) throw unusable(`the SSO sign-in was rejected: ${signIn}`);
  if (!answer.ok) throw refusedBy("the SSO portal rejected the role", answer.status);
  const { roleCredentials } = readObject(answer.text);
  if (!isObject(roleCredentials)) throw withoutCredentials(SSO_SERVICE);
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = roleCredentials;
  return toAwsCredentials(
    { accessKeyId, secretAccessKey, sessionToken, expiration },
    SSO_SERVICE,
    deps,
  );
}
