/**
 * Logins to Vault: by AppRole, or by a token from Kubernetes or another issuer
 * (https://developer.hashicorp.com/vault/api-docs/auth/approle,
 * https://developer.hashicorp.com/vault/api-docs/auth/kubernetes,
 * https://developer.hashicorp.com/vault/api-docs/auth/jwt, 2026-11-26).
 */

import { toObject } from "../../../core/json/values.ts";
import {
  askService,
  type Env,
  readObject,
  refusedBy,
  type ServiceDeps,
  unusable,
  withoutCredentials,
} from "../service_request.ts";

/** The path to a pod's token in Kubernetes. */
const POD_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token";
/** The share of a token's lifetime after which it is replaced. */
const USED_LIFE = 2 / 3;
/** The maximum assumed lifetime, in seconds, for tokens that never expire. */
const MAX_LIFE_S = 24 * 3600;

/** A login: the method's path, and its request body. */
interface Login {
  readonly mount: string;
  readonly body: Readonly<Record<string, string>>;
}

/** The delay before a failed login is repeated while a token is valid, in milliseconds. */
const RETRY_MS = 10_000;

/** A token, or the login that will return it. */
interface Held {
  token: Promise<string>;
  /**
   * When it will be replaced and when it expires, according to the clock's `now()`; unknown during
   * the login.
   */
  until: number;
  endsAt: number;
}

/**
 * Caches login tokens, so that all secrets share a token until two thirds of its lifetime have
 * passed.
 */
export class VaultLogins {
  /** Keyed by address, namespace and login. */
  readonly #held = new Map<string, Held>();

  /**
   * A token from the login described by the environment; undefined if there is none.
   *
   * @param base Vault's address, without a trailing slash
   * @throws {GatewayError} when the login is rejected.
   */
  token(base: string, env: Env, deps: ServiceDeps): Promise<string> | undefined {
    const login = findLogin(env, deps);
    if (login === undefined) return undefined;
    const key = keyOf(base, env);
    const held = this.#held.get(key);
    if (held !== undefined && deps.clock.now() < held.until) return held.token;
    const next = ask(base, env, login, deps, held);
    this.#held.set(key, next);
    // A failed login is retried for the next secret.
    next.token.catch(() => this.#drop(key, next));
    return next.token;
  }

  /** Drops a token that Vault rejected. Returns whether there was one. */
  forget(base: string, env: Env): boolean {
    return this.#held.delete(keyOf(base, env));
  }

  #drop(key: string, held: Held): void {
    if (this.#held.get(key) === held) this.#held.delete(key);
  }
}

/** @param last the token to replace, which stays in use until it expires if the login fails */
function ask(base: string, env: Env, login: Login, deps: ServiceDeps, last?: Held): Held {
  const { clock } = deps;
  const renew = async () => {
    try {
      const { token, lifeS } = await logIn(base, env, login, deps);
      const usedS = Math.min(lifeS, MAX_LIFE_S) * USED_LIFE;
      held.until = clock.now() + 1000 * usedS;
      held.endsAt = clock.now() + 1000 * lifeS;
      return token;
    } catch (thrown) {
      if (last === undefined || clock.now() >= last.endsAt) throw thrown;
      held.until = Math.min(clock.now() + RETRY_MS, last.endsAt);
      held.endsAt = last.endsAt;
      return await last.token;
    }
  };
  const held: Held = { until: Infinity, endsAt: 0, token: Promise.resolve("") };
  held.token = renew();
  return held;
}

function keyOf(base: string, env: Env): string {
  return JSON.stringify([base, env("VAULT_NAMESPACE"), env("VAULT_ROLE_ID"), env("VAULT_ROLE")]);
}

/** The certificates in the VAULT_CACERT file, which verify Vault's; undefined if it is not set. */
export function vaultCertificates(
  env: Env,
  { readFile }: Pick<ServiceDeps, "readFile">,
): string | undefined {
  const path = env("VAULT_CACERT");
  if (path === undefined || path === "") return undefined;
  try {
    return readFile(path);
  } catch {
    throw unusable(`the certificates in VAULT_CACERT cannot be read from ${path}`);
  }
}

/** The login with the variables that name a role. */
function findLogin(env: Env, { readFile }: ServiceDeps): Login | undefined {
  const [roleId, role, own] = [env("VAULT_ROLE_ID"), env("VAULT_ROLE"), env("VAULT_AUTH_MOUNT")];
  const read = (path: string, what: string) => {
    try {
      return readFile(path).trim();
    } catch {
      throw unusable(`${what} for Vault cannot be read from ${path}`);
    }
  };
  if (roleId !== undefined) {
    const file = env("VAULT_SECRET_ID_FILE");
    const secret = env("VAULT_SECRET_ID") ?? (file && read(file, "the secret ID"));
    return {
      mount: mountOf(own ?? "approle"),
      // A role may not need a secret ID.
      body: { role_id: roleId, ...(secret && { secret_id: secret }) },
    };
  }
  if (role === undefined) return undefined;
  const jwt = read(env("VAULT_JWT_FILE") ?? POD_TOKEN, "the machine's token");
  return { mount: mountOf(own ?? "kubernetes"), body: { role, jwt } };
}

function mountOf(path: string): string {
  const mount = path.replace(/^\/+|\/+$/g, "");
  if (!/^[\w./-]+$/.test(mount) || mount.includes("..")) {
    throw unusable("VAULT_AUTH_MOUNT is not the path of a login");
  }
  return mount;
}

async function logIn(
  base: string,
  env: Env,
  { mount, body }: Login,
  deps: ServiceDeps,
): Promise<{ readonly token: string; readonly lifeS: number }> {
  const namespace = env("VAULT_NAMESPACE");
  const request = {
    service: "Vault",
    ca: vaultCertificates(env, deps),
    url: `${base}/v1/auth/${mount}/login`,
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-vault-request": "true",
      ...(namespace !== undefined && { "x-vault-namespace": namespace }),
    },
    body: JSON.stringify(body),
  };
  const { ok, status, text } = await askService(request, deps);
  if (!ok) throw refusedBy(`the login to Vault through auth/${mount} was rejected`, status);
  const { client_token: token, lease_duration: life } = toObject(readObject(text).auth);
  if (typeof token !== "string" || !/^[!-~]+$/.test(token)) throw withoutCredentials("Vault");
  // 0 means that the token does not expire.
  return { token, lifeS: typeof life === "number" && life > 0 ? life : Infinity };
}
