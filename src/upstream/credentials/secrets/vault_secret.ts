/**
 * HashiCorp Vault, and OpenBao
 * (https://developer.hashicorp.com/vault/api-docs/secret/kv/kv-v2, 2026-11-22).
 */

import { isObject } from "../../../core/json/object.ts";
import { toObject } from "../../../core/json/values.ts";
import { type ServiceDeps, unusable } from "../service_request.ts";
import { vaultCertificates, VaultLogins } from "./vault_login.ts";
import type { Env, ToSecretRequest } from "./secret_request.ts";

const SERVICE = "Vault";

/** @param name the path of the API, such as `secret/data/models` of a KV store of version 2 */
export const vaultSecret: ToSecretRequest = async (name, env, deps) => {
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
      service: SERVICE,
      ca: vaultCertificates(env, deps),
      url: `${base}/v1/${name.replace(/^\/+/, "")}`,
      method: "GET",
      headers: {
        "x-vault-request": "true",
        ...(token !== undefined && { "x-vault-token": token }),
        ...(namespace !== undefined && { "x-vault-namespace": namespace }),
      },
    },
    /** Version 2 has the members one level deeper, beside metadata. */
    read({ data: outer }) {
      const { data: inner, metadata } = toObject(outer);
      const members = isObject(inner) && isObject(metadata) ? inner : outer;
      return isObject(members) ? JSON.stringify(members) : undefined;
    },
    code: () => undefined,
    forget: () => logins.forget(base, env),
  };
};

/** The token of VAULT_TOKEN, or of a file that an agent renews. */
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

/** The token of `vault login`; an agent needs none. */
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
