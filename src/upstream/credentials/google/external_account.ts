/**
 * Workload identity federation: a token from another identity provider is exchanged for a Google
 * token (https://cloud.google.com/iam/docs/workload-identity-federation,
 * https://google.aip.dev/auth/4117, 2026-11-22).
 */

import { Buffer } from "node:buffer";
import type { JsonObject } from "../../../core/json/object.ts";
import { isText, toObject, toText } from "../../../core/json/values.ts";
import { signAws } from "../aws_signature.ts";
import { fetchAwsCredentials } from "../aws/ambient.ts";
import {
  askService,
  readObject,
  refusedBy,
  type ServiceDeps,
  toForm,
  unusable,
} from "../service_request.ts";
import { fetchGoogleToken, type GoogleToken, googleUrl, SCOPE } from "./token.ts";

const SUBJECT_SERVICE = "the subject token's service";
/** The sign-in service for users of a workforce pool. */
const USER_TOKEN_URL = "https://sts.googleapis.com/v1/oauthtoken";
const TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";

/** Returns the value of an environment variable. */
type Env = (name: string) => string | undefined;

/**
 * Gets a token with an external account's file. Impersonating another account is a separate step.
 *
 * @throws {GatewayError} `upstream_auth` when the file cannot be used, or the token is rejected.
 */
export async function externalAccountToken(
  account: JsonObject,
  env: Env,
  deps: ServiceDeps,
): Promise<GoogleToken> {
  const url = googleUrl(account.token_url);
  if (url === undefined) throw unusable("'token_url' of the external account is not Google's");
  const { audience, subject_token_type: type } = account;
  if (!isText(audience) || !isText(type)) {
    throw unusable("the external account lacks 'audience' or 'subject_token_type'");
  }
  const form = toForm({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience,
    scope: SCOPE,
    requested_token_type: TOKEN_TYPE,
    subject_token: await subjectToken(account, audience, env, deps),
    subject_token_type: type,
    // For user identities, which have no project.
    options: isText(account.workforce_pool_user_project)
      ? JSON.stringify({ userProject: account.workforce_pool_user_project })
      : undefined,
  });
  return await fetchGoogleToken({ url, ...form }, "the external account's token", deps);
}

/**
 * Gets a token for a workforce pool user who has signed in with gcloud: the type
 * `external_account_authorized_user`
 * (https://cloud.google.com/iam/docs/workforce-obtaining-short-lived-credentials, 2026-11-28).
 *
 * @throws {GatewayError} `upstream_auth` when the file cannot be used, or the sign-in is rejected.
 */
export async function externalUserToken(
  user: JsonObject,
  deps: ServiceDeps,
): Promise<GoogleToken> {
  const { client_id, client_secret, refresh_token, token_url = USER_TOKEN_URL } = user;
  const url = googleUrl(token_url);
  if (url === undefined) throw unusable("'token_url' of the external user is not Google's");
  if (!isText(client_id) || !isText(client_secret) || !isText(refresh_token)) {
    throw unusable(
      "the external user's credentials lack 'client_id', 'client_secret' or 'refresh_token'",
    );
  }
  const { headers, body } = toForm({ grant_type: "refresh_token", refresh_token });
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString("base64");
  return await fetchGoogleToken(
    { url, headers: { ...headers, authorization: `Basic ${basic}` }, body },
    "the external user's sign-in (run 'gcloud auth application-default login')",
    deps,
  );
}

async function subjectToken(
  { credential_source: given }: JsonObject,
  audience: string,
  env: Env,
  deps: ServiceDeps,
): Promise<string> {
  const source = toObject(given);
  if (isText(source.environment_id)) return await awsSubjectToken(source, audience, env, deps);
  if (isText(source.file)) return readSubject(readFile(source.file, deps), source);
  if (isText(source.url)) return readSubject(await fetchSubject(source.url, source, deps), source);
  throw unusable(
    source.executable === undefined
      ? "'credential_source' of the external account has neither 'file' nor 'url'"
      : "the external account needs a program, and Sluice runs none",
  );
}

/** The whole text, which may be JSON. */
function readFile(path: string, deps: ServiceDeps): string {
  try {
    return deps.readFile(path);
  } catch (cause) {
    throw unusable("the subject token cannot be read from its file", cause);
  }
}

async function fetchSubject(url: string, source: JsonObject, deps: ServiceDeps): Promise<string> {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== "https:" && parsed?.protocol !== "http:") {
    throw unusable("the URL of the subject token is not valid");
  }
  const headers = Object.entries(toObject(source.headers))
    .filter((pair): pair is [string, string] => typeof pair[1] === "string")
    .map(([name, value]) => [name.toLowerCase(), value] as const);
  const answer = await askService({
    service: SUBJECT_SERVICE,
    url,
    method: "GET",
    headers: Object.fromEntries(headers),
    isLocal: parsed.protocol === "http:",
  }, deps);
  if (!answer.ok) throw refusedBy("the subject token was rejected", answer.status);
  return answer.text;
}

/** The token in the text of a file or an answer. */
function readSubject(text: string, { format: given }: JsonObject): string {
  const format = toObject(given);
  const isJson = format.type === "json";
  const name = toText(format.subject_token_field_name);
  const token = isJson ? new Map(Object.entries(readObject(text))).get(name) : text.trim();
  if (!isText(token)) throw unusable("the source of the subject token contains none");
  return token;
}

/** A signed request that proves the AWS identity to Google. It is not sent to AWS. */
async function awsSubjectToken(
  source: JsonObject,
  audience: string,
  env: Env,
  deps: ServiceDeps,
): Promise<string> {
  const region = env("AWS_REGION") ?? env("AWS_DEFAULT_REGION") ??
    await instanceRegion(source, deps);
  const url = toText(source.regional_cred_verification_url).replaceAll("{region}", region);
  if (!/^https:\/\/sts[.\w-]*\.amazonaws\.com(?:\.cn)?[/?]/.test(url)) {
    throw unusable("'regional_cred_verification_url' of the external account is not AWS's");
  }
  const keys = await fetchAwsCredentials({ options: { region }, env }, deps);
  const headers = { "x-goog-cloud-target-resource": audience };
  const signed = await signAws(
    { url, headers },
    keys,
    { service: "sts", region },
    deps.clock.wallTime(),
  );
  const all = { host: new URL(url).host, ...signed.headers };
  const pairs = Object.entries(all).map(([key, value]) => ({ key, value }));
  return encodeURIComponent(JSON.stringify({ url, method: "POST", headers: pairs }));
}

/** The region of the instance, which is its availability zone without the last letter. */
async function instanceRegion(source: JsonObject, deps: ServiceDeps): Promise<string> {
  const local = { service: "the instance metadata service", isLocal: true };
  const [zoneUrl, sessionUrl] = [source.region_url, source.imdsv2_session_token_url];
  if (!isInstanceUrl(zoneUrl)) throw unusable("the AWS region is not known: set AWS_REGION");
  const headers: Record<string, string> = {};
  if (isInstanceUrl(sessionUrl)) {
    const session = await askService({
      ...local,
      url: sessionUrl,
      method: "PUT",
      headers: { "x-aws-ec2-metadata-token-ttl-seconds": "60" },
    }, deps);
    if (session.ok) headers["x-aws-ec2-metadata-token"] = session.text.trim();
  }
  const { ok, status, text } = await askService(
    { ...local, url: zoneUrl, method: "GET", headers },
    deps,
  );
  if (!ok) throw refusedBy("the AWS region is not known", status);
  const [, region] = /^([a-z]+(?:-[a-z0-9]+)+-\d)[a-z]$/.exec(text.trim()) ?? [];
  if (region === undefined) throw unusable("the AWS region is not known: set AWS_REGION");
  return region;
}

/** The hosts that a file may name: https://google.aip.dev/auth/4117. */
function isInstanceUrl(text: unknown): text is string {
  const url = typeof text === "string" ? URL.parse(text) : null;
  return url !== null && /^(?:169\.254\.169\.254|\[fd00:ec2::254\])$/.test(url.hostname);
}
