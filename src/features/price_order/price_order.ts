/** `balance: price` as a feature: it orders groups, and learns from the usage of answers. */

import type { Route } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Feature } from "../../gateway/feature.ts";
import { price } from "./cheapest.ts";
import { MeasuredUsage, RequestUsage } from "./measured_usage.ts";

/** Orders groups by price, where config.yaml or the caller says so. */
export function priceOrder(clock: Pick<Clock, "now">): Feature {
  const measured = new MeasuredUsage();
  return {
    name: "price_order",
    plan({ configuredName: model, hasOneTarget, route, routes }) {
      if (hasOneTarget) return undefined;
      const isDefault = isByPrice(route);
      return {
        ...(!routes.some(isByPrice) && { wakes: { balance: "price" } }),
        start({ chosen, key, sent, session }) {
          const isUsed = isDefault || chosen?.balance === "price";
          const usage = sent && isUsed
            ? new RequestUsage({ measured, key, model, session: session?.id, body: sent.body })
            : undefined;
          const order = {
            strategies: { price: price(usage) },
          };
          if (usage === undefined) return { order };
          return {
            order,
            end({ complete, target, usage: used }) {
              if (complete && target !== undefined) usage.answered(target, used, clock.now());
            },
          };
        },
      };
    },
  };
}

function isByPrice({ groups }: Pick<Route, "groups">): boolean {
  return groups.some(({ balance }) => balance === "price");
}
