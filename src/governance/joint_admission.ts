/** A request that two owners of limits admit: a key, and one of its end users. */

import type { ServiceKey } from "../config/keys.ts";
import type { Admission } from "./admission.ts";
import type { Amount } from "./counters.ts";

type Admitted = Admission | undefined;

/**
 * Admits a request to the limits of its key and of its end user, or of neither.
 *
 * @param user undefined if the end user has no limits
 * @throws what the admissions throw.
 */
export function admitOwners(
  key: ServiceKey,
  user: ServiceKey | undefined,
  admit: (owner: ServiceKey) => Admitted | Promise<Admitted>,
): Admitted | Promise<Admitted> {
  return user === undefined ? admit(key) : admitBoth(admit(key), () => admit(user));
}

function admitBoth(
  first: Admitted | Promise<Admitted>,
  admitSecond: () => Admitted | Promise<Admitted>,
): Admitted | Promise<Admitted> {
  if (first instanceof Promise) return first.then((known) => admitNext(known, admitSecond));
  return admitNext(first, admitSecond);
}

function admitNext(
  first: Admitted,
  admitSecond: () => Admitted | Promise<Admitted>,
): Admitted | Promise<Admitted> {
  try {
    const second = admitSecond();
    if (!(second instanceof Promise)) return join(first, second);
    return second.then((known) => join(first, known), (thrown) => {
      first?.cancel();
      throw thrown;
    });
  } catch (thrown) {
    first?.cancel();
    throw thrown;
  }
}

function join(first: Admitted, second: Admitted): Admitted {
  if (first === undefined || second === undefined) return first ?? second;
  return new JointAdmission(first, second);
}

class JointAdmission implements Admission {
  readonly #first: Admission;
  readonly #second: Admission;

  constructor(first: Admission, second: Admission) {
    this.#first = first;
    this.#second = second;
  }

  /** The limits of the first owner, and those of the second that the first does not have. */
  headers(): Record<string, string> {
    return { ...this.#second.headers(), ...this.#first.headers() };
  }

  get heldElsewhere(): number {
    return this.#first.heldElsewhere;
  }

  settle(used: Amount): void {
    this.#first.settle(used);
    this.#second.settle(used);
  }

  cancel(): void {
    this.#first.cancel();
    this.#second.cancel();
  }
}
