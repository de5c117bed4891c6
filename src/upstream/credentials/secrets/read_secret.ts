/** Reads secrets from AWS, Azure, Google Cloud and Vault, with the machine's credentials. */

import { GatewayError } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json/object.ts";
import { isText, toObject } from "../../../core/json/values.ts";
import {
  askService,
  type Env,
  readObject,
  refusedBy,
  type ServiceDeps,
  type ServiceRequest,
  toCode,
  unusable,
  withoutCredentials,
} from "../service_request.ts";
import { Buffer } from "node:buffer";
import { awsHost } from "../../../providers/shared/aws_hosts.ts";
import { fetchAwsCredentials } from "../aws/ambient.ts";
import { signAws } from "../aws_signature.ts";
import { fetchAzureToken } from "../azure/ambient.ts";
import { fetchGoogleCredentials } from "../google/ambient.ts";
import { vaultCertificates, VaultLogins } from "./vault_login.ts";

// AWS Secrets Manager
// (https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html, 2026-11-22).

const AWS_SERVICE = "AWS Secrets Manager";

/** @param name the name or the ARN of a secret */
const awsSecret: ToSecretRequest = async (name, env, deps) => {
  const [, own] = /^arn:[\w-]+:secretsmanager:([\w-]+):/.exec(name) ?? [];
  const region = own ?? env("AWS_REGION") ?? env("AWS_DEFAULT_REGION");
  if (region === undefined) throw unusable("the region is not known: set AWS_REGION");
  const keys = await fetchAwsCredentials({ options: { region }, env }, deps);
  const url = env("AWS_ENDPOINT_URL_SECRETS_MANAGER") ?? awsHost("secretsmanager", region);
  const headers = {
    "content-type": "application/x-amz-json-1.1",
    "x-amz-target": "secretsmanager.GetSecretValue",
  };
  const request = {
    url: `${url.replace(/\/+$/, "")}/`,
    headers,
    body: JSON.stringify({ SecretId: name }),
  };
  const scope = { service: "secretsmanager", region };
  const signed = await signAws(request, keys, scope, deps.clock.wallTime());
  return {
    request: { ...signed, service: AWS_SERVICE },
    read: ({ SecretBinary, SecretString }) =>
      isText(SecretString)
        ? SecretString
        : isText(SecretBinary)
        ? Buffer.from(SecretBinary, "base64").toString()
        : undefined,
    code: ({ __type: type }) => isText(type) ? type.slice(type.indexOf("#") + 1) : undefined,
  };
};

// Azure Key Vault
// (https://learn.microsoft.com/rest/api/keyvault/secrets/get-secret/get-secret, 2026-11-22).

const AZURE_SERVICE = "Azure Key Vault";
const API_VERSION = "7.4";

/**
 * @param name `VAULT/SECRET`, or the URL of a secret, such as
 * `https://our.vault.azure.net/secrets/name`, both with the version at the end if it is not the
 * current one
 */
const azureSecret: ToSecretRequest = async (name, env, deps) => {
  const [, vault, short] = /^([\w-]+)\/([\w-]+(?:\/\w+)?)$/.exec(name) ?? [];
  const url = vault === undefined ? name : `https://${vault}.vault.azure.net/secrets/${short}`;
  // The token is sent there, so it must be an Azure vault.
  const [, domain] =
    /^https:\/\/[\w-]+\.(vault\.(?:azure\.net|azure\.cn|usgovcloudapi\.net))\/secrets\/[\w-]+(?:\/\w+)?$/
      .exec(url) ?? [];
  if (domain === undefined) throw unusable("write VAULT/SECRET, or the https URL of the secret");
  const resource = `https://${domain}`;
  const { text: token } = await fetchAzureToken({ options: {}, resource, env }, deps);
  return {
    request: {
      service: AZURE_SERVICE,
      url: `${url}?api-version=${API_VERSION}`,
      method: "GET",
      headers: { authorization: `Bearer ${token}` },
    },
    read: ({ value }) => isText(value) ? value : undefined,
    code: ({ error }) => toObject(error).code,
  };
};

// Google Cloud's Secret Manager
// (https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets.versions/access,
// 2026-11-22).

const GOOGLE_SERVICE = "Google's Secret Manager";
const SECRET_MANAGER_URL = "https://secretmanager.googleapis.com/v1";

/**
 * @param name `projects/P/secrets/S`, or `S` in the project GOOGLE_CLOUD_PROJECT; append
 * `/versions/V` for a version other than the latest
 */
const googleSecret: ToSecretRequest = async (name, env, deps) => {
  const [, project = env("GOOGLE_CLOUD_PROJECT"), secret, version = "latest"] =
    /^(?:projects\/([\w:.-]+)\/secrets\/)?([\w-]+)(?:\/versions\/(\w+))?$/.exec(name) ?? [];
  if (secret === undefined) throw unusable("write projects/PROJECT/secrets/NAME");
  if (project === undefined) throw unusable("the project is not known: set GOOGLE_CLOUD_PROJECT");
  const { quotaProject, text: token } = await fetchGoogleCredentials(undefined, env, deps);
  return {
    request: {
      service: GOOGLE_SERVICE,
      url: `${SECRET_MANAGER_URL}/projects/${project}/secrets/${secret}/versions/${version}:access`,
      method: "GET",
      headers: {
        authorization: `Bearer ${token}`,
        ...(quotaProject !== undefined && { "x-goog-user-project": quotaProject }),
      },
    },
    read({ payload }) {
      const { data } = toObject(payload);
      return isText(data) ? Buffer.from(data, "base64").toString() : undefined;
    },
    code: ({ error }) => toObject(error).status,
  };
};

// HashiCorp Vault, and OpenBao
// (https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2, 2026-11-22).

const VAULT_SERVICE = "Vault";

/** @param name the API path, such as `secret/data/models` in a version 2 KV store */
const vaultSecret: ToSecretRequest = async (name, env, deps) => {
  const address = URL.parse(env("VAULT_ADDR") ?? "");
  if (address === null) throw unusable("VAULT_ADDR is not set to a URL");
  if (!/^[\w./%-]+$/.test(name) || name.includes("..")) throw unusable("the path is not valid");
  const base = address.href.replace(/\/+$/, "");
  const { logins = new VaultLogins() } = deps;
  const namespace = env("VAULT_NAMESPACE");
  const token = configuredToken(env, deps) ?? await logins.token(base, env, deps) ??
    ownToken(env, deps);
  return {
    request: {
      service: VAULT_SERVICE,
      ca: vaultCertificates(env, deps),
      url: `${base}/v1/${name.replace(/^\/+/, "")}`,
      method: "GET",
      headers: {
        "x-vault-request": "true",
        ...(token !== undefined && { "x-vault-token": token }),
        ...(namespace !== undefined && { "x-vault-namespace": namespace }),
      },
    },
    /** In version 2, the members are one level deeper, next to metadata. */
    read({ data: outer }) {
      const { data: inner, metadata } = toObject(outer);
      const members = isObject(inner) && isObject(metadata) ? inner : outer;
      return isObject(members) ? JSON.stringify(members) : undefined;
    },
    code: () => undefined,
    forget: () => logins.forget(base, env),
  };
};

/** The token in VAULT_TOKEN, or in a file that an agent renews. */
function configuredToken(env: Env, { readFile }: ServiceDeps): string | undefined {
  const own = env("VAULT_TOKEN")?.trim();
  if (own) return checked(own);
  const path = env("VAULT_TOKEN_FILE");
  if (path === undefined) return undefined;
  try {
    return checked(readFile(path).trim());
  } catch {
    throw unusable(`no token for Vault can be read from ${path}`);
  }
}

/** The token from `vault login`; not needed with an agent. */
function ownToken(env: Env, { readFile }: ServiceDeps): string | undefined {
  const home = env("HOME");
  if (home === undefined) return undefined;
  let text: string;
  try {
    text = readFile(`${home}/.vault-token`).trim();
  } catch {
    return undefined;
  }
  return text === "" ? undefined : checked(text);
}

function checked(token: string): string {
  if (!/^[!-~]+$/.test(token)) throw unusable("the token for Vault is not valid");
  return token;
}

/** The secret managers, by their prefix in references. */
const MANAGERS: ReadonlyMap<string, ToSecretRequest> = new Map([
  ["aws-sm", awsSecret],
  ["gcp-sm", googleSecret],
  ["azure-kv", azureSecret],
  ["vault", vaultSecret],
]);

/** Whether a reference such as `vault:secret/data/x#key` names a secret manager and a secret. */
export function isSecretReference(reference: string): boolean {
  const { manager, name } = parse(reference);
  return MANAGERS.has(manager) && name !== "";
}

/** The parts of `manager:name#member`. */
function parse(reference: string) {
  const [, manager = "", name = "", member] = /^([a-z-]+):([^#]*)(?:#(.*))?$/s.exec(reference) ??
    [];
  return { manager, name, member };
}

/**
 * Reads a secret. After `#`, a reference may name a member of a secret that is a JSON object.
 *
 * @throws {GatewayError} with the reason, without the secret
 */
export async function readSecret(
  reference: string,
  env: Env,
  deps: SecretDeps,
): Promise<string> {
  const { manager, name, member } = parse(reference);
  const toRequest = MANAGERS.get(manager);
  if (toRequest === undefined) throw unusable(`there is no secret manager '${manager}'`);
  let { request, read, code, forget } = await toRequest(name, env, deps);
  let { ok, status, text } = await askService(request, deps);
  if (status === 403 && forget?.()) {
    ({ request, read, code } = await toRequest(name, env, deps));
    ({ ok, status, text } = await askService(request, deps));
  }
  const answer = readObject(text);
  if (!ok) throw refusedBy("the secret cannot be read", status, toCode(code(answer)));
  const secret = read(answer);
  if (secret === undefined) throw withoutCredentials(request.service);
  const value = (member === undefined ? secret : memberOf(secret, member)).replace(/[\r\n]+$/, "");
  if (value === "") throw unusable("the secret is empty");
  return value;
}

/** A member of a JSON secret. */
function memberOf(secret: string, name: string): string {
  let value: unknown;
  try {
    value = JSON.parse(secret);
  } catch {
    throw unusable("the secret is not JSON, so it has no members");
  }
  const member = isObject(value) ? new Map(Object.entries(value)).get(name) : undefined;
  if (!isText(member)) throw unusable(`the secret has no text '${name}'`);
  return member;
}

/** The reason for a failure, for the operator. */
export function reasonFor(thrown: unknown): string {
  if (thrown instanceof GatewayError) {
    return thrown.message.replace(/^Cannot get credentials: /, "");
  }
  throw thrown;
}

/** How to request a secret and find it in the response. */
interface SecretRequest {
  /** The request, including credentials. */
  readonly request: ServiceRequest;
  /** Finds the text of the secret in the response; undefined if it is missing. */
  readonly read: (answer: JsonObject) => string | undefined;
  /** Finds the code of an error response. */
  readonly code: (answer: JsonObject) => unknown;
  /** Removes rejected credentials; returns whether others can be obtained. */
  readonly forget?: () => boolean;
}

/** The dependencies for reading secrets. */
interface SecretDeps extends ServiceDeps {
  /** The logins to Vault. Default: each secret logs in. */
  readonly logins?: VaultLogins;
}

/** Creates the request for a secret. Throws a `GatewayError` if it cannot be created. */
type ToSecretRequest = (
  name: string,
  env: Env,
  deps: SecretDeps,
) => Promise<SecretRequest>;
